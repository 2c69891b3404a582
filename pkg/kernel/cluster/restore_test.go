package cluster_test

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/await"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/cluster"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/pgdev"
)

// All nodes of a cluster are lost while candidates save and tenants are made, and come back from their base backups and archives,
// at other places. Everything acknowledged before the mark is there, and nothing that began after it; the nodes fit each other,
// and saving goes on.
func TestAClusterIsRestoredToAMark(t *testing.T) {
	t.Parallel()
	own, urls := dbtest.OwnCluster(t)
	for _, node := range own.Nodes {
		keepLog(t, node)
	}
	store := dbtest.Open(t, db.Options{URL: urls.App, MaxConns: 8})
	super := connect(t, urls.Super)
	seats := sitOnBoth(t, store, super)
	var over atomic.Bool
	var wg sync.WaitGroup
	for _, s := range seats {
		wg.Go(func() { s.saveUntil(t, store, &over) })
	}
	// Rows that every node has are written on all nodes at once.
	wg.Go(func() {
		for !over.Load() {
			sample.Tenant(t, store)
		}
	})
	further(t, seats)
	var restored []*pgdev.Server
	for _, node := range own.Nodes {
		restored = append(restored, baseBackup(t, node, typed(t, "-c fast -X stream")))
	}
	further(t, seats)

	before := acknowledged(seats)
	run(t, super, typed(t, "select citus_create_restore_point('2031-01-02-03');"))
	after := acknowledged(seats)
	further(t, seats)
	over.Store(true)
	wg.Wait()
	run(t, super, typed(t, "select * from run_command_on_all_nodes('select pg_switch_wal()');"))
	for _, node := range own.Nodes {
		awaitLog(t, node)
	}
	store.Close()
	for _, node := range own.Nodes {
		lose(t, node)
	}

	for i, node := range restored {
		toMark(t, node, archive(own.Nodes[i]))
	}
	for _, node := range restored {
		awaitNode(t, node, "not pg_is_in_recovery()")
		run(t, connect(t, node.SuperURL("assess")), typed(t, "alter system reset recovery_target_name;"))
	}
	super = connect(t, restored[0].SuperURL("assess"))
	for i, node := range restored {
		standIn(t, super, own.Nodes[i], node)
	}
	healthy(t, restored[0])

	store = dbtest.Open(t, db.Options{URL: restored[0].AppURL("assess"), MaxConns: 8})
	for i, s := range seats {
		sequence, revision := s.saved(t, store)
		// One more may have been on its way each time.
		if sequence < before[i] || sequence > after[i]+1 {
			t.Errorf("answer %d was acknowledged before the mark, %d after it, and %d is there", before[i], after[i], sequence)
		}
		s.sequence.Store(sequence)
		s.revision = revision
	}
	fit(t, super, restored)
	over.Store(false)
	for _, s := range seats {
		wg.Go(func() { s.saveUntil(t, store, &over) })
	}
	further(t, seats)
	over.Store(true)
	wg.Wait()
	for _, s := range seats {
		s.check(t, store)
	}
	sit(t, store)
}

// A worker is lost while candidates save, and then the coordinator; the standby of each takes its place. A candidate who was told
// that an answer is saved finds it there, and the programs go on by themselves.
func TestAStandbyTakesThePlaceOfANode(t *testing.T) {
	t.Parallel()
	own, urls := dbtest.OwnCluster(t)
	coordinator, worker := own.Nodes[0], own.Nodes[1]
	coordinators, workers := standby(t, coordinator), standby(t, worker)
	store := dbtest.Open(t, db.Options{URL: either(t, coordinator, coordinators), MaxConns: 8, LockTimeout: 2 * time.Second})
	super := connect(t, urls.Super)
	seats := sitOnBoth(t, store, super)
	var over atomic.Bool
	var wg sync.WaitGroup
	for _, s := range seats {
		wg.Go(func() { s.saveUntil(t, store, &over) })
	}
	further(t, seats)

	lose(t, worker)
	promote(t, workers)
	standIn(t, super, worker, workers)
	further(t, seats)
	healthy(t, coordinator)

	lose(t, coordinator)
	promote(t, coordinators)
	super = connect(t, coordinators.SuperURL("assess"))
	standIn(t, super, coordinator, coordinators)
	further(t, seats)
	over.Store(true)
	wg.Wait()
	healthy(t, coordinators)
	for _, s := range seats {
		s.check(t, store)
		t.Logf("%d saves, the longest took %s; %d were sent again", s.sequence.Load(), s.longest.Round(time.Millisecond), s.failed)
	}
	sit(t, store)
	fit(t, super, []*pgdev.Server{coordinators, workers, own.Nodes[2]})
}

