package cli

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
)

// admin gives the desk the login of a superuser, or of somebody who is none.
func (d *desk) admin(url string) *desk {
	d.t.Helper()
	text, err := os.ReadFile(d.settings)
	if err == nil {
		err = os.WriteFile(d.settings, []byte(strings.Replace(string(text), "{url:", "{admin_url: '"+url+"', url:", 1)), 0o600)
	}
	if err != nil {
		d.t.Fatal(err)
	}
	return d
}

func TestDistributeSaysWhatItNeeds(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	one := deskOn(t, urls)
	one.say("distribute --dry-run", "distribute --node worker1", "distribute -o json")
	one.admin(urls.Owner).say("distribute --dry-run")
	away := deskOn(t, urls).admin("postgres://root:hunter2@127.0.0.1:1/assess")
	got := away.run("distribute --dry-run")
	if got.exit != exitFailed || !strings.Contains(got.err.String(), "cannot connect") || strings.Contains(got.err.String(), "hunter2") {
		t.Errorf("exit %d, stderr %q", got.exit, &got.err)
	}
	one.check("distribute.txt")
}

func TestTenantsOfOneMachineHaveNoPlace(t *testing.T) {
	t.Parallel()
	if os.Getenv("ASSESS_TEST_CITUS") != "" {
		t.Skip("the server has Citus")
	}
	urls := dbtest.Fresh(t)
	d := deskOn(t, urls)
	d.must("tenant create northwind --name Northwind")
	d.say("tenant place northwind --alone", "tenant place northwind")
	d.admin(urls.Super).say("tenant place northwind --alone --yes", "tenant move northwind --node worker1:5432 --yes", "tenant move northwind",
		"tenant move northwind --node worker1 --yes", "tenant place westwind --alone --yes -o json")
	d.check("tenant_place.txt")
}

func TestDistributeNeedsCitus(t *testing.T) {
	t.Parallel()
	if os.Getenv("ASSESS_TEST_CITUS") != "" {
		t.Skip("the server has Citus")
	}
	urls := dbtest.Fresh(t)
	d := deskOn(t, urls).admin(urls.Super)
	for _, line := range []string{"distribute --dry-run", "distribute --yes --node worker1:5432"} {
		got := d.run(line)
		if got.exit != exitFailed || !strings.Contains(got.err.String(), "create extension citus") || got.out.Len() > 0 {
			t.Errorf("%s: exit %d, stderr %q", line, got.exit, &got.err)
		}
	}
}

// A dry run prints the same as the run does, and a further run has nothing left to do. Then tenants can be placed, and
// doctor knows the nodes.
func TestDistribute(t *testing.T) {
	t.Parallel()
	urls := dbtest.Spread(t)
	d := deskOn(t, urls).admin(urls.Super)
	d.must("migrate")
	for _, slug := range []string{"northwind", "southwind", "eastwind"} {
		d.must("tenant create " + slug + " --name " + strings.ToUpper(slug[:1]) + slug[1:])
	}
	workers := d.leave()

	dry := d.must("distribute --dry-run -o json --node " + workers[0] + " --node " + workers[1])
	var plan Distributed
	err := json.Unmarshal([]byte(dry), &plan)
	if err != nil {
		t.Fatal(err)
	}
	if tablesOf(plan.Steps) < 140 || len(plan.Joined) != 2 {
		t.Errorf("a dry run places %d tables on %d new nodes", tablesOf(plan.Steps), len(plan.Joined))
	}
	if n := d.count("select count(*) from pg_dist_partition") + d.count("select count(*) from pg_dist_node where groupid > 0"); n > 0 {
		t.Errorf("a dry run left %d tables and nodes", n)
	}
	if got := d.run("distribute --yes"); got.exit != exitFailed || !strings.Contains(got.out.String(), "the cluster has no workers") {
		t.Errorf("without workers: exit %d\n%s", got.exit, &got.out)
	}
	if got := d.run("distribute --node " + workers[0]); got.exit != exitUsage || !strings.Contains(got.err.String(), "--yes") {
		t.Errorf("nobody said yes: exit %d, stderr %q", got.exit, &got.err)
	}
	program, err := pgx.Connect(t.Context(), urls.App)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.run("distribute --yes --node " + workers[0]); got.exit != exitFailed || !strings.Contains(got.out.String(), "stop every assessd") {
		t.Errorf("beside a program: exit %d\n%s", got.exit, &got.out)
	}
	program.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // nothing hangs on it
	if n := d.count("select count(*) from pg_dist_partition"); n > 0 {
		t.Errorf("what was refused left %d tables", n)
	}

	done := d.must("distribute --yes -o json --node " + workers[0] + " --node " + workers[1])
	if done != dry {
		t.Errorf("the run did something else than the dry run said:\n%s", done)
	}
	again := d.run("distribute --yes --node " + workers[0])
	if again.exit != exitDone || again.out.Len() > 0 || !strings.Contains(again.err.String(), "Every table has its place.") {
		t.Errorf("again: exit %d\n%s%s", again.exit, &again.out, &again.err)
	}
	d.tenantsGetTheirPlaces()
	d.nodesAreExamined()
}

type place struct {
	Slug, Node string
	Alone      bool
	ShardGroup int
}

func (d *desk) places(line string) []place {
	d.t.Helper()
	var found []place
	if err := json.Unmarshal([]byte(d.must(line+" -o json")), &found); err != nil {
		d.t.Fatal(err)
	}
	return found
}

