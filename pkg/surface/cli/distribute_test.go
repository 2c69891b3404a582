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

// What a dry run prints is what the run does, and what a further run has left is nothing.
func TestDistribute(t *testing.T) {
	t.Parallel()
	urls := dbtest.Spread(t)
	d := deskOn(t, urls).admin(urls.Super)
	d.must("migrate")
	d.must("tenant create northwind --name Northwind")
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
	if list := d.must("tenant list"); !strings.Contains(list, "northwind") {
		t.Errorf("after it:\n%s", list)
	}
}

// leave takes the workers out of the cluster before anything lies on them.
func (d *desk) leave() []string {
	d.t.Helper()
	conn, err := pgx.Connect(d.t.Context(), d.urls.Super)
	if err != nil {
		d.t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(d.t.Context()))
	rows, err := conn.Query(d.t.Context(), `select nodename || ':' || nodeport, citus_remove_node(nodename, nodeport)::text
		from pg_dist_node where groupid > 0 order by groupid`)
	if err != nil {
		d.t.Fatal(err)
	}
	var left []string
	var name string
	_, err = pgx.ForEachRow(rows, []any{&name, nil}, func() error {
		left = append(left, name)
		return nil
	})
	if err != nil || len(left) != 2 {
		d.t.Fatalf("left %v: %v", left, err)
	}
	return left
}