// standby gives a node a standby, for which each commit waits.
func standby(t *testing.T, node *pgdev.Server) *pgdev.Server {
	t.Helper()
	follows := baseBackup(t, node, typed(t, "-c fast -X stream -R -C -S standby"))
	if err := follows.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	run(t, connect(t, node.SuperURL("assess")), typed(t, "alter system set synchronous_standby_names = '*';"), typed(t, "select pg_reload_conf();"))
	awaitNode(t, node, "exists (select from pg_stat_replication where sync_state = 'sync')")
	return follows
}

// either is the URL by which the programs find the coordinator, or the standby that took its place.
func either(t *testing.T, coordinator, standby *pgdev.Server) string {
	t.Helper()
	u, err := url.Parse(coordinator.AppURL("assess"))
	if err != nil {
		t.Fatal(err)
	}
	name, value, _ := strings.Cut(typed(t, "target_session_attrs=read-write"), "=")
	words := u.Query()
	words.Set("host", host(t, coordinator)+","+host(t, standby))
	words.Set("port", "5432,5432")
	words.Set(name, value)
	u.RawQuery = words.Encode()
	return u.String()
}

func promote(t *testing.T, node *pgdev.Server) {
	t.Helper()
	run(t, connect(t, node.SuperURL("assess")), typed(t, "select pg_promote();"))
}

// typed takes a piece of a command from the page for operators, which must have it, and gives it with other words.
func typed(t *testing.T, command string, words ...string) string {
	t.Helper()
	page, err := os.ReadFile("../../../docs/scale.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), command) {
		t.Errorf("docs/scale.md does not say %s", command)
	}
	return strings.NewReplacer(words...).Replace(command)
}

