package inventory_test

import (
	"context"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
)

// Either the start is first and its session is closed, or it finds the evaluation archived.
func TestNoSessionStaysOpenWhenArchiveMeetsStart(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	q := s.question()
	for range 10 {
		e := s.evaluation(q)
		start := func() {
			_, err := s.start(e.ID)
			if err != nil && errs.Of(err).Code != errs.Archived {
				t.Error(err)
			}
		}
		together(start, start, func() {
			_, err := s.archive(inventory.Evaluations, e.ID)
			if err != nil {
				t.Error(err)
			}
		}, start, start)
		var open int
		s.scan("select count(*) from sessions where tenant_id = $1 and evaluation_id = $2 and state = 'open'", e.ID, &open)
		if open != 0 {
			t.Fatalf("%d sessions are open", open)
		}
	}
}

// Submits and saves under way neither deadlock with the archiving nor lose what they
// acknowledged.
func TestArchiveMeetsSubmit(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	q := s.question()
	for range 10 {
		e := s.evaluation(q)
		first, second := s.mustStart(e.ID), s.mustStart(e.ID)
		var submitted error
		together(func() { submitted = s.submit(first) }, func() {
			err := s.save(second)
			if err != nil && errs.Of(err).Code != errs.SessionNotOpen {
				t.Error(err)
			}
		}, func() {
			err := s.remove(inventory.Evaluations, e.ID)
			if errs.Of(err).Code != errs.EvaluationInUse {
				t.Error(err)
			}
		})
		want := "submitted"
		if submitted != nil {
			wantCode(t, submitted, errs.SessionNotOpen)
			want = "closed"
		}
		var state string
		s.scan("select state from sessions where tenant_id = $1 and id = $2", first.ID, &state)
		if state != want {
			t.Errorf("got %s, want %s", state, want)
		}
	}
}

func TestTwoArchivesAtOnceMakeOneChange(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	id := s.question()
	changed := make(chan bool, 8)
	archive := func() {
		done, err := s.archive(inventory.Questions, id)
		if err != nil {
			t.Error(err)
		}
		changed <- done.Changed
	}
	together(archive, archive, archive, archive)
	close(changed)
	n := 0
	for c := range changed {
		if c {
			n++
		}
	}
	var events int
	s.scan("select count(*) from ledger_events where tenant_id = $1 and subject_id = $2 and event_type = 'question.archived'", id, &events)
	if n != 1 || events != 1 {
		t.Errorf("got %d changes and %d events, want one of each", n, events)
	}
}

// A question that somebody begins to use meanwhile is archived, or it is gone and nobody
// uses it.
func TestDeleteBesideItsFirstUse(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for range 10 {
		id := s.question()
		var used, removed error
		together(func() {
			_, used = do(s, s.operator, func(ctx context.Context, tx *db.Tx) (authoring.Evaluation, error) {
				e, err := authoring.CreateEvaluation(ctx, tx, sample.EvaluationInput(id))
				if err != nil {
					return e, err
				}
				return authoring.PublishEvaluation(ctx, tx, e.ID)
			})
		}, func() { removed = s.remove(inventory.Questions, id) })
		var items int
		s.scan("select count(*) from evaluation_items where tenant_id = $1 and question_id = $2", id, &items)
		got := [2]any{s.status(inventory.Questions, id), items}
		want := [2]any{"", 0}
		if removed != nil {
			wantCode(t, removed, errs.QuestionInUse)
			want = [2]any{"archived", 1}
		}
		if got != want || (used == nil) != (removed != nil) {
			t.Fatalf("got status and items %v, want %v; use: %v, delete: %v", got, want, used, removed)
		}
	}
}
