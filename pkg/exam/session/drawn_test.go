package session_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// drawnRoom has a published evaluation of a fixed question, a passage with two, and a draw
// of two out of five, each worth two points.
func drawnRoom(t *testing.T) *room {
	r := newRoom(t, authoring.Settings{})
	weight := 2.0
	sample.Write(t, r.store, r.operator, func(tx *db.Tx) error {
		term := sample.Term(t, tx, "topic", "rivers")
		for range 5 {
			in := sample.QuestionInput("A")
			in.TaxonomyTermIDs = []ids.ID{term}
			q, err := authoring.CreateQuestion(t.Context(), tx, in)
			if err != nil {
				return err
			}
			_, err = authoring.PublishQuestion(t.Context(), tx, q.ID)
			if err != nil {
				return err
			}
		}
		passage := sample.Passage(t, tx, sample.Question(t, tx, "A").ID, sample.Question(t, tx, "A").ID)
		in := sample.EvaluationInput(sample.Question(t, tx, "A").ID)
		in.Settings.ShuffleItems, in.Settings.ShuffleOptions = true, true
		in.Sections[0].Items = append(in.Sections[0].Items, authoring.ItemInput{PassageID: passage.ID},
			authoring.ItemInput{Draw: &authoring.Draw{Count: 2, TaxonomyTermIDs: []ids.ID{term}}, Weight: &weight})
		e, err := authoring.CreateEvaluation(t.Context(), tx, in)
		if err != nil {
			return err
		}
		e, err = authoring.PublishEvaluation(t.Context(), tx, e.ID)
		if err != nil {
			return err
		}
		snapshot, err := authoring.LoadSnapshot(t.Context(), tx, e.Published.ID)
		r.snapshot = *snapshot
		return err
	})
	return r
}

func TestSessionShowsWhatItDrew(t *testing.T) {
	t.Parallel()
	r := drawnRoom(t)
	if n := len(r.snapshot.Sections[0].Items); n != 8 {
		t.Fatalf("the snapshot has %d items, want 1 + 2 + 5", n)
	}
	s := r.start(r.candidate)
	shown := s.Sections[0].Items
	if len(shown) != 5 || len(s.Passages) != 1 || s.Passages[0].Content.DefaultLocale != "en" {
		t.Fatalf("shows %d items and %d passages, want 5 and 1", len(shown), len(s.Passages))
	}
	about := 0
	for _, item := range shown {
		if item.PassageVersionID != nil && *item.PassageVersionID == s.Passages[0].PassageVersionID && *item.PassageID == s.Passages[0].PassageID {
			about++
		}
	}
	if about != 2 {
		t.Errorf("%d items name the passage, want 2", about)
	}
	again, err := r.get(r.candidate, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s.Sections, again.Sections); diff != "" {
		t.Errorf("going on shows something else:\n%s", diff)
	}
}

func TestSubmissionHoldsWhatWasShown(t *testing.T) {
	t.Parallel()
	r := drawnRoom(t)
	s := r.start(r.candidate)
	isShown := func(id ids.ID) bool {
		return slices.ContainsFunc(s.Sections[0].Items, func(i session.Item) bool { return i.ItemID == id })
	}
	var answers []session.Answer
	for _, item := range r.snapshot.Sections[0].Items {
		one := answer(item.ItemID, 1, `{"optionIds":["A"]}`)
		if isShown(item.ItemID) {
			answers = append(answers, one)
			continue
		}
		_, err := r.save(r.candidate, s.ID, one)
		if !refusedAs(err, "answers[0].itemId", "unknown_item") {
			t.Errorf("an item that is not shown: got %v", err)
		}
	}
	_, err := r.save(r.candidate, s.ID, answers...)
	if err != nil {
		t.Fatal(err)
	}
	result, err := r.submit(r.candidate, s.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	var record submission.Submission
	err = r.store.Read(t.Context(), r.operator, func(tx *db.Tx) error {
		record, err = submission.Get(t.Context(), tx, submission.GetInput{ID: s.ID})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if *result.Score != 7 || *result.MaxScore != 7 || len(record.Items) != 5 {
		t.Errorf("got %v of %v in %d items, want 7 of 7 in 5", *result.Score, *result.MaxScore, len(record.Items))
	}
	for i, item := range record.Items {
		if want := s.Sections[0].Items[i].ItemID; item.ItemID != want {
			t.Errorf("place %d: got item %s, want %s as it was shown", i, item.ItemID, want)
		}
	}
}

func refusedAs(err error, path, code string) bool {
	return err != nil && slices.ContainsFunc(errs.Of(err).Fields, func(f errs.Field) bool { return f.Path == path && f.Code == code })
}
