package pgdev_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assess/pkg/kernel/pgdev"
)

func TestKilledServerRecoversWhatWasCommitted(t *testing.T) {
	t.Parallel()
	server := start(t, pgdev.Options{Dir: folder(t), Durable: true})
	exec(t, server, "create table kept (n int)")
	for round := range 3 {
		exec(t, server, fmt.Sprintf("insert into kept values (%d)", round))
		// A backend that is busy when the postmaster dies holds the shared memory for a while.
		busy := connect(t, server.SuperURL("postgres"))
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = busy.Exec(t.Context(), "begin; insert into kept values (-1); select count(*) from generate_series(1, 2000000)")
		}()
		if err := server.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := server.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		<-done
		got := query(t, connect(t, server.SuperURL("postgres")), "select string_agg(n::text, ',' order by n) from kept")
		if want := "0,1,2"[:2*round+1]; got != want {
			t.Errorf("after crash %d: got %s, want %s", round, got, want)
		}
	}
}

func TestStartAfterCrashTakesOverStaleFolder(t *testing.T) {
	t.Parallel()
	options := pgdev.Options{Dir: folder(t), Durable: true}
	first := start(t, options)
	exec(t, first, "create table kept as select 'here' as place")
	if err := first.Kill(); err != nil {
		t.Fatal(err)
	}
	// After a reboot the number in postmaster.pid may be any process's, here ours.
	pretendAlive(t, first, os.Getpid())
	second := start(t, options)
	if !second.Started() {
		t.Error("took a foreign process for the server")
	}
	if got := query(t, connect(t, second.SuperURL("postgres")), "select place from kept"); got != "here" {
		t.Errorf("got %s, want here", got)
	}
}

// pretendAlive puts another process id into the file that the dead postmaster left.
func pretendAlive(t *testing.T, server *pgdev.Server, pid int) {
	t.Helper()
	path := filepath.Join(server.Home(), "data", "postmaster.pid")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(content), "\n")
	if err := os.WriteFile(path, fmt.Appendf(nil, "%d\n%s", pid, rest), 0o600); err != nil {
		t.Fatal(err)
	}
}
