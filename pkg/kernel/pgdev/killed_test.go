package pgdev_test

import (
	"context"
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
