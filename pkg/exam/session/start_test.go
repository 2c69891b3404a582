package session_test

import (
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func TestStartShowsNeitherKeyNorExplanation(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{TimeLimitSeconds: ptr(600)}, sample.Choice("A"), sample.Choice("B", "C"))
	s := r.start(r.candidate)
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"orrect", "eight", "xplanation", "Because", "accepted", "tolerance", "key"} {
		if strings.Contains(string(raw), secret) {
			t.Errorf("the session tells %q: %s", secret, raw)
		}
	}
	if got := s.DeadlineAt.Sub(s.StartedAt).Seconds(); got != 600 {
		t.Errorf("got %v s between start and deadline, want 600", got)
	}
	if got := len(s.Sections[0].Items[0].Options); got != 4 || s.State != "open" || s.Navigation != "free" {
		t.Errorf("got %d options, state %s, navigation %s", got, s.State, s.Navigation)
	}
	if got := len(s.Sections[0].Items[0].Stem.Locales); got != 2 {
		t.Errorf("without a language got %d locales, want the whole envelope", got)
	}
}

func TestStartResolvesTheLanguage(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	for lang, want := range map[string]string{"de": "Was ist es?", "de-AT": "Was ist es?", "fr": "What is it?"} {
		s, err := r.tryStart(r.candidate, session.StartInput{EvaluationID: r.snapshot.EvaluationID, Lang: lang})
		if err != nil {
			t.Fatal(err)
		}
		stem := s.Sections[0].Items[0].Stem
		if got := stem.Blocks[0].Children[0].Text; got != want || stem.Locales != nil {
			t.Errorf("%s: got %q, want %q", lang, got, want)
		}
	}
}

func TestStartRefuses(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	stranger := sample.Tenant(t, r.store)
	var elsewhere db.Scope
	var away ids.ID
	sample.Write(t, r.store, r.operator, func(tx *db.Tx) error {
		elsewhere = r.operator
		elsewhere.OrgUnit = sample.OrgUnit(t, tx, "away").ID
		return nil
	})
	sample.Write(t, r.store, elsewhere, func(tx *db.Tx) error {
		away = sample.User(t, tx).ID
		return nil
	})
	proctor := r.person(capability.SessionsProctor)
	other := r.person().Actor.ID
	input := func(in session.StartInput) session.StartInput {
		in.EvaluationID = r.snapshot.EvaluationID
		return in
	}
	tests := []struct {
		name string
		as   db.Scope
		in   session.StartInput
		want errs.Code
	}{
		{"unknown evaluation", r.candidate, session.StartInput{EvaluationID: ids.New()}, errs.NotFound},
		{"another tenant", sample.As(stranger, ids.New(), capability.SessionsTake), input(session.StartInput{}), errs.NotFound},
		{"another org unit", sample.As(elsewhere, away, capability.SessionsTake), input(session.StartInput{}), errs.NotFound},
		{"without capability", r.person(), input(session.StartInput{}), errs.Forbidden},
		{"for another without proctoring", r.candidate, input(session.StartInput{UserID: &other}), errs.Forbidden},
		{"for a user of another org unit", proctor, input(session.StartInput{UserID: &away}), errs.NotFound},
		{"for an unknown user", proctor, input(session.StartInput{UserID: ptr(ids.New())}), errs.NotFound},
		{"operator without user", r.operator, input(session.StartInput{}), errs.ValidationFailed},
		{"a run label of one's own", r.candidate, input(session.StartInput{RunLabel: ptr("Ada Lovelace")}), errs.ValidationFailed},
		{"NUL in the run label", proctor, input(session.StartInput{UserID: &other, RunLabel: ptr("a\x00b")}), errs.ValidationFailed},
		{"empty run label", proctor, input(session.StartInput{UserID: &other, RunLabel: ptr(" ")}), errs.ValidationFailed},
		{"long run label", proctor, input(session.StartInput{UserID: &other, RunLabel: ptr(strings.Repeat("x", 201))}), errs.ValidationFailed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := r.tryStart(tt.as, tt.in)
			wantCode(t, err, tt.want)
		})
	}
}

func TestStartNeedsAPublishedEvaluationThatIsNotArchived(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	in := session.StartInput{EvaluationID: r.snapshot.EvaluationID}
	r.exec("update evaluations set status = 'archived' where id = $1", r.snapshot.EvaluationID)
	_, err := r.tryStart(r.candidate, in)
	wantCode(t, err, errs.Archived)
	r.exec("update evaluations set status = 'draft', published_id = null where id = $1", r.snapshot.EvaluationID)
	_, err = r.tryStart(r.candidate, in)
	wantCode(t, err, errs.NotPublished)
}

func TestProctorStartsForAnother(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	proctor := r.person(capability.SessionsProctor)
	user := r.candidate.Actor.ID
	s, err := r.tryStart(proctor, session.StartInput{EvaluationID: r.snapshot.EvaluationID, UserID: &user})
	if err != nil {
		t.Fatal(err)
	}
	if s.UserID != user {
		t.Errorf("got user %s, want %s", s.UserID, user)
	}
	var startedBy string
	r.scan("select started_by from sessions where tenant_id = $1 and id = $2", s.ID, &startedBy)
	if want := proctor.Actor.String(); startedBy != want {
		t.Errorf("got started_by %s, want %s", startedBy, want)
	}
}

