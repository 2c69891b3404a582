package db_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/capability"
)

// tenantOwned lists every table of ours that holds rows of a tenant; the others are
// named in notTenantOwned with the reason.
const tenantOwned = `
	select c.oid, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
	where n.nspname = 'public' and c.relkind in ('r', 'p')
	and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped)`

var notTenantOwned = []string{
	"applied_migrations", // the migrations' own
	"capabilities",       // words
	"rate_limits",        // hashed keys, before a scope exists
	"signing_keys",       // one ring for the installation
	"tenants",            // the tenant itself: its key is id, under a policy of its own
}

func TestEveryTenantOwnedTableIsProtected(t *testing.T) {
	t.Parallel()
	for _, rule := range []struct{ name, broken string }{
		{"row-level security is enabled and forced", `
			select relname::text from pg_class where oid in (select oid from owned) and not (relrowsecurity and relforcerowsecurity)`},
		{"a policy binds the programs on both reading and writing", `
			select o.relname::text from owned o where not exists (
				select from pg_policy p where p.polrelid = o.oid and p.polcmd = '*' and p.polpermissive
				and p.polroles = array['assess_app'::regrole::oid]
				and pg_get_expr(p.polqual, p.polrelid) ~ '^\(+tenant_id = scope_tenant\(\)\)'
				and pg_get_expr(p.polwithcheck, p.polrelid) = pg_get_expr(p.polqual, p.polrelid))`},
		{"no second policy lets the programs in", `
			select p.polname || ' on ' || o.relname from pg_policy p join owned o on o.oid = p.polrelid
			where (p.polroles && array['assess_app'::regrole::oid, 0::oid]) and p.polname <> 'scope'`},
		{"a table with an org unit has a policy on it", `
			select o.relname::text from owned o
			where exists (select from pg_attribute a where a.attrelid = o.oid and a.attname = 'org_unit_id' and a.attnotnull)
			and o.relname not in ('user_org_units', 'libraries') -- of libraries, those that are offered are for everybody
			and not exists (select from pg_policy p where p.polrelid = o.oid
				and pg_get_expr(p.polqual, p.polrelid) = '((tenant_id = scope_tenant()) AND COALESCE((org_unit_id = scope_org_unit()), true))')`},
		{"no policy has a sub-select, which Citus refuses", `
			select p.polname || ' on ' || o.relname from pg_policy p join owned o on o.oid = p.polrelid
			where coalesce(pg_get_expr(p.polqual, p.polrelid), '') || coalesce(pg_get_expr(p.polwithcheck, p.polrelid), '') ~* '\mselect\M'`},
		{"the primary key starts with the tenant", `
			select o.relname::text from owned o where not exists (
				select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
				where i.indrelid = o.oid and i.indisprimary and a.attname = 'tenant_id')`},
		{"a foreign key between tenant-owned tables holds the tenant on both sides", `
			select c.conname || ' on ' || o.relname from pg_constraint c
			join owned o on o.oid = c.conrelid join owned f on f.oid = c.confrelid
			where c.contype = 'f' and not exists (
				select from generate_subscripts(c.conkey, 1) k
				join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[k]
				join pg_attribute b on b.attrelid = c.confrelid and b.attnum = c.confkey[k]
				where a.attname = 'tenant_id' and b.attname = 'tenant_id')`},
		{"the programs own nothing and cannot truncate", `
			select o.relname::text from owned o join pg_class c on c.oid = o.oid
			where c.relowner = 'assess'::regrole or has_table_privilege('assess', o.oid, 'truncate')`},
	} {
		t.Run(rule.name, func(t *testing.T) {
			t.Parallel()
			if got := names(t, "with owned as ("+tenantOwned+") "+rule.broken); len(got) > 0 {
				t.Errorf("broken by %v", got)
			}
		})
	}
}

// Published content never changes. A new table is looked at if it is named as a snapshot or as versions.
func TestFrozenContentRefusesChanges(t *testing.T) {
	t.Parallel()
	for event, bit := range map[string]string{"update": "16", "delete": "8"} {
		got := names(t, `
			select c.relname::text from pg_class c
			where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
			and c.relname ~ '^(version_snapshots|snapshot_.*|library_(contents|files|revisions|entries)|.*_versions)$'
			and c.relname <> 'library_copied_versions' -- says where a version came from, and goes with it
			and (has_table_privilege('assess_app', c.oid, '`+event+`') or c.relname ~ 'snapshot')
			and not exists (select from pg_trigger t join pg_proc p on p.oid = t.tgfoid
				where t.tgrelid = c.oid and t.tgenabled in ('O', 'A') and t.tgtype::int & 3 = 3 and t.tgtype::int & `+bit+` > 0 and p.proname like 'refuse\_%')
			order by 1`)
		if len(got) > 0 {
			t.Errorf("%s: nothing refuses it on %v", event, got)
		}
	}
}

