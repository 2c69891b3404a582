package pgdev_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/pgdev"
)

func TestStartGivesClosedServerWithRoles(t *testing.T) {
	t.Parallel()
	server := start(t, pgdev.Options{Dir: folder(t)})
	conn := connect(t, server.SuperURL("postgres"))

	type role struct {
		Name                     string
		Login, Superuser, Bypass bool
	}
	rows, err := conn.Query(t.Context(), `select rolname, rolcanlogin, rolsuper, rolbypassrls
		from pg_roles where rolname like 'assess%' or rolname = 'postgres' order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := pgx.CollectRows(rows, pgx.RowToStructByPos[role])
	if err != nil {
		t.Fatal(err)
	}
	want := []role{
		{"assess", true, false, false},
		{"assess_app", false, false, false},
		{"assess_owner", true, false, false},
		{"postgres", true, true, true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("roles (-want +got):\n%s", diff)
	}
	if got := query(t, conn, "show listen_addresses"); got != "" {
		t.Errorf("listens on %q, want no network address", got)
	}
	if got := query(t, conn, "select pg_has_role('assess', 'assess_app', 'member')::text"); got != "true" {
		t.Error("assess is not a member of assess_app")
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		options pgdev.Options
		want    map[string]string
	}{
		{"volatile", pgdev.Options{}, map[string]string{"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}},
		{"durable", pgdev.Options{Durable: true}, map[string]string{"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "data_checksums": "on"}},
		{"overridden", pgdev.Options{Settings: map[string]string{"work_mem": "7MB", "fsync": "on"}}, map[string]string{"work_mem": "7MB", "fsync": "on"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.options.Dir = folder(t)
			conn := connect(t, start(t, test.options).SuperURL("postgres"))
			got := map[string]string{}
			for name := range test.want {
				got[name] = query(t, conn, "show "+name)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSecondStartReusesServerAndStopLeavesItRunning(t *testing.T) {
	t.Parallel()
	options := pgdev.Options{Dir: folder(t)}
	first := start(t, options)
	second := start(t, options)
	if !first.Started() || second.Started() {
		t.Fatalf("started: first %v, second %v; want true, false", first.Started(), second.Started())
	}
	if err := second.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	connect(t, first.SuperURL("postgres"))

	attached, err := pgdev.Attach(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	if err := attached.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := pgdev.Attach(t.Context(), options); !errors.Is(err, pgdev.ErrNotRunning) {
		t.Errorf("Attach after Shutdown: got %v, want ErrNotRunning", err)
	}
}

func TestStopAndStartKeepData(t *testing.T) {
	t.Parallel()
	options := pgdev.Options{Dir: folder(t)}
	first := start(t, options)
	exec(t, first, "create table kept as select 42 as n")
	if err := first.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := start(t, options)
	if got := query(t, connect(t, second.SuperURL("postgres")), "select n::text from kept"); got != "42" {
		t.Errorf("got %s, want 42", got)
	}
}

func TestConcurrentStartsShareOneServer(t *testing.T) {
	t.Parallel()
	options := pgdev.Options{Dir: folder(t)}
	servers := make([]*pgdev.Server, 5)
	var wait sync.WaitGroup
	for i := range servers {
		wait.Go(func() {
			server, err := pgdev.Start(t.Context(), options)
			if err != nil {
				t.Errorf("start %d: %v", i, err)
			}
			servers[i] = server
		})
	}
	wait.Wait()
	if t.Failed() {
		return
	}
	t.Cleanup(func() { end(t, servers[0]) })
	started := 0
	for _, server := range servers {
		connect(t, server.SuperURL("postgres"))
		if server.Started() {
			started++
		}
	}
	if started != 1 {
		t.Errorf("%d calls started a server, want 1", started)
	}
}

func TestTwoFoldersAreTwoServers(t *testing.T) {
	t.Parallel()
	one, two := start(t, pgdev.Options{Dir: folder(t)}), start(t, pgdev.Options{Dir: folder(t)})
	exec(t, one, "create table only_here()")
	if got := query(t, connect(t, two.SuperURL("postgres")), "select (to_regclass('only_here') is null)::text"); got != "true" {
		t.Error("the second server sees a table of the first")
	}
}

func TestFolderThatIsLongAndClosed(t *testing.T) {
	t.Parallel()
	// The folders of testing are closed to other accounts: root has to move elsewhere.
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 30))
	server := start(t, pgdev.Options{Dir: dir})
	connect(t, server.SuperURL("postgres"))
	if got, want := server.Home() != dir, os.Geteuid() == 0; got != want {
		t.Errorf("home %s moved away from %s: %v, want %v", server.Home(), dir, got, want)
	}
}

func TestStartObeysContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	options := pgdev.Options{Dir: folder(t)}
	if _, err := pgdev.Start(ctx, options); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if _, err := pgdev.Attach(t.Context(), options); !errors.Is(err, pgdev.ErrNotRunning) {
		t.Errorf("a failed start left a server: %v", err)
	}
}

func TestStartNamesTheReasonFromTheLog(t *testing.T) {
	t.Parallel()
	_, err := pgdev.Start(t.Context(), pgdev.Options{Dir: folder(t), Settings: map[string]string{"shared_buffers": "plenty"}})
	if err == nil || !strings.Contains(err.Error(), "shared_buffers") {
		t.Errorf("got %v, want PostgreSQL's own words about shared_buffers", err)
	}
}

func TestLogHoldsNoData(t *testing.T) {
	t.Parallel()
	server := start(t, pgdev.Options{Dir: folder(t), Durable: true})
	conn := connect(t, server.SuperURL("postgres"))
	for _, sql := range []string{
		"create table people (email text primary key)",
		"insert into people values ('ada@example.org')",
		"insert into people values ('ada@example.org')", // fails with the key in its detail
		"select 'ada@example.org'::uuid",                // fails with the value in its message
	} {
		_, _ = conn.Exec(t.Context(), sql)
	}
	log, err := os.ReadFile(filepath.Join(server.Home(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(log), "ready to accept connections") {
		t.Errorf("this is not the server's log: %s", log)
	}
	if strings.Contains(string(log), "ada@") {
		t.Errorf("the log holds data:\n%s", log)
	}
}

// start runs a server for one test. Without server programs it skips on a laptop and
// fails in CI.
func start(t *testing.T, options pgdev.Options) *pgdev.Server {
	t.Helper()
	server, err := pgdev.Start(t.Context(), options)
	if errors.Is(err, pgdev.ErrNoPrograms) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(server.Home()) })
	t.Cleanup(func() { end(t, server) })
	return server
}

func end(t *testing.T, server *pgdev.Server) {
	t.Helper()
	// The second of two handles on one server finds the folder gone, and nothing to end.
	if _, err := os.Stat(server.Home()); errors.Is(err, fs.ErrNotExist) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		t.Error(err)
	}
}

// folder is one that every account can enter.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pgdev-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func query(t *testing.T, conn *pgx.Conn, sql string) string {
	t.Helper()
	var got string
	if err := conn.QueryRow(t.Context(), sql).Scan(&got); err != nil {
		t.Fatal(err)
	}
	return got
}

func exec(t *testing.T, server *pgdev.Server, sql string) {
	t.Helper()
	if _, err := connect(t, server.SuperURL("postgres")).Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}
