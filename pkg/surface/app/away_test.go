package app_test

import (
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"assess/pkg/dev/await"
	"assess/pkg/kernel/ids"
)

// TestDatabaseThatGoesAwayAndComesBack shows 503 while it is away and recovery without a
// restart.
func TestDatabaseThatGoesAwayAndComesBack(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	d := h.start(t)
	status, _ := h.call(t, http.MethodGet, "/evaluations/"+h.evaluation.String(), "", nil)
	if status != http.StatusOK {
		t.Fatalf("before: got %d", status)
	}
	err := h.pg.Kill()
	if err != nil {
		t.Fatal(err)
	}
	// A backend that has not noticed yet that its postmaster is dead still answers.
	await.Until(t, "503 database_unavailable with Retry-After", func() bool {
		status, res := h.call(t, http.MethodGet, "/evaluations/"+h.evaluation.String(), "", nil)
		ready := d.ready(t)
		if status != http.StatusOK && status != http.StatusServiceUnavailable {
			t.Fatalf("away: got %d %s, Retry-After %q, and /readyz says %d; want 503 database_unavailable with Retry-After", status, res.Code, res.retryAfter, ready)
		}
		return status == http.StatusServiceUnavailable && res.Code == "database_unavailable" && res.retryAfter != "" && ready == http.StatusServiceUnavailable
	})
	h.restartDatabase(t)
	await.Until(t, "the service answers again", func() bool {
		status, _ := h.call(t, http.MethodGet, "/evaluations/"+h.evaluation.String(), "", nil)
		return status == http.StatusOK && d.ready(t) == http.StatusOK
	})
}

// TestShutdownLetsRequestsEnd sends saves without pause and tells the server to stop: no
// call may be cut off half way.
func TestShutdownLetsRequestsEnd(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	d := h.start(t)
	a := h.sit(t, 0)
	if a.session == ids.None {
		t.Fatal("no session")
	}
	var cut atomic.Int32
	var clients sync.WaitGroup
	for i := range 4 {
		clients.Go(func() {
			for {
				status, err := h.try(http.MethodPost, "/evaluations/"+h.evaluation.String()+"/sessions", ids.New().String(),
					map[string]any{"userId": h.users[i+1]}, nil)
				switch {
				case refused(err), status == http.StatusServiceUnavailable:
					return
				case err != nil:
					cut.Add(1)
					t.Errorf("cut off: %v", err)
					return
				}
			}
		})
	}
	time.Sleep(300 * time.Millisecond)
	code := d.terminate(t)
	clients.Wait()
	if code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	if cut.Load() > 0 {
		t.Errorf("%d requests were cut off", cut.Load())
	}
}

// TestDrainingServerStillAnswers looks at the moment between the signal and the closing of
// the listener, in which a load balancer is to turn away.
func TestDrainingServerStillAnswers(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	d := h.run(t, "ASSESS_DATABASE_URL="+h.pg.AppURL(database), "ASSESS_HTTP_DRAIN_DELAY=2s")
	err := d.cmd.Process.Signal(syscall.SIGTERM)
	if err != nil {
		t.Fatal(err)
	}
	await.Until(t, "/readyz says no", func() bool { return d.ready(t) == http.StatusServiceUnavailable })
	status, _ := h.call(t, http.MethodGet, "/evaluations/"+h.evaluation.String(), "", nil)
	if status != http.StatusOK {
		t.Errorf("got %d while draining, want 200", status)
	}
	d.cmd.Wait() //nolint:errcheck // the exit code tells
	if code := d.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}
