package authoring_test

import (
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Old versions of evaluations and passages are read as they were published; nobody can read
// them under another record or from another org unit.
func TestOldVersionsCanBeRead(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, true, "A")
	e := must(t, b, authoring.PublishEvaluation, must(t, b, authoring.CreateEvaluation, sample.EvaluationInput(q.ID)).ID)
	p := b.passage(t, true)
	must(t, b, b.updateEvaluation(e.ID), authoring.EvaluationPatch{Title: ref("Newer")})
	must(t, b, authoring.PublishEvaluation, e.ID)
	must(t, b, authoring.CreateEvaluationVersion, e.ID)
	must(t, b, b.updatePassage(p.ID), authoring.PassagePatch{Title: ref("Newer"), Content: sample.Content("Sea", "Meer")})
	must(t, b, sample.PublishPassage, p.ID)

	evaluations := must(t, b, authoring.ListEvaluationVersions, authoring.ListVersionsInput{ID: e.ID, Page: db.Page{Page: 1, Limit: 2}})
	if evaluations.Total != 3 || len(evaluations.Items) != 2 || evaluations.Items[0].Number != 3 || evaluations.Items[0].Status != "draft" ||
		evaluations.Items[1].Title != "Newer" || evaluations.Items[1].SnapshotHash == "" || evaluations.Items[1].PublishedAt == nil {
		t.Errorf("got %+v", evaluations)
	}
	passages := must(t, b, authoring.ListPassageVersions, authoring.ListVersionsInput{ID: p.ID})
	if passages.Total != 2 || passages.Items[1].ID != p.Published.ID || passages.Items[1].Title != p.Title || passages.Items[1].ContentHash != p.Published.ContentHash {
		t.Errorf("got %+v", passages)
	}
	old := must(t, b, authoring.GetEvaluationVersion, authoring.VersionInput{ID: e.ID, VersionID: e.Published.ID})
	if old.Title != e.Title || old.Snapshot == nil || len(old.Pins) != 1 {
		t.Errorf("got %+v", old)
	}
	before := must(t, b, authoring.GetPassageVersion, authoring.VersionInput{ID: p.ID, VersionID: p.Published.ID})
	if before.Extracts["en"] != "The river rises." || before.PassageID != p.ID || before.Number != 1 {
		t.Errorf("got %+v", before)
	}
	_, err := write(t, b, authoring.GetPassageVersion, authoring.VersionInput{ID: b.passage(t, true).ID, VersionID: p.Published.ID})
	wantCode(t, err, errs.NotFound)
	for name, other := range strangers(t, b) {
		_, err := write(t, other, authoring.ListPassageVersions, authoring.ListVersionsInput{ID: p.ID})
		wantCode(t, err, errs.NotFound)
		_, err = write(t, other, authoring.GetPassageVersion, authoring.VersionInput{ID: p.ID, VersionID: p.Published.ID})
		wantCode(t, err, errs.NotFound)
		_, err = write(t, other, authoring.ListEvaluationVersions, authoring.ListVersionsInput{ID: e.ID})
		if code := errs.Of(err).Code; code != errs.NotFound {
			t.Errorf("%s: got %s", name, code)
		}
	}
	_, err = write(t, b, authoring.ListEvaluationVersions, authoring.ListVersionsInput{ID: ids.New()})
	wantCode(t, err, errs.NotFound)
}
