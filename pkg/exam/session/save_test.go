package session_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

func TestSaveAcknowledgesWithAChainOfReceipts(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"), scoring.Key{QType: scoring.Essay})
	s := r.start(r.candidate)
	calls := [][]session.Answer{
		{answer(r.item(0), 1, `{"optionIds":["A"]}`), answer(r.item(1), 1, `{"text":"<b> & \"so on\" ä"}`)},
		{answer(r.item(0), 2, `null`)},
		{{ItemID: r.item(0), Sequence: 3, Response: json.RawMessage(`{"optionIds":[]}`), TimeSpentMs: ptr(int64(1200))}},
	}
	var receipt []byte
	for i, answers := range calls {
		got, err := r.save(r.candidate, s.ID, answers...)
		if err != nil {
			t.Fatal(err)
		}
		receipt = chain(t, receipt, answers)
		if want := hex.EncodeToString(receipt); got.SHA256 != want || got.Revision != int64(i+1) {
			t.Errorf("got receipt %s of revision %d, want %s of %d", got.SHA256, got.Revision, want, i+1)
		}
	}
	now, err := r.get(r.candidate, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	if now.SHA256 != hex.EncodeToString(receipt) || now.Revision != 3 {
		t.Errorf("the session holds receipt %s, revision %d", now.SHA256, now.Revision)
	}
	byItem := map[ids.ID]string{}
	for _, a := range now.Answers {
		byItem[a.ItemID] = string(a.Response)
	}
	want := map[ids.ID]string{r.item(0): `{"optionIds": []}`, r.item(1): `{"text": "<b> & \"so on\" ä"}`}
	if diff := cmp.Diff(want, byItem); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

// chain computes a receipt as a client would: from what it sent and the receipt before.
func chain(t *testing.T, previous []byte, answers []session.Answer) []byte {
	t.Helper()
	canonical, err := content.Canonical(answers)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(append(append([]byte{}, previous...), canonical...))
	return sum[:]
}

func TestOlderAnswerNeverOverwritesANewerOne(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	s := r.start(r.candidate)
	a := func(sequence int64, option string) session.Answer {
		return answer(r.item(0), sequence, `{"optionIds":["`+option+`"]}`)
	}
	mark := func(sequence int64) session.Mark { return session.Mark{ItemID: r.item(0), Sequence: sequence} }
	tests := []struct {
		name              string
		send              []session.Answer
		saved, superseded []session.Mark
	}{
		{"first", []session.Answer{a(5, "A")}, []session.Mark{mark(5)}, nil},
		{"older", []session.Answer{a(4, "B")}, nil, []session.Mark{mark(4)}},
		{"equal with the same answer", []session.Answer{a(5, "A")}, []session.Mark{mark(5)}, nil},
		{"equal with another answer", []session.Answer{a(5, "C")}, nil, []session.Mark{mark(5)}},
		{"several in one call", []session.Answer{a(7, "B"), a(6, "C"), a(7, "B"), a(7, "D")},
			[]session.Mark{mark(7), mark(7)}, []session.Mark{mark(6), mark(7)}},
	}
	for _, tt := range tests {
		got, err := r.save(r.candidate, s.ID, tt.send...)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if diff := cmp.Diff([2][]session.Mark{tt.saved, tt.superseded}, [2][]session.Mark{got.Saved, got.Superseded}, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	now, err := r.get(r.candidate, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got := now.Answers[0]; got.Sequence != 7 || string(got.Response) != `{"optionIds": ["B"]}` {
		t.Errorf("got %d %s, want 7 and B", got.Sequence, got.Response)
	}
}

func TestParallelSavesKeepTheNewestAndOneChain(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"), sample.Choice("B"))
	s := r.start(r.candidate)
	const n = 40
	var mu sync.Mutex
	receipts := map[int64]string{}
	sent := map[int64][]session.Answer{}
	order := rand.Perm(n)
	together(n, func(i int) {
		sequence := int64(order[i] + 1)
		answers := []session.Answer{answer(r.item(i%2), sequence, fmt.Sprintf(`{"optionIds":[%q]}`, string("ABCD"[sequence%4])))}
		receipt, err := r.save(r.candidate, s.ID, answers...)
		if err != nil {
			t.Error(err)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		receipts[receipt.Revision], sent[receipt.Revision] = receipt.SHA256, answers
	})
	var previous []byte
	newest := map[ids.ID]int64{}
	for revision := int64(1); revision <= n; revision++ {
		previous = chain(t, previous, sent[revision])
		if receipts[revision] != hex.EncodeToString(previous) {
			t.Fatalf("the chain breaks at revision %d", revision)
		}
		a := sent[revision][0]
		newest[a.ItemID] = max(newest[a.ItemID], a.Sequence)
	}
	now, err := r.get(r.candidate, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range now.Answers {
		want := fmt.Sprintf(`{"optionIds": [%q]}`, string("ABCD"[newest[a.ItemID]%4]))
		if a.Sequence != newest[a.ItemID] || string(a.Response) != want {
			t.Errorf("got %d %s, want %d %s", a.Sequence, a.Response, newest[a.ItemID], want)
		}
	}
}

func TestOnlyAnOpenSessionTakesAnswers(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	for _, state := range []string{"submitted", "expired", "closed", "abandoned"} {
		s := r.start(r.candidate)
		r.exec("update sessions set state = $2, ended_at = now() where id = $1", s.ID, state)
		_, err := r.save(r.candidate, s.ID, answer(r.item(0), 1, `{"optionIds":["A"]}`))
		wantCode(t, err, errs.SessionNotOpen)
		if got := errs.Of(err).Details["state"]; got != state {
			t.Errorf("got state %v, want %s", got, state)
		}
		var n int
		r.scan("select count(*) from session_answers where tenant_id = $1 and session_id = $2", s.ID, &n)
		if n != 0 {
			t.Errorf("%s: %d answers were saved", state, n)
		}
	}
}

func TestSavePastTheDeadlineIsRefused(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{TimeLimitSeconds: ptr(60)}, sample.Choice("A"))
	s := r.start(r.candidate)
	r.overrun(s.ID)
	_, err := r.save(r.candidate, s.ID, answer(r.item(0), 1, `{"optionIds":["A"]}`))
	wantCode(t, err, errs.SessionNotOpen)
	if got := errs.Of(err).Details["state"]; got != "expired" {
		t.Errorf("got state %v, want expired", got)
	}
	now, err := r.get(r.candidate, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	if now.State != "expired" || len(now.Answers) != 0 {
		t.Errorf("got state %s with %d answers", now.State, len(now.Answers))
	}
}

// A save and a batch of events need only their own statement, so that it travels with its commit: they are
// durable before anything else of the call happens.
func TestSaveTravelsWithItsCommit(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{Navigation: "linear"}, sample.Choice("A"))
	s := r.start(r.candidate)
	err := r.store.WriteShort(t.Context(), r.candidate, func(tx *db.Tx) error {
		_, err := r.desk.Save(t.Context(), tx, session.SaveInput{EvaluationID: r.snapshot.EvaluationID, SessionID: s.ID,
			Answers: []session.Answer{answer(r.item(0), 1, `{"optionIds":["A"]}`)}})
		var saved int
		r.scan("select count(*) from session_answers where tenant_id = $1 and session_id = $2", s.ID, &saved)
		if saved != 1 {
			t.Errorf("%d answers are committed, want 1", saved)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	err = r.store.WriteShort(t.Context(), r.candidate, func(tx *db.Tx) error {
		_, err := r.desk.RecordEvents(t.Context(), tx, session.EventsInput{EvaluationID: r.snapshot.EvaluationID, SessionID: s.ID,
			Events: []session.Event{{Type: "copy"}}})
		var recorded int
		r.scan("select count(*) from session_events where tenant_id = $1 and session_id = $2", s.ID, &recorded)
		if recorded != 1 {
			t.Errorf("%d events are committed, want 1", recorded)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