func TestTablesWithoutTenantAreNamed(t *testing.T) {
	t.Parallel()
	got := names(t, `select c.relname::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where n.nspname = 'public' and c.relkind in ('r', 'p')
		and c.oid not in (select oid from (`+tenantOwned+`) o) order by 1`)
	if diff := cmp.Diff(notTenantOwned, got); diff != "" {
		t.Error(diff)
	}
}

// Citus keeps a table apart by tenant only if each of its unique keys holds the tenant. These need
// not: their tables are of nobody, and stay whole on every machine.
func TestUniqueKeysHoldTheTenant(t *testing.T) {
	t.Parallel()
	got := names(t, `select i.indexrelid::regclass::text from pg_index i join pg_class c on c.oid = i.indrelid
		where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and i.indisunique and not exists (
			select from pg_attribute a where a.attrelid = i.indrelid and a.attnum = i.indkey[0] and a.attname = 'tenant_id') order by 1`)
	want := []string{
		"applied_migrations_pkey",          // the migrations' own
		"capabilities_pkey",                // words, the same for every tenant
		"rate_limits_pkey",                 // a hash, of an address too, before a tenant is known
		"signing_keys_pkey",                // one ring for the installation
		"tenants_pkey", "tenants_slug_key", // the tenant itself, found by its slug
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A table refers only to tables that were made before it, so that they can be distributed in this
// order. Only these keys are added when both tables are there, as a record and its versions refer
// to each other.
func TestTablesReferToEarlierOnes(t *testing.T) {
	t.Parallel()
	got := names(t, `select conname::text from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace
		and (confrelid > conrelid or condeferrable) order by 1`)
	want := []string{"assets_tenant_id_current_id_fkey",
		"evaluations_tenant_id_draft_id_fkey", "evaluations_tenant_id_published_id_fkey",
		"magic_links_tenant_id_assignment_id_fkey",
		"passages_tenant_id_draft_id_fkey", "passages_tenant_id_published_id_fkey",
		"question_versions_passage",
		"questions_tenant_id_draft_id_fkey", "questions_tenant_id_published_id_fkey",
		"skill_mapping_sets_tenant_id_active_version_id_fkey", "skills_tenant_id_current_version_id_fkey"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEveryForeignKeyHasAnIndex(t *testing.T) {
	t.Parallel()
	got := names(t, `select conrelid::regclass || ': ' || conname from pg_constraint c
		join pg_class r on r.oid = c.conrelid
		where c.contype = 'f' and c.confrelid not in ('tenants'::regclass, 'capabilities'::regclass, 'org_units'::regclass)
		and c.conrelid::regclass::text not like 'river.%'
		and not exists (select from pg_index i where i.indrelid = c.conrelid
			and (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey)
		and conname not like '%_draft_id_fkey' and conname not like '%_published_id_fkey' and conname not like '%_snapshot_hash_fkey'`)
	if len(got) > 0 {
		t.Errorf("deleting the other side would scan these tables: %v", got)
	}
}

func TestSeededCapabilitiesAreThoseOfTheCode(t *testing.T) {
	t.Parallel()
	var want []string
	for _, e := range capability.All {
		want = append(want, string(e.Capability))
	}
	got := names(t, "select name from capabilities")
	less := func(a, b string) bool { return a < b }
	if diff := cmp.Diff(want, got, sortStrings(less)); diff != "" {
		t.Error(diff)
	}
}

func TestLookupFunctionsAreNarrow(t *testing.T) {
	t.Parallel()
	got := names(t, "select proname::text from pg_proc where prosecdef and has_function_privilege('assess', oid, 'execute') order by 1")
	want := []string{"all_tenants", "asset_uses",
		"due_schedules", "find_exceptions",
		"find_users", "idle_sessions", "library_lineage", "lti_to_send", "lti_to_sync", "open_requests", "overdue_sessions", "projection_backlog",
		"search_evaluations", "search_passages", "search_questions", "stalled_remediations",
		"standing_compliance_jobs", "tenant_by_slug", "tenants_to_project",
		"tenants_to_sequence", "tenants_to_tell", "tenants_with_stale_percentiles", "tenants_with_stale_skills", "webhooks_to_send"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func names(t *testing.T, sql string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dbtest.Clone(t).Super)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // only read from
	rows, err := conn.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return got
}
