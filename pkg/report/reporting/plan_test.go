package reporting

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Among twenty thousand questions a page of each order comes out of an index in order.
func TestOrdersUseIndexes(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App})
	tenant, org := ids.New(), ids.New()
	err := store.Write(t.Context(), db.System(tenant, "test"), func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `
			insert into report_question_health_rollup (tenant_id, org_unit_id, question_version_id, qtype, attempts_n, omit_rate,
				attention_rank, drift, last_computed_at)
			select $1, $2, gen_random_uuid(), 'mcq', (random() * 1000)::int, random(), (random() * 30000)::int, random(), now()
			from generate_series(1, 20000)`, tenant, org)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	analyze(t, urls)
	for name, by := range orders {
		t.Run(name, func(t *testing.T) {
			scope := db.Scope{Tenant: tenant, OrgUnit: org}
			err := store.Report(t.Context(), scope, func(tx *db.Tx) error {
				rows, err := tx.Query(t.Context(), `explain select h.* from report_question_health_rollup h
					where h.tenant_id = $1 and h.org_unit_id in ($2) order by `+by.sql+` limit 25`, tenant, org)
				if err != nil {
					return err
				}
				lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
				plan := strings.Join(lines, "\n")
				if strings.Contains(plan, "Sort") || !strings.Contains(plan, "Index Scan") {
					t.Errorf("the page is sorted:\n%s", plan)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// analyze gathers statistics, which only the owner of the tables may.
func analyze(t *testing.T, urls dbtest.URLs) {
	t.Helper()
	owner, err := pgx.Connect(t.Context(), urls.Owner)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context())
	_, err = owner.Exec(t.Context(), "analyze report_question_health_rollup")
	if err != nil {
		t.Fatal(err)
	}
}
