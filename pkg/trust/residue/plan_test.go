package residue

import (
	"cmp"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Rows of three tables, in key order, whose primary keys differ in length and in types.
var fillSQL = map[string]string{
	"session_events": `insert into session_events (tenant_id, session_id, id, org_unit_id, event_type, occurred_at)
		select $1, lpad(to_hex(g / 10), 32, '0')::uuid, lpad(to_hex(g), 32, '0')::uuid, $2, 'copy', now() from generate_series(1, $3::int) g`,
	"users": `insert into users (tenant_id, id, email, email_key, created_at, updated_at)
		select $1, lpad(to_hex(g), 32, '0')::uuid, g || '@example.org', g || '@example.org', now(), now()
		from generate_series(1, $3::int) g where $2::uuid is not null`,
	"compliance_artifacts": `insert into compliance_artifacts (tenant_id, job_id, name, media_type, size_bytes, sha256, created_at)
		select $1, lpad(to_hex(g / 10), 32, '0')::uuid, 'file ' || g, 'text/plain', 1, repeat('0', 64), now() from generate_series(1, $3::int) g where $2::uuid is not null`,
}

// A page begins behind the row that the one before ended with, however many rows come before that: whatever
// PostgreSQL knows of the tables, and however it plans.
func TestAPageReadsItsRowsAlone(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	const rows, limit = 20_000, 50
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App})
	scope := sample.Tenant(t, store)
	super := dbtest.Heap(t, urls)
	sample.DropChecks(t, super)
	for name, sql := range fillSQL {
		for _, tenant := range []ids.ID{scope.Tenant, ids.New()} {
			if _, err := super.Exec(t.Context(), sql, tenant, scope.OrgUnit, rows); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		err := store.Read(t.Context(), scope, func(tx *db.Tx) error {
			plans.Force(t, tx)
			tables, err := tablesOf(t.Context(), tx)
			for name := range fillSQL {
				of := tables[slices.IndexFunc(tables, func(x table) bool { return x.String() == name })]
				s := &scan{store: store, scope: scope, matcher: newMatcher([]Identifier{{Kind: Name, Value: "Mara Quist"}}), state: &State{}}
				s.in.Subject = ids.New()
				for _, place := range []string{"", "asc", "desc"} {
					s.state.After = nil
					if place != "" {
						s.state.After = keyAt(t, super, of, scope.Tenant, place, 3*limit)
					}
					read := dbtest.ReadsOf(t, tx, func() error { return s.page(t.Context(), tx, of, limit, &page{}) })[name]
					if read.ReadThrough || read.Rows > 2*limit || read.Blocks > 2*limit {
						t.Errorf("%s, %s: %+v", name, cmp.Or(place, "the first page"), read)
					}
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}, urls)
}

// keyAt gives the key of the row at an offset.
func keyAt(t *testing.T, super *pgx.Conn, of table, tenant ids.ID, direction string, offset int) []string {
	t.Helper()
	order, out := "", ""
	for i, key := range of.keys {
		if i > 0 {
			order, out = order+", ", out+", "
		}
		order, out = order+key+" "+direction, out+key+"::text"
	}
	var key []string
	err := super.QueryRow(t.Context(), "select array["+out+"] from "+of.name+" where tenant_id = $1 order by "+order+" limit 1 offset $2", tenant, offset).Scan(&key)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
