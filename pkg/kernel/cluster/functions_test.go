package cluster_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// ofPrograms are the functions of the schema that the programs may call, each with nulls for its arguments.
const ofPrograms = `
select format('select public.%I(%s)', proname,
	(select string_agg('null::' || format_type(a, null), ', ' order by n) from unnest(proargtypes::oid[]) with ordinality x (a, n)))
from pg_proc p where pronamespace = 'public'::regnamespace and prokind = 'f' and prorettype <> 'trigger'::regtype
and has_function_privilege('assess', oid, 'execute')
and not exists (select from pg_depend e where e.classid = 'pg_proc'::regclass and e.objid = p.oid and e.deptype = 'e')
order by 1`

// A function whose statement Citus cannot plan is refused when it is called, not when it is made.
func TestEveryFunctionRunsWhereverRowsLie(t *testing.T) {
	t.Parallel()
	urls := dbtest.Clone(t)
	store := dbtest.Open(t, db.Options{URL: urls.App})
	rows, err := connect(t, urls.Super).Query(t.Context(), ofPrograms)
	if err != nil {
		t.Fatal(err)
	}
	calls, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(calls) < 25 {
		t.Fatalf("only %v (%v)", calls, err)
	}
	for _, call := range calls {
		err = store.Write(t.Context(), db.System(ids.New(), "test"), func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), call)
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", call, err)
		}
	}
}

// All that the programs do in tests on a cluster is held to this: a statement goes to the node of its tenant, or is refused.
func TestAStatementOverSeveralNodesIsRefused(t *testing.T) {
	t.Parallel()
	dbtest.Spread(t)
	store := dbtest.Open(t, db.Options{URL: dbtest.Clone(t).App})
	for sql, refused := range map[string]bool{
		"select count(*) from users":                                  true,
		"update users set name = name":                                true,
		"select count(*) from users where tenant_id = scope_tenant()": true,
		"select count(*) from users where tenant_id = $1":             false,
		"select count(*) from tenants":                                false,
	} {
		err := store.Write(t.Context(), db.System(ids.New(), "test"), func(tx *db.Tx) error {
			args := []any{tx.Tenant()}
			if !strings.Contains(sql, "$1") {
				args = nil
			}
			_, err := tx.Exec(t.Context(), sql, args...)
			return err
		})
		if got := err != nil; got != refused {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
