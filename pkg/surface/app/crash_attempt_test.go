package app_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
)

// attempt holds everything that was promised to one candidate.
type attempt struct {
	session  ids.ID
	saved    map[ids.ID]acknowledged
	revision int64
	view     int
	events   int
	extended bool
	// closed by a proctor, overdue until the job ends it, or else submitted.
	closed, overdue, voided bool
	score                   float64
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
	h.insist(t, path, fmt.Sprintf("start-%d", n), map[string]any{"userId": h.users[n%len(h.users)], "run_label": "crash"}, &s)
	a := &attempt{session: s.ID, saved: map[ids.ID]acknowledged{}, view: 1}
	if len(s.Sections) == 0 {
		return a // The start failed and was reported.
	}
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
	h.end(t, n, path, a)
	return a
}

// disturb lets candidates lose the focus and some change their device, and a proctor give some
// of them time.
func (h *house) disturb(t *testing.T, n int, path string, a *attempt) {
	t.Helper()
	h.insist(t, path+"/events", "", map[string]any{"view": a.view, "events": []any{
		map[string]any{"id": ids.New(), "type": "focus_lost"}, map[string]any{"id": ids.New(), "type": "focus_gained"}}}, nil)
	a.events = 2
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

// end closes a session, lets its time be over, or submits it; some submissions are voided.
func (h *house) end(t *testing.T, n int, path string, a *attempt) {
	t.Helper()
	switch n % 5 {
	case 4:
		h.insist(t, path+"/close", fmt.Sprintf("close-%d", n), map[string]any{"reason": "crash test"}, nil)
		a.closed = true
		return
	case 2:
		h.insistOn(t, h.scope, func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), `update sessions set started_at = started_at - interval '2 hours', deadline_at = $3::timestamptz - interval '1 minute'
				where tenant_id = $1 and id = $2`, tx.Tenant(), a.session, tx.Now())
			return err
		})
		a.overdue = true
		return
	}
	var done struct {
		SubmissionID ids.ID
		Score        float64
	}
	h.insist(t, path+"/submit", fmt.Sprintf("submit-%d", n), map[string]any{"view": a.view, "revision": a.revision}, &done)
	if done.SubmissionID != a.session {
		t.Errorf("candidate %d: submission %s of session %s", n, done.SubmissionID, a.session)
	}
	a.score = done.Score
	if n%4 == 1 {
		h.insist(t, "/submissions/"+a.session.String()+"/void", fmt.Sprintf("void-%d", n), map[string]any{"comment": "crash test"}, nil,
			"X-Step-Up-Proof", h.proof(t))
		a.voided = true
	}
}

func (h *house) proof(t *testing.T) string {
	t.Helper()
	var proof access.Proof
	h.insistOn(t, h.scope, func(tx *db.Tx) error {
		var err error
		proof, err = access.NewAuthority(h.store, sample.Auth()).IssueProof(t.Context(), tx, h.staff, access.ByMagicLink)
		return err
	})
	return proof.ID.String()
}

// verifyAttempt holds one attempt against the database.
func (c *crash) verifyAttempt(t *testing.T, a *attempt) {
	t.Helper()
	c.insistOn(t, c.scope, func(tx *db.Tx) error {
		var view, extra, events, answers, submissions int
		var state string
		err := tx.QueryRow(t.Context(), `
			select view, extra_time_seconds, state,
				(select count(*) from session_events e where e.tenant_id = $1 and e.session_id = $2) +
				coalesce((select events_n from submission_telemetry_summary e where e.tenant_id = $1 and e.submission_id = $2), 0),
				(select count(*) from session_answers where tenant_id = $1 and session_id = $2),
				(select count(*) from submissions where tenant_id = $1 and id = $2)
			from sessions where tenant_id = $1 and id = $2`, tx.Tenant(), a.session).Scan(&view, &extra, &state, &events, &answers, &submissions)
		if err != nil {
			return err
		}
		want, wantExtra, wantEvents := "submitted", 0, a.events
		switch {
		case a.closed:
			// Its events go with its projection, and no submission is there to keep their sums.
			want, wantEvents = "closed", 0
		case a.overdue:
			want = "expired"
		}
		if a.extended {
			wantExtra = 60
		}
		if view != a.view || extra != wantExtra || state != want || events != wantEvents {
			t.Errorf("session %s: view %d, %d s more, %s, %d events; want %+v", a.session, view, extra, state, events, a)
		}
		if a.closed {
			if answers != len(a.saved) || submissions != 0 {
				t.Errorf("closed session %s: %d answers and %d submissions, want %d and none", a.session, answers, submissions, len(a.saved))
			}
			return nil
		}
		return c.verifySubmission(t, tx, a)
	})
}

func (c *crash) verifySubmission(t *testing.T, tx *db.Tx, a *attempt) error {
	t.Helper()
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
	return c.verifyScores(t, tx, a)
}
