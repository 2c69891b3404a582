package retention

import (
	"context"
	"fmt"
	"slices"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/policy"
)

// ForecastMonths is how far a forecast looks.
const ForecastMonths = 12

// Forecast is what the policies in force, and those that submissions took, will come to.
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

// ages count what comes of age between the beginnings and ends of months, $2 and $3, less the time that records are kept. Of
// submissions $4 is how they name the policy.
var ages = map[string]string{
	submissions: "select count(*) as n from submissions where tenant_id = $1 and retention_basis = $4 and retain_until > m.since and retain_until <= m.until and erased_at is null offset 0",
	files:       "select count(*) as n from evidence where tenant_id = $1 and created_at > m.since and created_at <= m.until and erased_at is null offset 0",
	"sessions":  "select count(*) as n from sessions where tenant_id = $1 and ended_at > m.since and ended_at <= m.until and swept_at is null offset 0",
	"telemetry": "select count(*) as n from submission_telemetry_summary where tenant_id = $1 and last_activity_at > m.since and last_activity_at <= m.until offset 0",
	"exports": `select count(*) as n from compliance_artifacts where tenant_id = $1 and created_at > m.since and created_at <= m.until
		and expires_at is not null and erased_at is null offset 0`,
}

// takenSQL gives every version of the policies of submissions. Which of them have any is asked with the months.
const takenSQL = "select id, action, scope from retention_policies where tenant_id = $1 and domain = 'submissions' and days is not null order by scope, number"

// LookAhead says what sweeps would erase in the next twelve months, by month. Capability: policies.manage or compliance.read; it
// counts what is within the scope.
func LookAhead(ctx context.Context, tx *db.Tx) (Forecast, error) {
	f := Forecast{At: tx.Now().UTC(), Items: []ForecastLine{}}
	now, err := policy.GetRetention(ctx, tx)
	if err != nil {
		return f, err
	}
	rows, err := tx.Query(ctx, takenSQL, tx.Tenant())
	if err != nil {
		return f, fmt.Errorf("list policies of submissions: %w", err)
	}
	var line ForecastLine
	var all []ForecastLine
	for rows.Next() {
		if err := rows.Scan(&line.PolicyID, &line.Action, &line.Of); err != nil {
			rows.Close()
			return f, fmt.Errorf("list policies of submissions: %w", err)
		}
		line.Domain = submissions
		all = append(all, line)
	}
	if rows.Err() != nil {
		return f, fmt.Errorf("list policies of submissions: %w", rows.Err())
	}
	kept := map[ids.ID]time.Duration{}
	for _, p := range now.Policies {
		if p.Domain != submissions {
			kept[p.ID] = time.Duration(*p.Days) * 24 * time.Hour
			all = append(all, ForecastLine{Domain: p.Domain, PolicyID: p.ID, Action: *p.Action})
		}
	}
	for _, line := range all {
		found, err := line.months(ctx, tx, kept[line.PolicyID])
		if err != nil {
			return f, err
		}
		f.Items = append(f.Items, found...)
	}
	slices.SortStableFunc(f.Items, func(a, b ForecastLine) int { return a.From.Compare(b.From) })
	return f, nil
}

// months counts what a policy comes to, month by month.
func (l ForecastLine) months(ctx context.Context, tx *db.Tx, kept time.Duration) ([]ForecastLine, error) {
	var since, until []time.Time
	lines := make([]ForecastLine, ForecastMonths)
	for i := range lines {
		lines[i] = l
		lines[i].From, lines[i].To = tx.Now().UTC().AddDate(0, i, 0), tx.Now().UTC().AddDate(0, i+1, 0)
		from := lines[i].From.Add(-kept)
		if i == 0 {
			from = time.Time{}
		}
		since, until = append(since, from), append(until, lines[i].To.Add(-kept))
	}
	args := []any{tx.Tenant(), since, until}
	if l.Domain == submissions {
		args = append(args, Due{PolicyID: l.PolicyID}.basis())
	}
	rows, err := tx.Query(ctx, "select m.i, x.n from unnest($2::timestamptz[], $3::timestamptz[]) with ordinality as m (since, until, i) cross join lateral ("+
		ages[l.Domain]+") x where x.n > 0 order by m.i", args...)
	if err != nil {
		return nil, fmt.Errorf("count what will be due: %w", err)
	}
	defer rows.Close()
	var found []ForecastLine
	for rows.Next() {
		var i int
		var n int64
		if err := rows.Scan(&i, &n); err != nil {
			return nil, fmt.Errorf("count what will be due: %w", err)
		}
		lines[i-1].Records = n
		found = append(found, lines[i-1])
	}
	return found, rows.Err()
}
