package db_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
)

// A function that runs with the owner's rights looks for names where nobody else can put any,
// belongs to the owner, and is only for the programs.
func TestFunctionsWithTheOwnersRightsAreClosed(t *testing.T) {
	t.Parallel()
	for _, rule := range []struct{ name, broken string }{
		{"temporary tables come last", `not coalesce(proconfig, '{}') @> array['search_path=pg_catalog, public, pg_temp']`},
		{"the owner owns it", "proowner <> 'assess_owner'::regrole"},
		{"nobody but the programs may call it", `exists (select from aclexplode(coalesce(proacl, acldefault('f', proowner))) a
			where a.grantee not in ('assess_owner'::regrole, 'assess_app'::regrole))`},
	} {
		t.Run(rule.name, func(t *testing.T) {
			t.Parallel()
			if got := names(t, "select oid::regprocedure::text from pg_proc where prosecdef and "+rule.broken); len(got) > 0 {
				t.Errorf("broken by %v", got)
			}
		})
	}
}

// Since version 17 PostgreSQL computes statistics and indexes with only its own schema to look
// names up in. So functions that indexes, statistics, generated columns, checks and policies call
// have a body in which names were looked up once and for all.
func TestExpressionsNeedNoSearchPath(t *testing.T) {
	t.Parallel()
	for _, name := range names(t, `
		select distinct p.oid::regprocedure::text from pg_proc p
		join pg_depend d on d.refclassid = 'pg_proc'::regclass and d.refobjid = p.oid
		where p.pronamespace = 'public'::regnamespace and p.prosqlbody is null
		and d.classid in ('pg_class'::regclass, 'pg_attrdef'::regclass, 'pg_constraint'::regclass,
			'pg_policy'::regclass, 'pg_statistic_ext'::regclass)`) {
		t.Errorf("%s looks names up whenever it runs", name)
	}
}

// spying makes any code that reads a table of ours by an unqualified name call a function of
// the attacker: as a temporary view of each table's name, or of a name that a function reads.
const spying = `
create function pg_temp.spy() returns boolean language plpgsql as $$
begin
	if current_user <> session_user then
		raise exception 'the programs act as %', current_user;
	end if;
	return true;
end $$;
do $$
declare
	name text;
begin
	for name in select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' loop
		execute format('create temporary view %1$I as select t.* from (select pg_temp.spy() as seen) s left join public.%1$I t on s.seen', name);
		execute format('grant all on %I to public', name);
	end loop;
end $$`

// calls are all functions with the owner's rights, each with nulls for its arguments.
const calls = `
select format('select * from public.%I(%s)', proname,
	(select string_agg('null::' || format_type(a, null), ', ' order by n) from unnest(proargtypes::oid[]) with ordinality x (a, n)))
from pg_proc where prosecdef`

// A login that may make temporary tables, as everybody may by default, puts its own in the place
// of ours. Its functions must not run as the owner, who could switch the ledger's trigger off.
func TestTemporaryTablesOfTheCallerAreNotOurs(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	do(t, connect(t, urls.Super), "do $$ begin execute format('grant temporary on database %I to assess', current_database()); end $$")
	attacker := connect(t, urls.App)
	do(t, attacker, spying)
	all := names(t, calls)
	if len(all) < 15 {
		t.Fatalf("only %v", all)
	}
	for _, call := range all {
		_, err := attacker.Exec(t.Context(), call)
		if err != nil {
			t.Errorf("%s: %v", call, err)
		}
	}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) }) //nolint:errcheck // nothing hangs on it
	return conn
}

func do(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	_, err := conn.Exec(t.Context(), sql)
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", sql, err))
	}
}
