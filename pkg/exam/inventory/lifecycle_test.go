package inventory_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/inventory"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func TestQuestionArchiveAndRestore(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for _, c := range []struct {
		name, status string
		id           ids.ID
	}{{"draft", "draft", s.draft()}, {"published", "published", s.question()}} {
		t.Run(c.name, func(t *testing.T) {
			roundTrip(t, s, inventory.Questions, c.id, c.status)
		})
	}
}

func TestEvaluationArchiveAndRestore(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	var draft authoring.Evaluation
	s.write(func(tx *db.Tx) {
		var err error
		draft, err = authoring.CreateEvaluation(t.Context(), tx, authoring.EvaluationInput{Title: "Draft"})
		if err != nil {
			t.Fatal(err)
		}
	})
	roundTrip(t, s, inventory.Evaluations, draft.ID, "draft")
	roundTrip(t, s, inventory.Evaluations, s.evaluation(s.question()).ID, "published")
}

// roundTrip archives twice and restores twice: the second call changes nothing.
func roundTrip(t *testing.T, s *shop, k *inventory.Kind, id ids.ID, status string) {
	t.Helper()
	for _, step := range []struct {
		name string
		do   func(*inventory.Kind, ids.ID) (inventory.Lifecycle, error)
		want inventory.Lifecycle
	}{
		{"archive", s.archive, inventory.Lifecycle{ID: id, Status: "archived", Changed: true}},
		{"archive again", s.archive, inventory.Lifecycle{ID: id, Status: "archived"}},
		{"restore", s.restore, inventory.Lifecycle{ID: id, Status: status, Changed: true}},
		{"restore again", s.restore, inventory.Lifecycle{ID: id, Status: status}},
	} {
		got, err := step.do(k, id)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
		if stored := s.status(k, id); stored != step.want.Status {
			t.Errorf("%s: stored %q, want %q", step.name, stored, step.want.Status)
		}
	}
}

func TestQuestionDeleteWithoutReferenceRemovesIt(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for name, id := range map[string]ids.ID{"draft": s.draft(), "published": s.question()} {
		wantCode(t, s.remove(inventory.Questions, id), "")
		if got := s.status(inventory.Questions, id); got != "" {
			t.Errorf("%s: still there as %q", name, got)
		}
		wantCode(t, s.remove(inventory.Questions, id), errs.NotFound)
	}
}

func TestQuestionDeleteWhileReferencedArchivesAndAnswersQuestionInUse(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	linked, pooled, shown := s.question(), s.question(), s.question()
	s.passage(linked)
	e := s.evaluation(shown)
	s.pool(e, pooled)
	s.mustStart(e.ID)
	if err := s.submit(s.mustStart(e.ID)); err != nil {
		t.Fatal(err)
	}
	drafted := s.draft()
	s.write(func(tx *db.Tx) {
		_, err := authoring.CreateEvaluation(t.Context(), tx, sample.EvaluationInput(drafted))
		if err != nil {
			t.Fatal(err)
		}
	})
	for _, c := range []struct {
		name string
		id   ids.ID
		want map[string]any
	}{
		{"passageLinks", linked, map[string]any{"passageLinks": int64(1), "sectionItems": int64(0), "submissions": int64(0), "activeSessions": int64(0)}},
		{"sectionItems of a draft", drafted, map[string]any{"passageLinks": int64(0), "sectionItems": int64(1), "submissions": int64(0), "activeSessions": int64(0)}},
		{"sectionItems, submissions, activeSessions", shown, map[string]any{"passageLinks": int64(0), "sectionItems": int64(2), "submissions": int64(1), "activeSessions": int64(1)}},
		{"the pool of a draw", pooled, map[string]any{"passageLinks": int64(0), "sectionItems": int64(1), "submissions": int64(1), "activeSessions": int64(1)}},
	} {
		for _, again := range []string{"", " again"} {
			err := s.remove(inventory.Questions, c.id)
			wantCode(t, err, errs.QuestionInUse)
			if diff := cmp.Diff(c.want, errs.Of(err).Details); diff != "" {
				t.Errorf("%s%s: details (-want +got):\n%s", c.name, again, diff)
			}
			if got := s.status(inventory.Questions, c.id); got != "archived" {
				t.Errorf("%s%s: status %q, want archived", c.name, again, got)
			}
		}
	}
}

func TestEvaluationDeleteUnusedRemovesIt(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	q := s.question()
	e := s.evaluation(q)
	wantCode(t, s.remove(inventory.Evaluations, e.ID), "")
	if got := s.status(inventory.Evaluations, e.ID); got != "" {
		t.Errorf("still there as %q", got)
	}
	wantCode(t, s.remove(inventory.Questions, q), "")
}

func TestEvaluationDeleteInUseArchivesAndAnswersEvaluationInUse(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for _, c := range []struct {
		name   string
		use    func(e authoring.Evaluation)
		counts map[string]any
	}{
		{"an active session", func(e authoring.Evaluation) { s.mustStart(e.ID) }, map[string]any{"sessions": int64(1), "activeSessions": int64(1)}},
		{"a submission", func(e authoring.Evaluation) {
			if err := s.submit(s.mustStart(e.ID)); err != nil {
				t.Fatal(err)
			}
		}, map[string]any{"sessions": int64(1), "submissions": int64(1)}},
		{"an assignment", func(e authoring.Evaluation) { s.assign(e.ID) }, map[string]any{"assignments": int64(1)}},
		{"a programme requirement", func(e authoring.Evaluation) { s.require(e.ID) }, map[string]any{"programmeRequirements": int64(1)}},
		{"a content pack item", func(e authoring.Evaluation) { s.pack(e.ID) }, map[string]any{"contentPackItems": int64(1)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := s.evaluation(s.question())
			c.use(e)
			want := map[string]any{"sessions": int64(0), "activeSessions": int64(0), "submissions": int64(0),
				"assignments": int64(0), "programmeRequirements": int64(0), "contentPackItems": int64(0)}
			for name, n := range c.counts {
				want[name] = n
			}
			err := s.remove(inventory.Evaluations, e.ID)
			wantCode(t, err, errs.EvaluationInUse)
			if diff := cmp.Diff(want, errs.Of(err).Details); diff != "" {
				t.Errorf("details (-want +got):\n%s", diff)
			}
			if got := s.status(inventory.Evaluations, e.ID); got != "archived" {
				t.Errorf("status %q, want archived", got)
			}
			_, err = s.start(e.ID)
			wantCode(t, err, errs.Archived)
			wantCode(t, s.remove(inventory.Evaluations, e.ID), errs.EvaluationInUse)
		})
	}
}

