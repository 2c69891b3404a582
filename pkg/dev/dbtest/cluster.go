package dbtest

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/migrations"
	"assess/pkg/kernel/cluster"
	"assess/pkg/kernel/pgdev"
)

// onCluster says that tests get databases that are spread over a coordinator and two workers; `make test-citus` sets it.
func onCluster() bool { return os.Getenv("ASSESS_TEST_CITUS") != "" }

// Spread gives one test an empty database of its own on all nodes of the cluster. Where tests run on one server, it
// skips.
func Spread(t testing.TB) URLs {
	t.Helper()
	if !onCluster() {
		t.Skip("this needs Citus: make test-citus")
	}
	s := need(t)
	s.mu.Lock()
	s.clones++
	name := fmt.Sprintf("%s%s_%d", clonePrefix, s.run, s.clones)
	s.mu.Unlock()
	t.Cleanup(func() {
		if err := s.drop(name); err != nil {
			t.Error(err)
		}
	})
	err := (&pgdev.Cluster{Nodes: s.nodes}).EnsureDatabase(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return s.urls(name)
}

// AllNodes lets a test's own statements in the rest of the transaction look on every node: they need not name the tenant.
func AllNodes(t testing.TB, tx querier) {
	t.Helper()
	if !onCluster() {
		return
	}
	_, err := tx.Exec(t.Context(), "set local citus.multi_task_query_log_level = 'off'")
	if err != nil {
		t.Fatal(err)
	}
}

// OneServer skips a test of what statements read, if tests run on a cluster: that reads on its nodes, in processes
// whose counters nobody here sees, and the plans there are the plans of one server.
func OneServer(t testing.TB) {
	t.Helper()
	if onCluster() {
		t.Skip("plans are tested on one server: make test")
	}
}

// OwnCluster gives a test a cluster of its own, whose nodes it may kill, with a database whose tables are distributed.
// Where tests run on one server, it skips.
func OwnCluster(t testing.TB) (*pgdev.Cluster, URLs) {
	t.Helper()
	if !onCluster() {
		t.Skip("this needs Citus: make test-citus")
	}
	// A socket's path has to be short, and the paths of t.TempDir are long.
	dir, err := os.MkdirTemp("", "citus-")
	if err == nil {
		t.Cleanup(func() { os.RemoveAll(dir) })
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	own, err := pgdev.StartCluster(t.Context(), pgdev.Options{Dir: dir, Durable: true,
		Settings: map[string]string{"citus.recover_2pc_interval": "2s"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := own.Shutdown(context.WithoutCancel(t.Context()))
		if err != nil {
			t.Error(err)
		}
	})
	s := &session{server: own.Coordinator(), nodes: own.Nodes, template: "assess"}
	if err := s.makeDistributed(t.Context()); err != nil {
		t.Fatal(err)
	}
	return own, s.urls(s.template)
}

func folderName() string {
	if onCluster() {
		return "citus"
	}
	return "test"
}

func startNodes(ctx context.Context, dir string) ([]*pgdev.Server, error) {
	return nodesOf(ctx, dir, pgdev.Start, pgdev.StartCluster)
}

func attachNodes(ctx context.Context, dir string) ([]*pgdev.Server, error) {
	return nodesOf(ctx, dir, pgdev.Attach, pgdev.AttachCluster)
}

func nodesOf(ctx context.Context, dir string, one func(context.Context, pgdev.Options) (*pgdev.Server, error),
	several func(context.Context, pgdev.Options) (*pgdev.Cluster, error)) ([]*pgdev.Server, error) {
	if onCluster() {
		c, err := several(ctx, pgdev.Options{Dir: dir})
		if err != nil {
			return nil, err
		}
		return c.Nodes, nil
	}
	s, err := one(ctx, pgdev.Options{Dir: dir})
	return []*pgdev.Server{s}, err
}

// makeDistributed makes the template on every node. Copies of it on all nodes are a distributed database again, since Citus
// keeps what it knows in the database, and finds the others by the name of the database and their folders.
func (s *session) makeDistributed(ctx context.Context) error {
	nodes := pgdev.Cluster{Nodes: s.nodes}
	if err := nodes.EnsureDatabase(ctx, s.template); err != nil {
		return err
	}
	if _, err := migrations.Up(ctx, s.server.OwnerURL(s.template)); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, s.server.SuperURL(s.template))
	if err != nil {
		return fmt.Errorf("distribute the test template: %w", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // the statements have committed
	err = cluster.Distribute(ctx, conn, func(cluster.Step) {})
	if err != nil {
		return err
	}
	return keepToOneNode(ctx, conn)
}

// overTenants are the functions of the schema that look over all tenants, and so over all nodes.
var overTenants = []string{"due_schedules", "idle_sessions", "lti_to_send", "lti_to_sync", "overdue_sessions", "projection_backlog", "stalled_remediations",
	"standing_compliance_jobs", "tenants_to_project", "tenants_to_sequence", "tenants_to_tell", "tenants_with_stale_percentiles", "tenants_with_stale_skills", "webhooks_to_send"}

// keepToOneNode makes Citus refuse everything else that the programs would do on more than one shard, so that every test
// that runs on a cluster shows that its statements touch one tenant.
//
// Once a connection has run a statement five times, PostgreSQL asks for the cost of a plan for any arguments. For a change
// that joins tables, Citus offers a plan over all shards at a cost that is never accepted; but that already counts as
// refused.
func keepToOneNode(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, "alter role assess set citus.multi_task_query_log_level = 'error'")
	if err == nil {
		_, err = conn.Exec(ctx, "alter role assess set plan_cache_mode = 'force_custom_plan'")
	}
	for _, name := range overTenants {
		if err == nil {
			_, err = conn.Exec(ctx, "alter function "+name+" set citus.multi_task_query_log_level = 'off'")
		}
	}
	return err
}
