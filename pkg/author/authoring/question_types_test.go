package authoring_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/scoring"
)

func TestEachTypeHasItsOwnParts(t *testing.T) {
	t.Parallel()
	full := authoring.QuestionScoring{Method: scoring.AllOrNothing, MinSelections: 1, MaxSelections: 1,
		AcceptedAnswers: []string{"yes"}, Value: ref(1.0), Tolerance: 0.5, Order: []string{"A", "B", "C", "D"},
		Pairs: []scoring.Pair{{"p1", "A"}}, MaxPerPrompt: 1, MaxPerOption: 1}
	all := []string{"options", "scoring.method", "scoring.minSelections", "scoring.maxSelections",
		"scoring.acceptedAnswers", "scoring.value", "scoring.tolerance", "scoring.order", "prompts", "layout", "scoring.pairs", "scoring.maxPerPrompt", "scoring.maxPerOption", "gaps", "pool", "reuse"}
	for _, row := range scoring.Types {
		t.Run(string(row.Name), func(t *testing.T) {
			t.Parallel()
			in := sample.QuestionInput("A")
			in.QType, in.Scoring, in.Layout = row.Name, &full, "grid"
			in.Prompts = []authoring.PromptInput{{Content: sample.Content("One", "Eins")}}
			in.Gaps, in.Pool, in.Reuse = []authoring.GapInput{{Kind: scoring.GapText, AcceptedAnswers: []string{"yes"}}}, in.Prompts, true
			var want []string
			for _, part := range all {
				if !slices.ContainsFunc(row.Parts, func(p scoring.Part) bool { return p.Path == part }) {
					want = append(want, part+" unsupported")
				}
			}
			if row.HasOptions() && !row.Chooses() {
				want = append(want, "options[0].isCorrect unsupported")
			}
			if row.Has(scoring.PartGaps) {
				want = append(want, "gaps[0] gap_not_in_stem")
			}
			for _, part := range row.Parts {
				if !slices.Contains(all, part.Path) || !slices.Contains(scoring.Parts, part) {
					t.Errorf("nothing is known of the part %s", part.Path)
				}
			}
			wantFields(t, errs.Invalid(in.Problems("")...), errs.ValidationFailed, want...)
		})
	}
}

func TestKeyProblems(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		qtype   scoring.QType
		scoring authoring.QuestionScoring
		want    []string
	}{
		{"short_text without an answer", scoring.ShortText, authoring.QuestionScoring{}, []string{"scoring.acceptedAnswers required"}},
		{"empty accepted answer", scoring.ShortText, authoring.QuestionScoring{AcceptedAnswers: []string{"a", " \t"}},
			[]string{"scoring.acceptedAnswers[1] required"}},
		{"duplicate after folding", scoring.ShortText, authoring.QuestionScoring{AcceptedAnswers: []string{"Lake  Constance", "b", " lake constance"}},
			[]string{"scoring.acceptedAnswers[2] duplicate_answer"}},
		{"NUL and length", scoring.ShortText, authoring.QuestionScoring{AcceptedAnswers: []string{"a\x00", strings.Repeat("x", 1001), "\xff"}},
			[]string{"scoring.acceptedAnswers[0] invalid_text", "scoring.acceptedAnswers[1] too_long", "scoring.acceptedAnswers[2] invalid_text"}},
		{"too many answers", scoring.ShortText, authoring.QuestionScoring{AcceptedAnswers: make([]string, 101)},
			[]string{"scoring.acceptedAnswers too_many"}},
		{"numeric without a value", scoring.Numeric, authoring.QuestionScoring{}, []string{"scoring.value required"}},
		{"tolerance without a value", scoring.Numeric, authoring.QuestionScoring{Tolerance: 1}, []string{"scoring.value required"}},
		{"tolerance below 0", scoring.Numeric, authoring.QuestionScoring{Value: ref(0.0), Tolerance: -1}, []string{"scoring.tolerance out_of_range"}},
		{"NaN", scoring.Numeric, authoring.QuestionScoring{Value: ref(math.NaN()), Tolerance: math.NaN()},
			[]string{"scoring.value invalid_number", "scoring.tolerance out_of_range"}},
		{"infinite", scoring.Numeric, authoring.QuestionScoring{Value: ref(math.Inf(-1)), Tolerance: math.Inf(1)},
			[]string{"scoring.value invalid_number", "scoring.tolerance out_of_range"}},
		{"order without options or an order", scoring.Order, authoring.QuestionScoring{}, []string{"options too_few_options", "scoring.order required"}},
		{"an order of what is not there", scoring.Order, authoring.QuestionScoring{Order: []string{"A", "A"}},
			[]string{"scoring.order[0] unknown_option", "scoring.order[1] unknown_option", "options too_few_options"}},
		{"numeric", scoring.Numeric, authoring.QuestionScoring{Value: ref(0.0)}, nil},
		{"short_text", scoring.ShortText, authoring.QuestionScoring{AcceptedAnswers: []string{"a", "b"}}, nil},
		{"essay", scoring.Essay, authoring.QuestionScoring{}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := authoring.QuestionInput{QType: test.qtype, Stem: sample.Content("Why?", "Warum?"), Scoring: &test.scoring}
			code := errs.ValidationFailed
			if test.want == nil {
				code = ""
			}
			err := errs.Invalid(in.Problems("")...)
			wantCode(t, err, code)
			if err != nil {
				wantFields(t, err, code, test.want...)
			}
		})
	}
}