func TestEvaluationArchiveClosesActiveSessionsAndBlocksNewOnes(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	e := s.evaluation(s.question())
	open, done, overdue := s.mustStart(e.ID), s.mustStart(e.ID), s.mustStart(e.ID)
	if err := s.submit(done); err != nil {
		t.Fatal(err)
	}
	s.exec(`update sessions set deadline_at = now() - interval '1 minute' where tenant_id = $1 and org_unit_id = $2 and id = $3`, overdue.ID)
	got, err := s.archive(inventory.Evaluations, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	if got.ClosedSessions != 1 {
		t.Errorf("closed %d sessions, want 1", got.ClosedSessions)
	}
	for _, c := range []struct {
		id   ids.ID
		want string
	}{{open.ID, "closed"}, {done.ID, "submitted"}, {overdue.ID, "open"}} {
		var state string
		var ended bool
		s.scan("select state, ended_at is not null from sessions where tenant_id = $1 and id = $2", c.id, &state, &ended)
		if state != c.want || ended != (c.want != "open") {
			t.Errorf("got %s, ended %v; want %s", state, ended, c.want)
		}
	}
	var queued int
	s.scan("select count(*) from projection_outbox where tenant_id = $1 and subject_id = $2 and kind = 'session'", open.ID, &queued)
	if queued != 2 {
		t.Errorf("the projector is told %d times, want once for the start and once for the end", queued)
	}
	_, err = s.start(e.ID)
	wantCode(t, err, errs.Archived)
	wantCode(t, s.save(open), errs.SessionNotOpen)
	wantCode(t, s.submit(open), errs.SessionNotOpen)
	_, err = s.restore(inventory.Evaluations, e.ID)
	wantCode(t, err, "")
	wantCode(t, s.save(open), errs.SessionNotOpen)
	s.mustStart(e.ID)
}

// Somebody who is about to do badly could archive the evaluation instead of submitting: a
// closed session is no attempt. So somebody else has to archive it, by whichever route.
func TestNobodyArchivesWhatTheyAreTaking(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	mine, other := s.evaluation(s.question()), s.evaluation(s.question())
	s.candidate = s.user(capability.SessionsTake, capability.EvaluationsWrite, capability.EvaluationsRead)
	open := s.mustStart(mine.ID)
	act := func(as db.Scope, do func(context.Context, *db.Tx) error) error {
		return s.store.DryRun(t.Context(), as, func(tx *db.Tx) error { return do(t.Context(), tx) })
	}
	archive := func(ctx context.Context, tx *db.Tx) error {
		_, err := inventory.Archive(ctx, tx, inventory.Evaluations, mine.ID)
		return err
	}
	wantCode(t, act(s.candidate, archive), errs.FourEyesRequired)
	wantCode(t, act(s.candidate, func(ctx context.Context, tx *db.Tx) error {
		return inventory.Delete(ctx, tx, inventory.Evaluations, mine.ID)
	}), errs.FourEyesRequired)
	wantCode(t, act(s.candidate, func(ctx context.Context, tx *db.Tx) error {
		out, err := inventory.Bulk(ctx, tx, inventory.Evaluations, inventory.BulkInput{Action: inventory.ArchiveAction, IDs: []ids.ID{mine.ID, other.ID}})
		if diff := cmp.Diff([]string{"four_eyes_required", "changed"}, codes(out)); diff != "" {
			t.Error(diff)
		}
		return err
	}), "")
	wantCode(t, act(s.user(capability.EvaluationsWrite), archive), "")
	wantCode(t, s.submit(open), "")
	wantCode(t, act(s.candidate, archive), "")
}

// Expiry submits sessions that expired before the archiving, after it.
func TestEvaluationArchiveLeavesOverdueSessionsToExpiry(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	e := s.evaluation(s.question())
	open := s.mustStart(e.ID)
	s.exec(`update sessions set deadline_at = now() - interval '1 minute' where tenant_id = $1 and org_unit_id = $2 and id = $3`, open.ID)
	_, err := s.archive(inventory.Evaluations, e.ID)
	wantCode(t, err, "")
	expired, err := do(s, s.operator, func(ctx context.Context, tx *db.Tx) (bool, error) { return s.desk.Expire(ctx, tx, open.ID) })
	if err != nil || !expired {
		t.Errorf("got %v, %v; want an expired session", expired, err)
	}
}

func (s *shop) save(open session.Session) error {
	_, err := do(s, s.candidate, func(ctx context.Context, tx *db.Tx) (session.Receipt, error) {
		return s.desk.Save(ctx, tx, session.SaveInput{EvaluationID: open.EvaluationID, SessionID: open.ID,
			Answers: []session.Answer{{ItemID: open.Sections[0].Items[0].ItemID, Sequence: 1, Response: json.RawMessage(`{"optionIds":["A"]}`)}}})
	})
	return err
}