func run(t *testing.T, conn *pgx.Conn, statements ...string) {
	t.Helper()
	for _, statement := range statements {
		_, err := conn.Exec(t.Context(), statement)
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// archive is the folder to which a node copies its log; it stays when the node is lost.
func archive(node *pgdev.Server) string { return node.Home() + "-archive" }

func keepLog(t *testing.T, node *pgdev.Server) {
	t.Helper()
	err := os.Mkdir(archive(node), 0o777)
	if err == nil {
		err = os.Chmod(archive(node), 0o777) // PostgreSQL may run as another account
	}
	if err != nil {
		t.Fatal(err)
	}
	run(t, connect(t, node.SuperURL("assess")),
		typed(t, "alter system set archive_mode = on;"),
		typed(t, "alter system set archive_command = 'test ! -f /archive/%f && cp %p /archive/%f';", "/archive", archive(node)))
	if err := node.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// awaitLog waits until all that was written is in the archive.
func awaitLog(t *testing.T, node *pgdev.Server) {
	t.Helper()
	var last string
	err := connect(t, node.SuperURL("assess")).QueryRow(t.Context(), "select pg_walfile_name(pg_switch_wal())").Scan(&last)
	if err != nil {
		t.Fatal(err)
	}
	awaitNode(t, node, "(select last_archived_wal >= '"+last+"' from pg_stat_archiver)")
}

// baseBackup gives the server of the copy, which is not started, and ends it after the test.
func baseBackup(t *testing.T, node *pgdev.Server, arguments string) *pgdev.Server {
	t.Helper()
	backup, err := node.BaseBackup(t.Context(), node.Home()+"-copy", strings.Fields(arguments)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := backup.Shutdown(context.WithoutCancel(t.Context()))
		if err != nil {
			t.Error(err)
		}
	})
	return backup
}

// lose ends a node, whose disk is gone too.
func lose(t *testing.T, node *pgdev.Server) {
	t.Helper()
	err := node.Kill()
	if err == nil {
		err = os.Rename(filepath.Join(node.Home(), "data"), filepath.Join(node.Home(), "lost"))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// toMark starts a node from its base backup and the archive of its log.
func toMark(t *testing.T, node *pgdev.Server, archive string) {
	t.Helper()
	settings := typed(t, "restore_command = 'cp /archive/%f %p'", "/archive", archive) + "\n" +
		typed(t, "recovery_target_name = '2031-01-02-03'") + "\n" +
		typed(t, "recovery_target_action = 'promote'") + "\n"
	data := filepath.Join(node.Home(), "data")
	file, err := os.OpenFile(filepath.Join(data, "postgresql.auto.conf"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	_, err = file.WriteString(settings)
	if err == nil {
		err = os.WriteFile(filepath.Join(data, "recovery.signal"), nil, 0o644)
	}
	if err == nil {
		err = node.Restart(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// standIn tells the coordinator that one node is there in place of another.
func standIn(t *testing.T, super *pgx.Conn, gone, node *pgdev.Server) {
	t.Helper()
	run(t, super, typed(t, "select citus_update_node(nodeid, 'db5.example.org', 5432) from pg_dist_node where nodename = 'db2.example.org';",
		"db5.example.org", host(t, node), "db2.example.org", host(t, gone)))
}

func host(t *testing.T, node *pgdev.Server) string {
	t.Helper()
	config, err := pgx.ParseConfig(node.SuperURL("assess"))
	if err != nil {
		t.Fatal(err)
	}
	return config.Host
}

// healthy waits until all nodes know of each other, and says what doctor says.
func healthy(t *testing.T, coordinator *pgdev.Server) {
	t.Helper()
	awaitNode(t, coordinator, "(select bool_and(metadatasynced) from pg_dist_node)")
	nodes, err := cluster.Examine(t.Context(), connect(t, coordinator.SuperURL("assess")))
	if err != nil || len(nodes) != 3 {
		t.Fatalf("%d nodes: %v", len(nodes), err)
	}
	for _, n := range nodes {
		if len(n.Problems) > 0 {
			t.Errorf("%s: %v", n, n.Problems)
		}
	}
}

// fit compares the nodes with each other: each knows the same tenants, and each tenant has the rows written with it.
func fit(t *testing.T, super *pgx.Conn, nodes []*pgdev.Server) {
	t.Helper()
	awaitNode(t, nodes[0], "not exists (select from run_command_on_all_nodes('select count(*) from pg_prepared_xacts') where result <> '0')")
	var tenants, whole int
	err := super.QueryRow(t.Context(), "select (select count(*) from tenants), (select count(distinct tenant_id) from org_units)").Scan(&tenants, &whole)
	if err != nil || tenants != whole || tenants < 3 {
		t.Errorf("%d tenants, %d with an org unit: %v", tenants, whole, err)
	}
	for _, node := range nodes {
		var there int
		err = connect(t, node.SuperURL("assess")).QueryRow(t.Context(), "select count(*) from tenants").Scan(&there)
		if err != nil || there != tenants {
			t.Errorf("%s knows %d of %d tenants: %v", node.Home(), there, tenants, err)
		}
	}
}

// sitOnBoth gives candidates on both workers.
func sitOnBoth(t *testing.T, store *db.Store, super *pgx.Conn) []*seat {
	t.Helper()
	var seats []*seat
	on := map[string]bool{}
	for len(on) < 2 || len(seats) < 4 {
		s := sit(t, store)
		seats = append(seats, s)
		var node string
		err := super.QueryRow(t.Context(), `select nodename from citus_shards
			where shardid = get_shard_id_for_distribution_column('sessions', $1::uuid)`, s.as.Tenant).Scan(&node)
		if err != nil {
			t.Fatal(err)
		}
		on[node] = true
	}
	return seats
}

func acknowledged(seats []*seat) []int64 {
	var all []int64
	for _, s := range seats {
		all = append(all, s.sequence.Load())
	}
	return all
}

// further waits until more was saved in each seat.
func further(t *testing.T, seats []*seat) {
	t.Helper()
	const more = 20
	for i, before := range acknowledged(seats) {
		await.Until(t, "more saves go through", func() bool { return seats[i].sequence.Load() >= before+more })
	}
}

// awaitNode asks a node until it says yes.
func awaitNode(t *testing.T, node *pgdev.Server, question string) {
	t.Helper()
	conn := connect(t, node.SuperURL("assess"))
	await.Until(t, question, func() bool {
		var yes bool
		err := conn.QueryRow(t.Context(), "select "+question).Scan(&yes)
		if err != nil {
			t.Fatalf("%s: %v", question, err)
		}
		return yes
	})
}
