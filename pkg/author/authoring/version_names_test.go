package authoring_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// A version has its own titles, those of sections that other versions have come in addition, and
// nobody reads them from another org unit.
func TestEvaluationVersionTexts(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	one, two := b.question(t, true, "A").ID, b.question(t, true, "B").ID
	stays, goes, comes := ids.New(), ids.New(), ids.New()
	section := func(id, q ids.ID, title string) authoring.SectionInput {
		return authoring.SectionInput{ID: id, Title: title, Items: []authoring.ItemInput{{QuestionID: q}}}
	}
	in := sample.EvaluationInput(one)
	in.Title, in.Sections = "First", []authoring.SectionInput{section(stays, one, "Reading"), section(goes, two, "Listening")}
	e := must(t, b, authoring.CreateEvaluation, in)
	first := must(t, b, authoring.PublishEvaluation, e.ID).Published.ID
	must(t, b, authoring.CreateEvaluationVersion, e.ID)
	must(t, b, b.updateEvaluation(e.ID), authoring.EvaluationPatch{Title: ref("Second"),
		Sections: &[]authoring.SectionInput{section(stays, one, "Close reading"), section(comes, two, "Writing")}})
	second := must(t, b, authoring.PublishEvaluation, e.ID).Published.ID
	for version, want := range map[ids.ID]authoring.EvaluationTexts{
		first:  {Title: "First", Sections: map[ids.ID]string{stays: "Reading", goes: "Listening", comes: "Writing"}},
		second: {Title: "Second", Sections: map[ids.ID]string{stays: "Close reading", goes: "Listening", comes: "Writing"}},
	} {
		if diff := cmp.Diff(want, must(t, b, authoring.EvaluationVersionTexts, version)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Title, diff)
		}
	}
	_, err := write(t, b, authoring.EvaluationVersionTexts, ids.New())
	wantCode(t, err, errs.NotFound)
	b.scope.OrgUnit, b.scope.All = ids.New(), false
	_, err = write(t, b, authoring.EvaluationVersionTexts, first)
	wantCode(t, err, errs.NotFound)
}
