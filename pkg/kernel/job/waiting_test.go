package job_test

import (
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/job"
)

// A day's jobs that have ended are in the table, and are not read.
func TestDepthsReadWhatWaitsAlone(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App})
	scope := sample.Tenant(t, store)
	super := dbtest.Heap(t, urls)
	exec(t, super, `insert into river.river_job (kind, state, args, max_attempts, scheduled_at, finalized_at, attempt)
		select case when n % 2 = 0 then 'mail_link' else 'remediation' end, (case when n % 100 = 0 then 'available' when n % 100 = 1 then 'retryable'
			when n = 2 then 'running' when n % 100 = 3 then 'discarded' else 'completed' end)::river.river_job_state, '{}', 25,
			case when n % 100 = 1 then now() + interval '1 hour' else now() - interval '1 minute' end,
			case when n = 2 or n % 100 in (0, 1) then null else now() end, 1
		from generate_series(1, 20000) n`)
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		if t.Name() == "TestDepthsReadWhatWaitsAlone/no_statistics,_custom_plans" {
			exec(t, super, "update pg_class set reltuples = -1, relpages = 0, relallvisible = 0 where relnamespace = 'river'::regnamespace")
		}
		err := store.Write(t.Context(), scope, func(tx *db.Tx) error {
			plans.Force(t, tx)
			var all []job.Depth
			dbtest.ByIndex(t, tx, "depths", 1000, func() error {
				var err error
				all, err = job.Depths(t.Context(), tx)
				return err
			}, "river_job")
			for _, want := range []job.Depth{{"mail_link", "available", 200, time.Minute}, {"remediation", "retryable", 200, 0}, {"mail_link", "running", 1, 0}} {
				if !slices.ContainsFunc(all, func(d job.Depth) bool {
					return d.Kind == want.Kind && d.State == want.State && d.N == want.N && d.Due >= want.Due && (want.Due > 0) == (d.Due > 0)
				}) {
					t.Errorf("%+v is not in %+v", want, all)
				}
			}
			if len(all) != 3 {
				t.Errorf("got %+v", all)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}, urls)
}

func exec(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	_, err := conn.Exec(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
}
