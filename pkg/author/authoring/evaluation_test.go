package authoring_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

func TestEvaluationIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	one, two := b.question(t, true, "A").ID, b.question(t, false, "B").ID
	in := sample.EvaluationInput(one)
	in.Sections = append(in.Sections, authoring.SectionInput{Title: "More", Items: []authoring.ItemInput{{QuestionID: two, Weight: ref(2.5)}}})
	in.Settings = authoring.Settings{TimeLimitSeconds: ref(600), Navigation: "linear", PassMarkPercent: ref(60.0),
		ScoringConfig: scoring.Config{NegativeMarking: 0.25}}
	created := must(t, b, authoring.CreateEvaluation, in)
	got := must(t, b, authoring.GetEvaluation, created.ID)
	if diff := cmp.Diff(created, got); diff != "" {
		t.Errorf("read after create (-created +read):\n%s", diff)
	}
	want := in.Settings
	want.FeedbackMode, want.ReviewPolicy = "overall", "self_approve"
	if diff := cmp.Diff(want, got.Draft.Settings); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	second := got.Draft.Sections[1]
	if second.Title != "More" || second.Items[0].QuestionID != two || *second.Items[0].Weight != 2.5 || second.Items[0].ID == ids.None {
		t.Errorf("second section: got %+v", second)
	}
}

func TestEvaluationProblemsComeAllAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	archived := b.question(t, true, "A").ID
	b.archive(t, "questions", archived)
	same := ids.New()
	in := authoring.EvaluationInput{Title: " ", Sections: []authoring.SectionInput{
		{ID: same, Items: []authoring.ItemInput{{ID: same, QuestionID: ids.New()}, {Weight: ref(0.0)}, {QuestionID: archived}}},
	}, Settings: authoring.Settings{Navigation: "zigzag", PassMarkPercent: ref(101.0), CooloffSeconds: -1, MaxAttemptsPerUser: ref(0),
		ScoringConfig: scoring.Config{NegativeMarking: 2}}}
	_, err := write(t, b, authoring.CreateEvaluation, in)
	wantFields(t, err, errs.ValidationFailed, "title required", "sections[0].items[0].id duplicate_id",
		"sections[0].items[1] required", "sections[0].items[1].weight out_of_range",
		"settings.navigation out_of_range", "settings.max_attempts_per_user out_of_range", "settings.pass_mark_percent out_of_range",
		"settings.cooloff_seconds out_of_range", "settings.scoringConfig.negativeMarking out_of_range",
		"sections[0].items[0].questionId unknown_question", "sections[0].items[2].questionId archived")
}

func TestUpdateEvaluationReplacesWhatItNames(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, true, "A").ID
	e := must(t, b, authoring.CreateEvaluation, sample.EvaluationInput(q))
	got := must(t, b, b.updateEvaluation(e.ID), authoring.EvaluationPatch{Title: ref("Other")})
	if diff := cmp.Diff(e.Draft.Sections, got.Draft.Sections); diff != "" || got.Title != "Other" || got.Draft.Title != "Other" {
		t.Errorf("title %q, sections (-before +after):\n%s", got.Title, diff)
	}
	_, err := write(t, b, b.updateEvaluation(e.ID), authoring.EvaluationPatch{UpdatedAt: &e.UpdatedAt})
	wantCode(t, err, errs.StaleUpdate)
}

func TestUpdateOfPublishedEvaluationBeginsVersion(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	e := must(t, b, authoring.CreateEvaluation, sample.EvaluationInput(b.question(t, true, "A").ID))
	e = must(t, b, authoring.PublishEvaluation, e.ID)
	got := must(t, b, b.updateEvaluation(e.ID), authoring.EvaluationPatch{Title: ref("Next")})
	if got.Draft == nil || got.Draft.Number != 2 || got.Draft.Sections[0].Items[0].QuestionVersionID != nil || got.Draft.SnapshotHash != "" {
		t.Fatalf("got %+v", got.Draft)
	}
	if diff := cmp.Diff(e.Published, got.Published); diff != "" {
		t.Errorf("the published version changed (-before +after):\n%s", diff)
	}
}

func TestCreateEvaluationVersionCopiesThePublishedOne(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	e := must(t, b, authoring.CreateEvaluation, sample.EvaluationInput(b.question(t, true, "A").ID))
	_, err := write(t, b, authoring.CreateEvaluationVersion, e.ID)
	wantCode(t, err, errs.Conflict)
	e = must(t, b, authoring.PublishEvaluation, e.ID)
	got := must(t, b, authoring.CreateEvaluationVersion, e.ID)
	if got.Draft.Number != 2 || got.Draft.Sections[0].Items[0].ID != e.Published.Sections[0].Items[0].ID {
		t.Errorf("got %+v", got.Draft)
	}
}

func TestArchivedEvaluationCannotBeChanged(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	e := must(t, b, authoring.CreateEvaluation, sample.EvaluationInput(b.question(t, true, "A").ID))
	b.archive(t, "evaluations", e.ID)
	_, err := write(t, b, b.updateEvaluation(e.ID), authoring.EvaluationPatch{Title: ref("x")})
	wantCode(t, err, errs.Archived)
	_, err = write(t, b, authoring.PublishEvaluation, e.ID)
	wantCode(t, err, errs.Archived)
	_, err = write(t, b, authoring.PublishedVersion, e.ID)
	wantCode(t, err, errs.Archived)
}

func TestListEvaluations(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, true, "A").ID
	first := must(t, b, authoring.CreateEvaluation, sample.EvaluationInput(q))
	second := must(t, b, authoring.CreateEvaluation, sample.EvaluationInput(q))
	first = must(t, b, authoring.PublishEvaluation, first.ID)
	list := must(t, b, authoring.ListEvaluations, authoring.EvaluationFilter{})
	if list.Total != 2 || list.Items[0].ID != first.ID || list.Items[1].ID != second.ID {
		t.Errorf("got %+v", list)
	}
	list = must(t, b, authoring.ListEvaluations, authoring.EvaluationFilter{Status: "published"})
	if list.Total != 1 || *list.Items[0].PublishedVersionID != first.Published.ID || list.Items[0].HasDraft || list.Items[0].Number != 1 {
		t.Errorf("got %+v", list)
	}
	found := must(t, b, authoring.FindEvaluations, []string{second.ExternalID})
	if diff := cmp.Diff(map[string]ids.ID{second.ExternalID: second.ID}, found); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}
