package migrations_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"

	"assess/migrations"
	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/cluster"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// A database that was filled on one machine is spread over several; a run that ends early continues where it was.
func TestAFilledDatabaseIsDistributed(t *testing.T) {
	t.Parallel()
	urls := dbtest.Spread(t)
	up(t, urls, migrations.All()[:strings.Count(frozen, "\n")])
	super := dbtest.Heap(t, urls)
	load(t, super)
	up(t, urls, migrations.All())
	before := rows(t, super)

	some := 0
	ctx, stop := context.WithCancel(t.Context())
	broken, err := pgx.Connect(t.Context(), urls.Super)
	if err != nil {
		t.Fatal(err)
	}
	err = cluster.Distribute(ctx, broken, func(cluster.Step) {
		some++
		if some == 40 {
			stop()
		}
	})
	if err == nil || some != 40 {
		t.Fatalf("after %d steps: %v", some, err)
	}
	conn, err := pgx.Connect(t.Context(), urls.Super)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background()) //nolint:errcheck // nothing hangs on it
	err = cluster.Distribute(t.Context(), conn, func(s cluster.Step) { some++ })
	if err != nil {
		t.Fatal(err)
	}
	steps, err := cluster.Plan(t.Context(), conn)
	if err != nil || len(steps) != 0 {
		t.Errorf("left after %d steps: %v (%v)", some, steps, err)
	}
	after := rows(t, conn)
	for table, n := range before {
		if after[table] != n {
			t.Errorf("%s has %d rows, and had %d", table, after[table], n)
		}
	}
	var left int
	err = conn.QueryRow(t.Context(), "select count(*) from pg_dist_partition where partmethod = 'h' and pg_relation_size(logicalrelid) > 0").Scan(&left)
	if err != nil || left != 0 {
		t.Errorf("%d tables keep rows on the coordinator (%v)", left, err)
	}
	var nodes int
	err = conn.QueryRow(t.Context(), "select count(distinct nodename) from citus_shards where citus_table_type = 'distributed'").Scan(&nodes)
	if err != nil || nodes != 2 {
		t.Errorf("shards lie on %d nodes (%v)", nodes, err)
	}
	t.Run("and migrated", func(t *testing.T) { goesFurther(t, urls, conn, before["facets"]) })
}

// further has changes of the schema that future files may make.
const further = `
alter table facets add column extra text not null default 'there';
alter table facets add constraint facets_extra check (extra <> '');
create index facets_extra on facets (tenant_id, extra);
drop policy scope on facets;
create policy scope on facets to assess_app using (tenant_id = scope_tenant()) with check (tenant_id = scope_tenant());
create table extras (
    tenant_id   uuid not null references tenants,
    id          uuid not null,
    org_unit_id uuid not null,
    facet_id    uuid not null,
    primary key (tenant_id, id),
    foreign key (tenant_id, org_unit_id) references org_units (tenant_id, id),
    foreign key (tenant_id, facet_id) references facets (tenant_id, id)
);
create index extras_by_facet on extras (tenant_id, facet_id);
call protect('extras', 'org', 'select, insert, delete');
call append_only('extras');
create function extras_of(facet uuid) returns bigint language plpgsql stable as $$
declare
    tenant constant uuid := public.scope_tenant();
begin
    return (select count(*) from public.extras where tenant_id = tenant and facet_id = facet);
end $$;
create trigger facets_stay before delete on facets for each row execute function refuse_change();
`

// goesFurther checks that a distributed database does the same as one machine with a new file: its tables get their place,
// and rows that are written to them are kept apart by tenant.
func goesFurther(t *testing.T, urls dbtest.URLs, conn *pgx.Conn, facets int) {
	extra, err := migrations.Read(fstest.MapFS{"9999_further.tx.up.sql": {Data: []byte(further)}})
	if err != nil {
		t.Fatal(err)
	}
	newest := append(slices.Clone(migrations.All()), extra...)
	if applied := up(t, urls, newest); !slices.Equal(applied, []string{"9999_further"}) {
		t.Errorf("applied %v", applied)
	}
	var there int
	if err := conn.QueryRow(t.Context(), "select count(*) from facets where extra = 'there'").Scan(&there); err != nil || there != facets {
		t.Errorf("the new column reached %d rows of %d (%v)", there, facets, err)
	}
	steps, err := cluster.Plan(t.Context(), conn)
	if err != nil || len(steps) != 0 {
		t.Errorf("without a place: %v (%v)", steps, err)
	}
	store := dbtest.Open(t, db.Options{URL: urls.App})
	if err := store.Ready(t.Context(), newest); err != nil {
		t.Error(err)
	}
	var tenant, unit, facet ids.ID
	err = conn.QueryRow(t.Context(), "select u.tenant_id, u.id, f.id from org_units u join facets f on f.tenant_id = u.tenant_id limit 1").Scan(&tenant, &unit, &facet)
	if err != nil {
		t.Fatal(err)
	}
	mine := db.Scope{Tenant: tenant, OrgUnit: unit, Actor: db.Actor{Kind: db.SystemActor, Name: "test"}}
	err = store.Write(t.Context(), mine, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "insert into extras (tenant_id, id, org_unit_id, facet_id) values ($1, $2, $3, $2)", tenant, facet, unit)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	other := mine
	other.Tenant = ids.New()
	for _, c := range []struct {
		scope db.Scope
		want  int
	}{{mine, 1}, {other, 0}} {
		err := store.Read(t.Context(), c.scope, func(tx *db.Tx) error {
			var n int
			err := tx.QueryRow(t.Context(), "select extras_of($1)", facet).Scan(&n)
			if n != c.want {
				t.Errorf("found %d, want %d", n, c.want)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	err = store.Write(t.Context(), mine, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "delete from extras where tenant_id = $1", tenant)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "append-only") {
		t.Errorf("a row of a table that only grows: %v", err)
	}
}
