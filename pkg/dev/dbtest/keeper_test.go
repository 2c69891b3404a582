package dbtest

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"assess/pkg/kernel/pgdev"
)

func TestKeeperStopsServerThatNobodyUses(t *testing.T) {
	t.Parallel()
	s := private(t)
	done := make(chan error, 1)
	go func() { done <- keep(s.dir, 30*time.Millisecond, 10*time.Millisecond) }()

	select {
	case err := <-done:
		t.Fatalf("the keeper ended while the server was in use: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	if err := keep(s.dir, 0, 0); err != nil {
		t.Errorf("a second keeper: got %v, want it to leave the place to the first", err)
	}
	ask[int](t, s.controls[0], "select 1")

	s.leave(t)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if _, err := pgdev.Attach(t.Context(), pgdev.Options{Dir: s.dir}); !errors.Is(err, pgdev.ErrNotRunning) {
		t.Errorf("after the keeper: got %v, want ErrNotRunning", err)
	}
}

func TestServerComesBackAfterKeeper(t *testing.T) {
	t.Parallel()
	s := private(t)
	abandoned, err := s.clone(s.template)
	if err != nil {
		t.Fatal(err)
	}
	s.leave(t)
	if err := keep(s.dir, time.Millisecond, time.Millisecond); err != nil {
		t.Fatal(err)
	}
	again, err := join(t.Context(), s.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { again.leave(t) })
	if !again.server.Started() {
		t.Error("the keeper left the server running")
	}
	if ask[bool](t, again.controls[0], "select exists (select from pg_database where datname = $1)", abandoned) {
		t.Error("the keeper left an abandoned clone")
	}
}

// privateSession is a session with a server that no other test shares.
type privateSession struct {
	*session
	dir string
}

func private(t *testing.T) privateSession {
	t.Helper()
	need(t) // skips or fails without server programs
	dir, err := os.MkdirTemp("", "dbtest-")
	if err != nil {
		t.Fatal(err)
	}
	// PostgreSQL's account must be able to enter.
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := join(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.server.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return privateSession{session: s, dir: dir}
}

// leave does what the end of the process does.
func (s *session) leave(t *testing.T) {
	t.Helper()
	if err := s.controls[0].Close(context.Background()); err != nil {
		t.Error(err)
	}
	if err := s.inUse.Close(); err != nil {
		t.Error(err)
	}
}