func TestDoubleClickTakesOneOfTheAttempts(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{MaxAttemptsPerUser: ptr(1)}, sample.Choice("A"))
	for range 5 {
		somebody := r.person(capability.SessionsTake)
		var started, refused atomic.Int32
		together(8, func(int) {
			_, err := r.tryStart(somebody, session.StartInput{EvaluationID: r.snapshot.EvaluationID})
			if err == nil {
				started.Add(1)
			} else if errs.Of(err).Code == errs.AttemptLimitReached {
				refused.Add(1)
			}
		})
		// A candidate who clicked twice is told where to go on.
		_, err := r.tryStart(somebody, session.StartInput{EvaluationID: r.snapshot.EvaluationID})
		open, known := errs.Of(err).Details["openSessionId"].(ids.ID)
		if s, err := r.resume(somebody, open); !known || err != nil || s.View != 2 {
			t.Errorf("the refusal leads to %v: view %d, %v", open, s.View, err)
		}
		if started.Load() != 1 || refused.Load() != 7 {
			t.Errorf("got %d started and %d refused, want 1 and 7", started.Load(), refused.Load())
		}
	}
}

func TestClosedSessionIsNoAttempt(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{MaxAttemptsPerUser: ptr(1)}, sample.Choice("A"))
	s := r.start(r.candidate)
	r.exec("update sessions set state = 'closed', ended_at = now() where id = $1", s.ID)
	r.start(r.candidate)
}

func TestCooloffRunsFromTheEndOfTheLastAttempt(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{CooloffSeconds: 3600}, sample.Choice("A"))
	in := session.StartInput{EvaluationID: r.snapshot.EvaluationID}
	s := r.start(r.candidate)
	result, err := r.submit(r.candidate, s.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.tryStart(r.candidate, in)
	wantCode(t, err, errs.CooloffActive)
	got := errs.Of(err).Details["availableAt"]
	if want := result.CompletedAt.Add(3600e9); !cmp.Equal(got, any(want)) {
		t.Errorf("got availableAt %v, want %v", got, want)
	}
	r.exec("update sessions set ended_at = later_by(ended_at, -3600) where id = $1", s.ID)
	r.start(r.candidate)
}

// beganBefore gives a transaction of the candidate whose clock is earlier than what happens in
// between: another start, or the end of a cool-off.
func (r *room) beganBefore(between func(now time.Time)) error {
	return r.store.Write(r.t.Context(), r.candidate, func(tx *db.Tx) error {
		between(tx.Now())
		_, err := r.desk.Start(r.t.Context(), tx, session.StartInput{EvaluationID: r.snapshot.EvaluationID})
		return err
	})
}

// Of two starts at once the second one waits, and began before the first one's session did.
func TestStartsAtOnceNeedNoCooloff(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{MaxAttemptsPerUser: ptr(10_000)}, sample.Choice("A"))
	err := r.beganBefore(func(now time.Time) {
		for !r.start(r.candidate).StartedAt.After(now) {
		}
	})
	if err != nil {
		t.Error(err)
	}
}

func TestCooloffThatEndsWhileAStartWaitsIsOver(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{CooloffSeconds: 3600}, sample.Choice("A"))
	s := r.start(r.candidate)
	if _, err := r.submit(r.candidate, s.ID, nil); err != nil {
		t.Fatal(err)
	}
	err := r.beganBefore(func(now time.Time) {
		r.exec("update sessions set started_at = later_by(started_at, -7200), ended_at = $2 where id = $1", s.ID, now.Add(time.Millisecond-time.Hour))
		var over bool
		for !over {
			r.scan("select ended_at + interval '1 hour' < clock_timestamp() from sessions where tenant_id = $1 and id = $2", s.ID, &over)
		}
	})
	if err != nil {
		t.Error(err)
	}
}

func TestStartAsksForItsProjection(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{}, sample.Choice("A"))
	s := r.start(r.candidate)
	var n int
	r.scan("select count(*) from projection_outbox where tenant_id = $1 and subject_id = $2 and kind = 'session'", s.ID, &n)
	if n != 1 {
		t.Errorf("got %d outbox rows, want 1", n)
	}
}

func TestOrderIsTheSameWheneverTheSessionIsRead(t *testing.T) {
	t.Parallel()
	r := newRoom(t, authoring.Settings{ShuffleItems: true, ShuffleOptions: true},
		sample.Choice("A"), sample.Choice("B"), sample.Choice("C"), sample.Choice("D"), sample.Choice("A"))
	s := r.start(r.candidate)
	again, err := r.get(r.candidate, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s, again, cmpopts.IgnoreUnexported(session.Session{})); diff != "" {
		t.Errorf("resumed session differs (-started +read):\n%s", diff)
	}
	orders := map[string]bool{}
	for range 12 {
		orders[itemOrder(r.start(r.candidate))] = true
	}
	if len(orders) < 4 {
		t.Errorf("12 sessions of 5 items have only %d orders", len(orders))
	}
}

func itemOrder(s session.Session) string {
	var order []string
	for _, item := range s.Sections[0].Items {
		order = append(order, item.ItemID.String())
	}
	return strings.Join(order, " ")
}
