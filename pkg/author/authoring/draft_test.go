package authoring_test

import (
	"context"
	"slices"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// tryQuestion, tryPassage and tryEvaluation publish in a dry run, which the caller rolls back.
func tryQuestion(ctx context.Context, tx *db.Tx, id ids.ID) (authoring.QuestionPublication, error) {
	return authoring.PublishQuestionDraft(ctx, tx, authoring.PublishInput{ID: id, DryRun: true})
}

func tryPassage(ctx context.Context, tx *db.Tx, id ids.ID) (authoring.PassagePublication, error) {
	return authoring.PublishPassageDraft(ctx, tx, authoring.PublishInput{ID: id, DryRun: true})
}

func tryEvaluation(ctx context.Context, tx *db.Tx, id ids.ID) (authoring.EvaluationPublication, error) {
	return authoring.PublishEvaluationDraft(ctx, tx, authoring.PublishInput{ID: id, DryRun: true})
}

// rehearse runs an operation that is rolled back.
func rehearse[Out any](t *testing.T, b bench, operation func(context.Context, *db.Tx, ids.ID) (Out, error), id ids.ID) Out {
	t.Helper()
	var out Out
	err := b.Store.DryRun(t.Context(), b.scope, func(tx *db.Tx) error {
		var err error
		out, err = operation(t.Context(), tx, id)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// codes tells problems and warnings by path and code.
func codes(found []errs.Field) []string {
	all := []string{}
	for _, f := range found {
		all = append(all, f.Path+" "+f.Code)
	}
	slices.Sort(all)
	return all
}

func wantCodes(t *testing.T, what string, found []errs.Field, want ...string) {
	t.Helper()
	if got := codes(found); found == nil || !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// A draft may lack what a published version must have. The question names what it lacks
// whenever it is written or read, in a dry run, and in the refusal to publish.
func TestDraftsMayBeIncomplete(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	option := func(id string, right bool) authoring.OptionInput {
		return authoring.OptionInput{ID: id, Content: sample.Content(id, id), IsCorrect: right}
	}
	for name, test := range map[string]struct {
		in             authoring.QuestionInput
		lacks, ofQuery []string
	}{
		"mcq without options":      {authoring.QuestionInput{QType: scoring.MCQ}, []string{"options too_few_options", "options one_correct_option"}, []string{"options too_few_options"}},
		"mcq without a right one":  {authoring.QuestionInput{QType: scoring.MCQ, Options: []authoring.OptionInput{option("A", false), option("B", false)}}, []string{"options one_correct_option"}, nil},
		"mcq with two right ones":  {authoring.QuestionInput{QType: scoring.MCQ, Options: []authoring.OptionInput{option("A", true), option("B", true)}}, []string{"options one_correct_option"}, []string{"options one_correct_option"}},
		"mrq without a right one":  {authoring.QuestionInput{QType: scoring.MRQ, Options: []authoring.OptionInput{option("A", false), option("B", false)}, Scoring: &authoring.QuestionScoring{MaxSelections: 2}}, []string{"options no_correct_option"}, nil},
		"mrq with narrow bounds":   {authoring.QuestionInput{QType: scoring.MRQ, Options: []authoring.OptionInput{option("A", true), option("B", true)}, Scoring: &authoring.QuestionScoring{MaxSelections: 1}}, []string{"scoring.maxSelections out_of_range"}, []string{"scoring.maxSelections out_of_range"}},
		"mrq that asks for more":   {authoring.QuestionInput{QType: scoring.MRQ, Options: []authoring.OptionInput{option("A", false)}, Scoring: &authoring.QuestionScoring{MinSelections: 2}}, []string{"options no_correct_option", "scoring.minSelections out_of_range"}, []string{"scoring.minSelections out_of_range"}},
		"short_text without a key": {authoring.QuestionInput{QType: scoring.ShortText}, []string{"scoring.acceptedAnswers required"}, nil},
		"numeric without a key":    {authoring.QuestionInput{QType: scoring.Numeric}, []string{"scoring.value required"}, nil},
		"empty words":              {authoring.QuestionInput{QType: scoring.Essay, Explanation: sample.Content(" ", "x")}, []string{"explanation required"}, []string{"explanation required"}},
	} {
		for _, scored := range []bool{true, false} {
			want := test.lacks
			if !scored {
				name, want = name+", a survey item", test.ofQuery
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				in := test.in
				in.Stem, in.ContributesToScore = sample.Content("Why?", "Warum?"), &scored
				q := must(t, b, authoring.CreateQuestion, in)
				wantCodes(t, "created", q.Problems, want...)
				wantCodes(t, "changed", must(t, b, b.updateQuestion(q.ID), authoring.QuestionPatch{Weight: ref(2.0)}).Problems, want...)
				wantCodes(t, "read", must(t, b, authoring.GetQuestion, q.ID).Problems, want...)
				tried := rehearse(t, b, tryQuestion, q.ID)
				wantCodes(t, "tried", tried.Problems, want...)
				wantCodes(t, "warnings", tried.Warnings)
				if must(t, b, authoring.GetQuestion, q.ID).Draft == nil || !tried.DryRun || (tried.Draft == nil) != (len(want) == 0) {
					t.Errorf("a dry run published: %+v", tried)
				}
				wantCodes(t, "for imports", append([]errs.Field{}, in.Problems("")...), want...)
				_, err := write(t, b, authoring.PublishQuestion, q.ID)
				if len(want) > 0 {
					wantFields(t, err, errs.PublishBlocked, want...)
				} else if err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// Input that cannot be stored in a meaningful way is still refused.
func TestDraftsRefuseWhatMeansNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	in := authoring.QuestionInput{QType: scoring.MRQ, Stem: []byte(`{"defaultLocale":"en"}`), Scoring: &authoring.QuestionScoring{Method: "best", MinSelections: -1, MaxSelections: -1},
		Options: []authoring.OptionInput{{ID: "A", Content: sample.Content("a", "a")}, {ID: "A", Content: sample.Content("b", "b")}}}
	_, err := write(t, b, authoring.CreateQuestion, in)
	for _, want := range []string{"options[1].id duplicate_option", "scoring.method out_of_range", "scoring.minSelections out_of_range", "scoring.maxSelections out_of_range"} {
		if !slices.Contains(codes(errs.Of(err).Fields), want) {
			t.Errorf("%s is missing: %v", want, err)
		}
	}
}

// An option without an id gets a letter that no other option has, the one of its place if it is free.
func TestAutomaticOptionIDsCollideWithNone(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, test := range []struct{ given, want []string }{
		{[]string{"", "", ""}, []string{"A", "B", "C"}},
		{[]string{"B", "", ""}, []string{"B", "A", "C"}},
		{[]string{"", "A", ""}, []string{"B", "A", "C"}},
		{[]string{"C", "", "", "A", ""}, []string{"C", "B", "D", "A", "E"}},
		{[]string{"x", "", "D", ""}, []string{"x", "B", "D", "A"}},
	} {
		in := authoring.QuestionInput{QType: scoring.MCQ, Stem: sample.Content("Why?", "Warum?")}
		for i, id := range test.given {
			in.Options = append(in.Options, authoring.OptionInput{ID: id, Content: sample.Content("x", "y"), IsCorrect: i == 0})
		}
		var got []string
		for _, o := range must(t, b, authoring.CreateQuestion, in).Draft.Options {
			got = append(got, o.ID)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("given %q: got %q, want %q", test.given, got, test.want)
		}
	}
}

// A dry run of an evaluation needs no proof, finds what publishing would, and leaves nothing.
func TestDryRunOfAnEvaluation(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, true, "A")
	e := must(t, b, authoring.CreateEvaluation, sample.EvaluationInput(q.ID, b.question(t, false, "A").ID))
	b.scope = sample.As(b.scope, ids.New(), capability.EvaluationsRead, capability.EvaluationsWrite)
	tried := rehearse(t, b, tryEvaluation, e.ID)
	wantCodes(t, "problems", tried.Problems, "sections[0].items[1].questionId question_not_published")
	if tried.Draft == nil || tried.Published != nil || !tried.DryRun {
		t.Errorf("got %+v", tried)
	}
	must(t, b, b.updateEvaluation(e.ID), authoring.EvaluationPatch{Sections: ref(sample.EvaluationInput(q.ID).Sections)})
	tried = rehearse(t, b, tryEvaluation, e.ID)
	wantCodes(t, "problems", tried.Problems)
	if tried.Published == nil || tried.Published.SnapshotHash == "" {
		t.Errorf("got %+v", tried)
	}
	if read := must(t, b, authoring.GetEvaluation, e.ID); read.Published != nil {
		t.Errorf("the dry run published: %+v", read)
	}
	_, err := write(t, b, authoring.PublishEvaluation, e.ID)
	wantCode(t, err, errs.StepUpRequired)
}
