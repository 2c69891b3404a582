package pgdev_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"assess/pkg/kernel/pgdev"
)

// The postmaster is killed from outside, so that nobody waits for it: its number stays taken, and
// a backend that computes goes on in its shared memory without noticing.
func TestServerComesUpAfterItsPostmasterWasKilled(t *testing.T) {
	t.Parallel()
	options := pgdev.Options{Dir: folder(t), Durable: true}
	first := start(t, options)
	exec(t, first, "create table kept as select 'here' as place")
	for range 2 {
		busy := connect(t, first.SuperURL("postgres"))
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = busy.Exec(context.WithoutCancel(t.Context()), "do $$ begin loop end loop; end $$")
		}()
		awaitBusy(t, first)
		if err := syscall.Kill(postmaster(t, first), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		second, err := pgdev.Start(ctx, options)
		cancel()
		if err != nil {
			t.Fatalf("it stays down: %v", err)
		}
		<-done
		if got := query(t, connect(t, second.SuperURL("postgres")), "select place from kept"); got != "here" {
			t.Errorf("got %s, want here", got)
		}
	}
}

func awaitBusy(t *testing.T, s *pgdev.Server) {
	t.Helper()
	conn := connect(t, s.SuperURL("postgres"))
	for query(t, conn, "select count(*)::text from pg_stat_activity where state = 'active' and query like 'do $$%'") == "0" {
		time.Sleep(time.Millisecond)
	}
}

func postmaster(t *testing.T, s *pgdev.Server) int {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(s.Home(), "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// Every program that uses a private server begins like this, any number of them at once.
func TestManyProgramsStartAtOnce(t *testing.T) {
	t.Parallel()
	options := pgdev.Options{Dir: folder(t)}
	start(t, options)
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			for range 8 {
				server, err := pgdev.Start(t.Context(), options)
				if err == nil {
					err = server.EnsureDatabase(t.Context(), "assess")
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wait.Wait()
}

// A caller that watches a server hears of its end at once: of its own child, of one that another program started,
// and of one that is gone already. A caller that stops watching is let go.
func TestTheEndOfAServerIsHeardOf(t *testing.T) {
	t.Parallel()
	options := pgdev.Options{Dir: folder(t)}
	server := start(t, options)
	other, err := pgdev.Attach(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	stopped, stop := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() { left <- server.Exited(stopped) }()
	stop()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Errorf("who stopped watching: got %v", err)
	}
	heard := make(chan error, 2)
	for _, watching := range []*pgdev.Server{server, other} {
		go func() { heard <- watching.Exited(t.Context()) }()
	}
	// Nobody has waited for the dead process when they hear of it.
	if err := syscall.Kill(postmaster(t, server), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-heard; err != nil {
			t.Errorf("who watched: %v", err)
		}
	}
	if err := server.Kill(); err != nil { // waits for it
		t.Fatal(err)
	}
	if err := other.Exited(t.Context()); err != nil {
		t.Errorf("of one that is gone: %v", err)
	}
}
