package app_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"assess/pkg/db"
	"assess/pkg/ids"
)

// kills is how often the test kills something; every third time it is the database.
const kills = 12

// TestNothingAcknowledgedIsLost kills assessd and its database with SIGKILL again and
// again while candidates save, change devices and submit, and proctors extend and close, and
// then holds what was acknowledged against what the database has: nothing is lost, nothing
// happened twice, and no session is stuck.
func TestNothingAcknowledgedIsLost(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	d := h.start(t)
	var over atomic.Bool
	var candidates sync.WaitGroup
	attempts := make([][]*attempt, 6)
	for i := range attempts {
		candidates.Go(func() {
			for n := i; !over.Load(); n += len(attempts) {
				attempts[i] = append(attempts[i], h.sit(t, n))
			}
		})
	}
	for n := range kills {
		time.Sleep(time.Duration(200+rand.IntN(400)) * time.Millisecond)
		if n%3 == 2 {
			h.killDatabase(t)
		} else {
			d = d.killAndRestart(t)
		}
	}
	over.Store(true)
	candidates.Wait()
	d.kill(t)
	all := slices.Concat(attempts...)
	closed := 0
	for _, a := range all {
		h.verify(t, a)
		if a.closed {
			closed++
		}
	}
	h.verifyTotals(t, len(all), closed)
	t.Logf("%d attempts survived %d kills", len(all), kills)
}

// attempt is what one candidate was promised.
type attempt struct {
	session  ids.ID
	saved    map[ids.ID]acknowledged
	revision int64
	view     int
	extended bool
	closed   bool
	score    float64
}

type acknowledged struct {
	sequence int64
	option   string
}

// sit takes the exam as a stubborn client: each call is sent again until it is answered,
// with the same idempotency key.
func (h *house) sit(t *testing.T, n int) *attempt {
	t.Helper()
	var s struct {
		ID       ids.ID
		Sections []struct{ Items []struct{ ItemID ids.ID } }
	}
	path := "/evaluations/" + h.evaluation.String() + "/sessions"
	h.insist(t, path, fmt.Sprintf("start-%d", n), map[string]any{"userId": h.users[n%len(h.users)], "runLabel": "crash"}, &s)
	a := &attempt{session: s.ID, saved: map[ids.ID]acknowledged{}, view: 1}
	path += "/" + s.ID.String()
	for round := int64(1); round <= 2; round++ {
		if round == 2 {
			h.disturb(t, n, path, a)
		}
		for i, item := range s.Sections[0].Items {
			option := string(rune('A' + (n+i+int(round))%3))
			var receipt struct {
				Revision int64
				Saved    []struct{ Sequence int64 }
			}
			h.insist(t, path+"/answers", "", map[string]any{"view": a.view, "answers": []any{map[string]any{
				"itemId": item.ItemID, "sequence": round, "response": map[string]any{"optionIds": []string{option}}, "timeSpentMs": 1000}}}, &receipt)
			if len(receipt.Saved) != 1 {
				t.Errorf("candidate %d: an answer was not saved: %+v", n, receipt)
			}
			if receipt.Revision <= a.revision {
				t.Errorf("candidate %d: revision %d after %d", n, receipt.Revision, a.revision)
			}
			a.saved[item.ItemID], a.revision = acknowledged{round, option}, receipt.Revision
		}
	}
	if n%5 == 4 {
		h.insist(t, path+"/close", fmt.Sprintf("close-%d", n), map[string]any{"reason": "crash test"}, nil)
		a.closed = true
		return a
	}
	var done struct {
		SubmissionID ids.ID
		Score        float64
	}
	h.insist(t, path+"/submit", fmt.Sprintf("submit-%d", n), map[string]any{"view": a.view, "revision": a.revision}, &done)
	if done.SubmissionID != s.ID {
		t.Errorf("candidate %d: submission %s of session %s", n, done.SubmissionID, s.ID)
	}
	a.score = done.Score
	return a
}

// disturb lets some candidates change their device, and a proctor give some of them time.
func (h *house) disturb(t *testing.T, n int, path string, a *attempt) {
	t.Helper()
	if n%3 == 0 {
		var s struct {
			View     int
			Revision int64
		}
		h.insist(t, path+"/resume", fmt.Sprintf("resume-%d", n), nil, &s)
		if s.View != 2 || s.Revision < a.revision {
			t.Errorf("candidate %d: took over view %d at revision %d after %d", n, s.View, s.Revision, a.revision)
		}
		a.view = s.View
	}
	if n%2 == 0 {
		h.insist(t, path+"/extend", fmt.Sprintf("extend-%d", n), map[string]any{"extraTimeSeconds": 60, "reason": "crash test"}, nil)
		a.extended = true
	}
}

