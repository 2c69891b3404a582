package reporting

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/report/projection"
)

// On a standby every report can be read, says how old its figures are while the standby is behind,
// and moves on with it; writes go to the primary, and the standby refuses them.
func TestReportsOfAStandby(t *testing.T) {
	t.Parallel()
	pair := dbtest.WithStandby(t)
	c := found(t, pair.Primary, 30)
	c.project(t)
	store := dbtest.Open(t, db.Options{URL: pair.Primary.App, ReportURL: pair.Standby.App, MaxConns: 4})
	c.store = store
	pair.Follow(t)
	scope := c.analyst(c.orgs[0])
	scope.All = true
	for name, read := range c.everyReport() {
		report(t, c, scope, func(tx *db.Tx) (any, error) {
			err := read(t.Context(), tx)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			return nil, nil
		})
	}
	look := func() (int64, projection.Freshness) {
		r := report(t, c, scope, func(tx *db.Tx) (EvaluationSummary, error) {
			return Summary(t.Context(), tx, SummaryInput{EvaluationVersionID: c.versions[0]})
		})
		return r.Attempts.Completed, r.Freshness
	}
	pair.Pause(t)
	before, stood := look()
	c.void(t)
	after, still := look()
	if before == 0 || after != before || !still.AsOf.Equal(stood.AsOf) {
		t.Errorf("paused: %d completed as of %s, then %d as of %s", before, stood.AsOf, after, still.AsOf)
	}
	if committed := c.now(t); !still.AsOf.Before(committed) {
		t.Errorf("asOf %s is not before %s, and what was committed until then is not counted", still.AsOf, committed)
	}
	if whole := still.AsOf.Truncate(time.Millisecond); !whole.Equal(still.AsOf) {
		t.Errorf("asOf %s has more than milliseconds", still.AsOf.Format(time.RFC3339Nano))
	}
	pair.Resume(t)
	resumed, moved := look()
	if resumed != before-1 || !moved.AsOf.After(stood.AsOf) {
		t.Errorf("resumed: %d completed as of %s, want %d, later than %s", resumed, moved.AsOf, before-1, stood.AsOf)
	}
	conn, err := pgx.Connect(t.Context(), pair.Standby.App)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background()) //nolint:errcheck // the test is over
	_, err = conn.Exec(t.Context(), "insert into tenants (id, slug, name, created_at) values ($1, 's', 'S', $2)", c.tenant, epoch)
	if refused := (*pgconn.PgError)(nil); !errors.As(err, &refused) || refused.Code != "25006" {
		t.Errorf("the standby took a row: %v", err)
	}
}

// everyReport reads each report of the package once.
func (c *cohort) everyReport() map[string]func(context.Context, *db.Tx) error {
	in := SummaryInput{EvaluationVersionID: c.versions[0]}
	from := epoch.AddDate(0, 0, 1).Add(time.Hour)
	part := in
	part.From = &from
	include := []string{"scores", "timing", "distributions", "tags", "sections"}
	return map[string]func(context.Context, *db.Tx) error{
		"summary":           func(ctx context.Context, tx *db.Tx) error { _, err := Summary(ctx, tx, in); return err },
		"summary of a time": func(ctx context.Context, tx *db.Tx) error { _, err := Summary(ctx, tx, part); return err },
		"groups": func(ctx context.Context, tx *db.Tx) error {
			_, err := SummaryGroups(ctx, tx, SummaryListInput{SummaryInput: including(in, include)})
			return err
		},
		"cohorts": func(ctx context.Context, tx *db.Tx) error {
			_, err := SummaryCohorts(ctx, tx, SummaryListInput{SummaryInput: including(part, include)})
			return err
		},
		"summary file": func(ctx context.Context, tx *db.Tx) error { return ExportSummary(ctx, tx, in, &bytes.Buffer{}) },
		"cohorts file": func(ctx context.Context, tx *db.Tx) error { return ExportCohorts(ctx, tx, in, &bytes.Buffer{}) },
		"groups file":  func(ctx context.Context, tx *db.Tx) error { return ExportGroups(ctx, tx, in, &bytes.Buffer{}) },
		"health":       func(ctx context.Context, tx *db.Tx) error { _, err := ListHealth(ctx, tx, HealthFilter{}); return err },
		"health of a time": func(ctx context.Context, tx *db.Tx) error {
			_, err := ListHealth(ctx, tx, HealthFilter{From: &from})
			return err
		},
		"question": func(ctx context.Context, tx *db.Tx) error {
			_, err := QuestionHealth(ctx, tx, c.questions[0], HealthFilter{})
			return err
		},
		"health archive": func(ctx context.Context, tx *db.Tx) error {
			_, err := ExportHealth(ctx, tx, HealthFilter{From: &from}, &bytes.Buffer{})
			return err
		},
	}
}

// void takes one submission out of the figures, on the primary.
func (c *cohort) void(t *testing.T) {
	t.Helper()
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, `with taken as (
				update submissions set status = 'voided' where tenant_id = $1
					and id = (select id from submissions where tenant_id = $1 order by id limit 1) returning id)
			insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) select $1, 'submission', id, now() from taken`, c.tenant)
		return err
	})
	c.project(t)
}

// now is the moment of the primary.
func (c *cohort) now(t *testing.T) time.Time {
	t.Helper()
	var now time.Time
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		return tx.QueryRow(ctx, "select clock_timestamp()").Scan(&now)
	})
	return now
}
