package migrations_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/migrations"
	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/cluster"
)

// A database that was filled on one machine is spread over several; a run that ends early goes on where it was.
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
}