func TestKeysReachTheSnapshot(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	keys := map[scoring.QType]authoring.QuestionScoring{
		scoring.ShortText: {AcceptedAnswers: []string{"Lake Constance", "Bodensee"}},
		scoring.Numeric:   {Value: ref(9.81), Tolerance: 0.01},
		scoring.Essay:     {},
	}
	for _, qtype := range []scoring.QType{scoring.ShortText, scoring.Numeric, scoring.Essay} {
		t.Run(string(qtype), func(t *testing.T) {
			t.Parallel()
			in := authoring.QuestionInput{QType: qtype, Stem: sample.Content("Why?", "Warum?"), Scoring: ref(keys[qtype]), Weight: ref(2.5)}
			q := must(t, b, authoring.PublishQuestion, must(t, b, authoring.CreateQuestion, in).ID)
			if diff := cmp.Diff(keys[qtype], q.Published.Scoring); diff != "" {
				t.Errorf("version (-want +got):\n%s", diff)
			}
			e := must(t, b, authoring.PublishEvaluation, must(t, b, authoring.CreateEvaluation, sample.EvaluationInput(q.ID)).ID)
			got := must(t, b, authoring.LoadSnapshot, e.Published.ID).Sections[0].Items[0].Key
			want := scoring.Key{QType: qtype, Weight: 2.5, Accepted: keys[qtype].AcceptedAnswers, Tolerance: keys[qtype].Tolerance, ContributesToScore: true,
				Folding: scoring.Folding{Rule: scoring.NewestFolding, Locale: "en"}}
			if v := keys[qtype].Value; v != nil {
				want.Value = *v
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("key (-want +got):\n%s", diff)
			}
		})
	}
}

// A client that changes the type sends the new key with it, and the parts of the old
// type are gone or reported.
func TestChangeOfTypeNeedsTheNewKey(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	q := b.question(t, false, "A")
	_, err := write(t, b, b.updateQuestion(q.ID), authoring.QuestionPatch{QType: ref(scoring.Numeric)})
	wantFields(t, err, errs.ValidationFailed, "options unsupported")
	got := must(t, b, b.updateQuestion(q.ID), authoring.QuestionPatch{QType: ref(scoring.Numeric), Options: ref([]authoring.OptionInput{}),
		Scoring: &authoring.QuestionScoring{Value: ref(4.0)}})
	if got.Draft.QType != scoring.Numeric || len(got.Draft.Options) != 0 || *got.Draft.Scoring.Value != 4 {
		t.Errorf("got %+v", got.Draft)
	}
}
