package session_test

import (
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// poolRoom draws two out of six questions.
func poolRoom(t *testing.T, policy authoring.ExposurePolicy) *room {
	t.Helper()
	r := newRoom(t, authoring.Settings{})
	r.author(func(tx *db.Tx, in *authoring.EvaluationInput) {
		term := sample.Term(t, tx, "topic", "rivers")
		for range 6 {
			q := sample.QuestionInput("A")
			q.TaxonomyTermIDs = []ids.ID{term}
			made, err := authoring.CreateQuestion(t.Context(), tx, q)
			if err != nil {
				t.Fatal(err)
			}
			_, err = authoring.PublishQuestion(t.Context(), tx, made.ID)
			if err != nil {
				t.Fatal(err)
			}
		}
		in.Settings.ExposurePolicy = policy
		in.Sections[0].Items = append(in.Sections[0].Items,
			authoring.ItemInput{Draw: &authoring.Draw{Count: 2, TaxonomyTermIDs: []ids.ID{term}}})
	}, 1)
	return r
}

// drawn gives the questions of a session that are not fixed.
func drawnIn(s session.Session) []ids.ID {
	var all []ids.ID
	for _, item := range s.Sections[0].Items[1:] {
		all = append(all, item.QuestionID)
	}
	return all
}

func TestAvoidSeenDrawsWhatThePersonHasNotSeen(t *testing.T) {
	t.Parallel()
	r := poolRoom(t, authoring.ExposurePolicy{AvoidSeen: true})
	for range 3 {
		somebody, seen := r.person(capability.SessionsTake), map[ids.ID]bool{}
		for attempt := range 4 {
			questions := drawnIn(r.start(somebody))
			if len(questions) != 2 {
				t.Fatalf("%d questions were drawn, want 2", len(questions))
			}
			for _, q := range questions {
				// Three attempts see the six; the fourth is as far as the pool allows.
				if seen[q] && attempt < 3 {
					t.Errorf("attempt %d shows a question again", attempt+1)
				}
				seen[q] = true
			}
		}
		if len(seen) != 6 {
			t.Errorf("four attempts saw %d questions, want all 6", len(seen))
		}
	}
}

func TestQuestionIsDrawnForSoManySessionsAtMost(t *testing.T) {
	t.Parallel()
	r := poolRoom(t, authoring.ExposurePolicy{MaxExposurePerQuestion: ptr(2)})
	// Six sessions at once use up what the bound allows: 6 questions, twice each, 2 a session.
	shown := make(chan ids.ID, 12)
	together(6, func(int) {
		s, err := r.tryStart(r.candidate, session.StartInput{EvaluationID: r.snapshot.EvaluationID})
		if err != nil {
			t.Error(err)
			return
		}
		for _, q := range drawnIn(s) {
			shown <- q
		}
	})
	close(shown)
	times := map[ids.ID]int{}
	for q := range shown {
		times[q]++
	}
	for q, n := range times {
		if n != 2 {
			t.Errorf("question %s was drawn %d times, want 2", q, n)
		}
	}
	// Beyond it the least drawn come first.
	next := drawnIn(r.start(r.candidate))
	for _, q := range drawnIn(r.start(r.candidate)) {
		for _, before := range next {
			if q == before {
				t.Error("a question over the bound is drawn again while others have been drawn less")
			}
		}
	}
}

// A draw by a policy holds for the whole session: reading, saving and scoring.
func TestSparedDrawHoldsForTheSession(t *testing.T) {
	t.Parallel()
	r := poolRoom(t, authoring.ExposurePolicy{AvoidSeen: true, MaxExposurePerQuestion: ptr(1)})
	r.start(r.candidate)
	s := r.start(r.candidate)
	shows := map[ids.ID]bool{}
	var answers []session.Answer
	for _, item := range s.Sections[0].Items {
		shows[item.ItemID] = true
		answers = append(answers, answer(item.ItemID, 1, choseA))
	}
	for _, desk := range []*session.Desk{r.desk, session.NewDesk()} {
		r.desk = desk
		for _, item := range r.snapshot.Sections[0].Items {
			_, err := r.save(r.candidate, s.ID, answer(item.ItemID, 1, choseA))
			if shows[item.ItemID] != (err == nil) || err != nil && errs.Of(err).Code != errs.ValidationFailed {
				t.Fatalf("shown %t, saved: %v", shows[item.ItemID], err)
			}
		}
	}
	if _, err := r.save(r.candidate, s.ID, answers...); err != nil {
		t.Fatal(err)
	}
	done, err := r.submit(r.candidate, s.ID, nil)
	if err != nil || *done.Score != 3 || *done.MaxScore != 3 {
		t.Errorf("got %+v, %v", done, err)
	}
}
