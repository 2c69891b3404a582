package inventory_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// pinnedPassage is a passage whose version a published question pins.
func (s *shop) pinnedPassage() (authoring.Passage, authoring.Question) {
	s.t.Helper()
	var p authoring.Passage
	var q authoring.Question
	s.write(func(tx *db.Tx) {
		draft := sample.Draft(s.t, tx, "A")
		p = sample.Passage(s.t, tx, draft.ID)
		var err error
		q, err = authoring.PublishQuestion(s.t.Context(), tx, draft.ID)
		if err != nil {
			s.t.Fatal(err)
		}
	})
	return p, q
}

func TestPassageDeleteWhilePinnedArchivesAndAnswersPassageInUse(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	p, q := s.pinnedPassage()
	for range 2 {
		err := s.remove(inventory.Passages, p.ID)
		wantCode(t, err, errs.PassageInUse)
		if diff := cmp.Diff(map[string]any{"questionPins": int64(1), "sectionItems": int64(0)}, errs.Of(err).Details); diff != "" {
			t.Errorf("details (-want +got):\n%s", diff)
		}
		if got := s.status(inventory.Passages, p.ID); got != "archived" {
			t.Errorf("status %q, want archived", got)
		}
	}
	s.write(func(tx *db.Tx) {
		got, err := inventory.UsageOfPassage(t.Context(), tx, p.ID)
		if err != nil {
			t.Fatal(err)
		}
		want := inventory.References[inventory.QuestionPin]{Total: 1, Items: []inventory.QuestionPin{{QuestionID: q.ID,
			QuestionVersionID: q.Published.ID, Number: 1, PassageVersionID: p.Published.ID}}}
		if diff := cmp.Diff(want, got.QuestionPins); diff != "" || !got.InUse {
			t.Errorf("usage (-want +got):\n%s", diff)
		}
		restored, err := inventory.Restore(t.Context(), tx, inventory.Passages, p.ID)
		if err != nil || restored.Status != "published" {
			t.Errorf("restored: %+v, %v", restored, err)
		}
	})
}

func TestPassageDeleteWithoutUseRemovesIt(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	var linked, published ids.ID
	q := s.draft()
	s.write(func(tx *db.Tx) { linked, published = sample.Passage(t, tx, q).ID, sample.Passage(t, tx).ID })
	for _, id := range []ids.ID{linked, published} {
		wantCode(t, s.remove(inventory.Passages, id), "")
		wantCode(t, s.remove(inventory.Passages, id), errs.NotFound)
	}
	wantCode(t, s.remove(inventory.Questions, q), "")
}