// verify holds one attempt against the database.
func (h *house) verify(t *testing.T, a *attempt) {
	t.Helper()
	err := h.store.Read(t.Context(), h.scope, func(tx *db.Tx) error {
		var view, extra int
		var state string
		err := tx.QueryRow(t.Context(), `select view, extra_time_seconds, state from sessions where tenant_id = $1 and id = $2`, tx.Tenant(), a.session).
			Scan(&view, &extra, &state)
		if err != nil {
			return err
		}
		if view != a.view || (extra == 60) != a.extended || (extra == 0) == a.extended || (state == "closed") != a.closed {
			t.Errorf("session %s: view %d, %d s more, %s; want %+v", a.session, view, extra, state, a)
		}
		if a.closed {
			return h.verifyClosed(t, tx, a)
		}
		var submissions int
		var score float64
		err = tx.QueryRow(t.Context(), `select count(*), coalesce(max(score), -1)::float8 from submissions where tenant_id = $1 and id = $2`,
			tx.Tenant(), a.session).Scan(&submissions, &score)
		if err != nil {
			return err
		}
		if submissions != 1 || score != a.score {
			t.Errorf("session %s: %d submissions with score %g, want 1 with %g", a.session, submissions, score, a.score)
		}
		for item, want := range a.saved {
			var n int
			var response []byte
			err := tx.QueryRow(t.Context(), `select count(*), max(response::text) from submission_items
				where tenant_id = $1 and submission_id = $2 and item_id = $3`, tx.Tenant(), a.session, item).Scan(&n, &response)
			if err != nil {
				return err
			}
			var got struct{ OptionIDs []string }
			err = json.Unmarshal(response, &got)
			if err != nil || n != 1 || len(got.OptionIDs) != 1 || got.OptionIDs[0] != want.option {
				t.Errorf("session %s item %s: %d rows with %s, want one with %s", a.session, item, n, response, want.option)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// verifyClosed holds a session that a proctor closed against the database: what was saved
// is there, and no submission.
func (h *house) verifyClosed(t *testing.T, tx *db.Tx, a *attempt) error {
	t.Helper()
	var answers, submissions int
	err := tx.QueryRow(t.Context(), `select (select count(*) from session_answers where tenant_id = $1 and session_id = $2),
		(select count(*) from submissions where tenant_id = $1 and id = $2)`, tx.Tenant(), a.session).Scan(&answers, &submissions)
	if answers != len(a.saved) || submissions != 0 {
		t.Errorf("closed session %s: %d answers and %d submissions, want %d and none", a.session, answers, submissions, len(a.saved))
	}
	return err
}

func (h *house) verifyTotals(t *testing.T, want, closed int) {
	t.Helper()
	err := h.store.Read(t.Context(), h.scope, func(tx *db.Tx) error {
		var sessions, open, submissions int
		err := tx.QueryRow(t.Context(), `select (select count(*) from sessions), (select count(*) from sessions where state = 'open'),
			(select count(*) from submissions)`).Scan(&sessions, &open, &submissions)
		if sessions != want || open != 0 || submissions != want-closed {
			t.Errorf("%d sessions, %d still open, %d submissions; want %d, 0, %d", sessions, open, submissions, want, want-closed)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

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
	status, res := h.call(t, http.MethodGet, "/evaluations/"+h.evaluation.String(), "", nil)
	if status != http.StatusServiceUnavailable || res.Code != "database_unavailable" || res.retryAfter == "" {
		t.Errorf("away: got %d %s, Retry-After %q; want 503 database_unavailable with Retry-After", status, res.Code, res.retryAfter)
	}
	if status := d.ready(t); status != http.StatusServiceUnavailable {
		t.Errorf("away: /readyz says %d, want 503", status)
	}
	h.restartDatabase(t)
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		status, _ = h.call(t, http.MethodGet, "/evaluations/"+h.evaluation.String(), "", nil)
		if status == http.StatusOK && d.ready(t) == http.StatusOK {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("back: still %d", status)
		}
	}
}

// TestShutdownLetsRequestsEnd sends saves without pause and asks the server to stop: no
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
	for end := time.Now().Add(time.Second); d.ready(t) != http.StatusServiceUnavailable; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("/readyz does not say no")
		}
	}
	status, _ := h.call(t, http.MethodGet, "/evaluations/"+h.evaluation.String(), "", nil)
	if status != http.StatusOK {
		t.Errorf("got %d while draining, want 200", status)
	}
	d.cmd.Wait() //nolint:errcheck // the exit code tells
	if code := d.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}
