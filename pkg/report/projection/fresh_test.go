package projection

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
)

// A standby promises what it has replayed and no more. The server of the tests is not a standby:
// functions that hide PostgreSQL's own say what a standby would say about itself.
func TestAsOfOfAStandbyIsWhatItHasReplayed(t *testing.T) {
	t.Parallel()
	urls := dbtest.Clone(t)
	w := newWorld(t, newStore(t, urls))
	owner, err := pgx.Connect(t.Context(), urls.Owner)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(context.Background()) //nolint:errcheck // the test is over
	for _, sql := range []string{
		"create schema if not exists standby",
		"create or replace function standby.pg_is_in_recovery() returns boolean language sql as 'select true'",
		"create or replace function standby.pg_last_xact_replay_timestamp() returns timestamptz language sql as $$ select nullif(current_setting('standby.replayed'), '')::timestamptz $$",
		"create or replace function standby.pg_control_checkpoint(out checkpoint_time timestamptz) language sql as $$ select '2026-02-01T00:00:00Z'::timestamptz $$",
		"grant usage on schema standby to assess_app",
	} {
		_, err := owner.Exec(t.Context(), sql)
		if err != nil {
			t.Fatalf("%v in %s", err, sql)
		}
	}
	fresh := func(replayed string) Freshness {
		t.Helper()
		separator := "?"
		if strings.Contains(urls.App, "?") {
			separator = "&"
		}
		store, err := db.Open(t.Context(), db.Options{URL: urls.App, MaxConns: 2,
			ReportURL: urls.App + separator + "search_path=standby,public,pg_catalog&standby.replayed=" + replayed})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		var f Freshness
		err = store.Report(t.Context(), db.System(w.tenant, "test"), func(tx *db.Tx) (err error) {
			f, err = Fresh(t.Context(), tx)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	check := func(replayed string, want time.Time) {
		t.Helper()
		if got := fresh(replayed); !got.AsOf.Equal(want) {
			t.Errorf("replayed up to %q: asOf is %s, want %s", replayed, got.AsOf, want)
		}
	}
	behind, started := epoch.Add(time.Hour), time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC)
	check(behind.Format(time.RFC3339), behind)
	check("", started)
	if got := fresh("2999-01-01T00:00:00Z"); time.Since(got.AsOf).Abs() > time.Hour {
		t.Errorf("a clock that is ahead: asOf is %s", got.AsOf)
	}
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, "insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) values ($1, 'session', $1, $2)", w.tenant, epoch)
		return err
	})
	check(behind.Format(time.RFC3339), epoch)
}