// A tenant that shares its shards gets its own, and moves without the others to the other worker and back.
func (d *desk) tenantsGetTheirPlaces() {
	d.t.Helper()
	before := d.places("tenant list")
	if len(before) != 3 || before[0].Alone || before[0].ShardGroup == 0 {
		d.t.Fatalf("placed are %+v", before)
	}
	if dry := d.places("tenant place northwind --alone --dry-run"); dry[0].Alone {
		d.t.Errorf("after a dry run: %+v", dry)
	}
	alone := d.places("tenant place northwind --alone --yes")
	if len(alone) != 1 || !alone[0].Alone || alone[0].Node != before[0].Node || alone[0].ShardGroup == before[0].ShardGroup {
		d.t.Errorf("alone: %+v, before: %+v", alone, before[0])
	}
	again := d.run("tenant place northwind --alone --yes")
	if again.exit != exitDone || !strings.Contains(again.err.String(), "lies alone already") {
		d.t.Errorf("alone once more: exit %d, stderr %q", again.exit, &again.err)
	}
	other := d.otherThan(alone[0].Node)
	if got := d.run("tenant move northwind --node nowhere:5432 --yes"); got.exit != exitUsage || !strings.Contains(got.err.String(), other) {
		d.t.Errorf("to no worker: exit %d, stderr %q", got.exit, &got.err)
	}
	if got := d.run("tenant move westwind --yes --node " + other); got.exit != exitNotFound {
		d.t.Errorf("a tenant that is not there: exit %d", got.exit)
	}
	if dry := d.places("tenant move northwind --dry-run --node " + other); dry[0].Node == other {
		d.t.Errorf("after a dry run: %+v", dry)
	}
	for _, to := range []string{other, other, before[0].Node} {
		if moved := d.places("tenant move northwind --yes --node " + to); len(moved) != 1 || moved[0].Node != to {
			d.t.Errorf("moved to %s: %+v", to, moved)
		}
	}
	if n := d.count("select count(*) from ledger_events where event_type in ('tenant.moved', 'tenant.isolated')"); n != 3 {
		d.t.Errorf("the ledger has %d events of one isolation and two moves", n)
	}
	if shown := d.must("tenant show --tenant northwind"); !strings.Contains(shown, "Northwind") {
		d.t.Errorf("after the moves:\n%s", shown)
	}
}

func (d *desk) otherThan(node string) string {
	d.t.Helper()
	for _, p := range d.nodes() {
		if p != node {
			return p
		}
	}
	d.t.Fatal("there is one worker")
	return ""
}

func (d *desk) nodes() []string {
	d.t.Helper()
	var found []string
	d.asSuperuser(func(conn *pgx.Conn) error {
		rows, err := conn.Query(d.t.Context(), "select nodename || ':' || nodeport from pg_dist_node where groupid > 0 order by groupid")
		if err == nil {
			found, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		return err
	})
	return found
}

func (d *desk) asSuperuser(do func(*pgx.Conn) error) {
	d.t.Helper()
	conn, err := pgx.Connect(d.t.Context(), d.urls.Super)
	if err != nil {
		d.t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(d.t.Context())) //nolint:errcheck // nothing hangs on it
	if err := do(conn); err != nil {
		d.t.Fatal(err)
	}
}

// doctor knows the nodes, and finds a table that has no place, a setting that is off and a worker that does not answer.
func (d *desk) nodesAreExamined() {
	d.t.Helper()
	// doctor looks over all tenants, which tests refuse to everybody else.
	d.asSuperuser(func(conn *pgx.Conn) error {
		_, err := conn.Exec(d.t.Context(), "alter role assess in database "+d.urls.Name+" set citus.multi_task_query_log_level = 'off'")
		return err
	})
	workers, first := d.nodes(), " where groupid = (select min(groupid) from pg_dist_node where groupid > 0)"
	fine := d.must("doctor")
	for _, want := range []string{"ok       coordinator ", "ok       worker " + workers[0], "ok       worker " + workers[1], "every table has its place", "database.admin_url: can connect"} {
		if !strings.Contains(fine, want) {
			d.t.Errorf("%q is missing from:\n%s", want, fine)
		}
	}
	for _, tt := range []struct{ harm, mend, want string }{
		{"create table public.late (tenant_id uuid primary key)", "drop table public.late", "problem  places: 1 table with rows"},
		{"alter database " + d.urls.Name + " set citus.enable_unsafe_triggers = off", "alter database " + d.urls.Name + " reset citus.enable_unsafe_triggers", "citus.enable_unsafe_triggers is off"},
		{"alter role assess_owner bypassrls", "alter role assess_owner nobypassrls", "row-level security does not bind assess_owner"},
		{"update pg_dist_node set nodeport = 1" + first, "update pg_dist_node set nodeport = 5432" + first, "does not answer"},
	} {
		d.asSuperuser(func(conn *pgx.Conn) error { _, err := conn.Exec(d.t.Context(), tt.harm); return err })
		got := d.run("doctor")
		if got.exit != exitFailed || !strings.Contains(got.out.String(), tt.want) {
			d.t.Errorf("%q is missing from:\n%s", tt.want, &got.out)
		}
		d.asSuperuser(func(conn *pgx.Conn) error { _, err := conn.Exec(d.t.Context(), tt.mend); return err })
	}
	d.must("doctor")
}

// leave takes the workers out of the cluster before anything lies on them.
func (d *desk) leave() []string {
	d.t.Helper()
	left := d.nodes()
	d.asSuperuser(func(conn *pgx.Conn) error {
		_, err := conn.Exec(d.t.Context(), "select citus_remove_node(nodename, nodeport) from pg_dist_node where groupid > 0")
		return err
	})
	return left
}
