package retention

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/policy"
)

// ForecastMonths is how far a forecast looks.
const ForecastMonths = 12

// Forecast is what the policies in force, and the policies that submissions took, will come to.
type Forecast struct {
	At    time.Time      `json:"at"`
	Items []ForecastLine `json:"items" nullable:"false" doc:"By month, policy after policy; without those with nothing to do"`
}

// ForecastLine is what one policy comes to in a month.
type ForecastLine struct {
	From     time.Time `json:"from" doc:"The first month also has what is over already"`
	To       time.Time `json:"to"`
	Domain   string    `json:"domain" enum:"submissions,evidence,sessions,telemetry,exports"`
	PolicyID ids.ID    `json:"policyId"`
	Of       string    `json:"of" doc:"What the policy is about; empty: all of the domain"`
	Action   string    `json:"action" enum:"redact,delete"`
	Records  int64     `json:"records" doc:"Of what there is today: submissions, files, sessions, sessions with events, exports. Holds may keep some"`
}

// ageSQL counts by month the records that come of age until $3; all months but the first begin at $2. Both times are less the time
// that records are kept. Each record is read once, by whatever index.
var ageSQL = map[string]string{
	files:       byMonth("created_at", "evidence where tenant_id = $1 and created_at <= $3 and erased_at is null"),
	"sessions":  byMonth("ended_at", "sessions where tenant_id = $1 and ended_at <= $3 and swept_at is null"),
	"telemetry": byMonth("last_activity_at", "submission_telemetry_summary where tenant_id = $1 and last_activity_at <= $3"),
	"exports":   byMonth("created_at", "compliance_artifacts where tenant_id = $1 and created_at <= $3 and expires_at is not null and erased_at is null"),
}

func byMonth(at, of string) string {
	return "select $4::uuid, $5::text, '', width_bucket(" + at + ", $2::timestamptz[]) as month, count(*) from " + of + " group by month order by month"
}

// submissionsSQL does so for submissions, which keep the version of the policy that they took.
const submissionsSQL = `
with p as materialized (
	select id, action, scope, number, 'policy:' || id as basis from retention_policies
	where tenant_id = $1 and domain = 'submissions' and days is not null
)
select p.id, p.action, p.scope, x.month, x.n
from p cross join lateral (
	select width_bucket(retain_until, $2::timestamptz[]) as month, count(*) as n from submissions
	where tenant_id = $1 and retention_basis = p.basis and retain_until <= $3 and erased_at is null group by month offset 0) x
order by p.scope, p.number, x.month`

// LookAhead says what sweeps would erase in the next twelve months, by month. Capability: policies.manage or compliance.read; it
// counts only records within the scope.
func LookAhead(ctx context.Context, tx *db.Tx) (Forecast, error) {
	f := Forecast{At: tx.Now().UTC(), Items: []ForecastLine{}}
	now, err := policy.GetRetention(ctx, tx)
	if err != nil {
		return f, err
	}
	err = f.count(ctx, tx, submissions, 0, submissionsSQL)
	for _, p := range now.Policies {
		if err == nil && p.Domain != submissions {
			err = f.count(ctx, tx, p.Domain, time.Duration(*p.Days)*24*time.Hour, ageSQL[p.Domain], p.ID, *p.Action)
		}
	}
	slices.SortStableFunc(f.Items, func(a, b ForecastLine) int { return a.From.Compare(b.From) })
	return f, err
}

// count adds what comes of age in the months of a forecast, of records that are kept for a time.
func (f *Forecast) count(ctx context.Context, tx *db.Tx, domain string, kept time.Duration, sql string, args ...any) error {
	ends := make([]time.Time, ForecastMonths+1)
	less := make([]time.Time, len(ends))
	for i := range ends {
		ends[i] = f.At.AddDate(0, i, 0)
		less[i] = ends[i].Add(-kept)
	}
	rows, err := tx.Query(ctx, sql, append([]any{tx.Tenant(), less[1:ForecastMonths], less[ForecastMonths]}, args...)...)
	if err != nil {
		return fmt.Errorf("count what will be due of %s: %w", domain, err)
	}
	f.Items, err = pgx.AppendRows(f.Items, rows, func(row pgx.CollectableRow) (ForecastLine, error) {
		l, month := ForecastLine{Domain: domain}, 0
		err := row.Scan(&l.PolicyID, &l.Action, &l.Of, &month, &l.Records)
		if err == nil {
			l.From, l.To = ends[month], ends[month+1]
		}
		return l, err
	})
	if err != nil {
		return fmt.Errorf("count what will be due of %s: %w", domain, err)
	}
	return nil
}
