package dbtest

import (
	"testing"

	"github.com/jackc/pgx/v5"
)

// Plans is how a statement is planned: "custom" for its arguments, "generic" for any. A
// connection uses one or the other, depending on what it did before.
type Plans string

// Force makes the rest of the transaction use these plans.
func (p Plans) Force(t testing.TB, tx querier) {
	t.Helper()
	_, err := tx.Exec(t.Context(), "select set_config('plan_cache_mode', $1, true)", "force_"+string(p)+"_plan")
	if err != nil {
		t.Fatal(err)
	}
}

// EachPlan runs a test of what statements read four times: while PostgreSQL knows nothing of the
// tables and after ANALYZE, with custom and with generic plans. What holds in all four follows from
// the statement and its indexes, and not from what one version estimates. The databases must be the
// test's own (Fresh). It is for one server only: a cluster counts reads on the nodes.
func EachPlan(t *testing.T, test func(t *testing.T, plans Plans), databases ...URLs) {
	t.Helper()
	OneServer(t)
	supers := make([]*pgx.Conn, len(databases))
	for i, urls := range databases {
		supers[i] = Heap(t, urls)
	}
	for _, known := range []struct {
		name string
		sql  []string
	}{{"no statistics", forgetSQL}, {"statistics", []string{"vacuum analyze"}}} {
		for _, super := range supers {
			for _, sql := range known.sql {
				_, err := super.Exec(t.Context(), sql)
				if err != nil {
					t.Fatalf("%s: %v", sql, err)
				}
			}
		}
		for _, plans := range []Plans{"custom", "generic"} {
			t.Run(known.name+", "+string(plans)+" plans", func(t *testing.T) { test(t, plans) })
		}
	}
}

// forgetSQL makes the tables as if nobody had looked at them yet: what ANALYZE and VACUUM
// write down is gone, and stays away.
var forgetSQL = []string{
	`do $$ declare name regclass; begin
		for name in select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' loop
			execute format('alter table %s set (autovacuum_enabled = false)', name);
		end loop;
	end $$`,
	"delete from pg_statistic where starelid >= 16384",
	"delete from pg_statistic_ext_data",
	"update pg_class set reltuples = -1, relpages = 0, relallvisible = 0 where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')",
}
