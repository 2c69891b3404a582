package dbtest

import (
	"context"
	"errors"
	"maps"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/migrations"
	"assess/pkg/dev/await"
	"assess/pkg/kernel/pgdev"
)

// Pair is a migrated database on a server of its own, and what a standby of it shows.
type Pair struct {
	Primary, Standby URLs
}

// WithStandby starts two servers for one test, since the shared one keeps no log to follow.
func WithStandby(t testing.TB) Pair {
	t.Helper()
	primary, _ := ownServer(t, pgdev.Start)
	migrate(t, primary)
	standby, _ := ownServer(t, func(ctx context.Context, o pgdev.Options) (*pgdev.Server, error) {
		return pgdev.StartStandby(ctx, primary, o)
	})
	p := Pair{urlsOf(primary), urlsOf(standby)}
	p.Follow(t)
	return p
}

// OwnServer starts a server for one test, with settings of its own, and gives the folder with all its files and a
// migrated database.
func OwnServer(t testing.TB, settings map[string]string) (dir string, urls URLs) {
	t.Helper()
	s, dir := ownServer(t, func(ctx context.Context, o pgdev.Options) (*pgdev.Server, error) {
		maps.Copy(o.Settings, settings)
		return pgdev.Start(ctx, o)
	})
	migrate(t, s)
	return dir, urlsOf(s)
}

func migrate(t testing.TB, s *pgdev.Server) {
	t.Helper()
	err := s.EnsureDatabase(t.Context(), "assess")
	if err != nil {
		t.Fatal(err)
	}
	_, err = migrations.Up(t.Context(), s.OwnerURL("assess"))
	if err != nil {
		t.Fatal(err)
	}
}

func urlsOf(s *pgdev.Server) URLs {
	return URLs{Super: s.SuperURL("assess"), Owner: s.OwnerURL("assess"), App: s.AppURL("assess")}
}

// ownServer starts a server in a folder that every account can enter, and ends it after the test.
func ownServer(t testing.TB, start func(context.Context, pgdev.Options) (*pgdev.Server, error)) (s *pgdev.Server, dir string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "dbtest-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s, err = start(t.Context(), pgdev.Options{Dir: dir, Settings: pgdev.Streaming()})
	if errors.Is(err, pgdev.ErrNoPrograms) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), statementLimit)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	})
	return s, dir
}

// Follow waits until the standby has replayed everything committed. Commits of tests do not wait
// until they are written, and unwritten ones are not sent: a commit that waits takes them along.
func (p Pair) Follow(t testing.TB) {
	t.Helper()
	answer(t, p.Primary.Super, "select set_config('synchronous_commit', 'on', true) || pg_logical_emit_message(true, 'test', '')")
	p.await(t, "select pg_last_wal_replay_lsn() >= '"+answer(t, p.Primary.Super, "select pg_current_wal_flush_lsn()::text")+"'")
}

// Pause keeps the standby where it is.
func (p Pair) Pause(t testing.TB) {
	t.Helper()
	answer(t, p.Standby.Super, "select pg_wal_replay_pause()::text")
	p.await(t, "select pg_get_wal_replay_pause_state() = 'paused'")
}

// Resume lets it go on.
func (p Pair) Resume(t testing.TB) {
	t.Helper()
	answer(t, p.Standby.Super, "select pg_wal_replay_resume()::text")
	p.Follow(t)
}

// await asks the standby until it says yes.
func (p Pair) await(t testing.TB, question string) {
	t.Helper()
	await.Until(t, "the standby says yes to "+question, func() bool { return answer(t, p.Standby.Super, "select ("+question+")::text") == "true" })
}

func answer(t testing.TB, url, sql string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background()) //nolint:errcheck // asked and answered
	var got *string
	err = conn.QueryRow(t.Context(), sql).Scan(&got)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	if got == nil {
		return ""
	}
	return *got
}
