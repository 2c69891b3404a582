package intake_test

import (
	"slices"
	"strings"
	"testing"

	"assess/pkg/kernel/errs"
	"assess/pkg/surface/intake"
)

func TestRealBanksImportWithNoneLost(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file string
		questions  int
	}{
		{"English", "bank.csv", 1841},
		{"five other languages", "bank_i18n.csv", 431},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			in := intake.Input{Data: testdata(t, test.file), CreateTerms: true}
			b := newBench(t)
			shown, err := b.preview(intake.PreviewQuestions, in)
			want(t, err, "")
			if shown.Total != test.questions || shown.ValidCount != test.questions || shown.ErrorCount != 0 {
				t.Fatalf("preview: %d rows, %d valid, errors %v", shown.Total, shown.ValidCount, shown.Errors)
			}
			columns := slices.DeleteFunc(slices.Clone(shown.Warnings), func(p intake.Problem) bool { return strings.HasPrefix(p.Code, "lost_") }) // of Markdown
			if len(columns) != 3 {
				t.Errorf("warnings %v, want one for each of n_options, licence and source", shown.Warnings)
			}
			done, err := b.commit(intake.CommitQuestions, in)
			want(t, err, "")
			if done.Created != test.questions || b.count("questions") != test.questions {
				t.Errorf("%s, %d stored; want %d created", counts(done), b.count("questions"), test.questions)
			}
			again, err := b.commit(intake.CommitQuestions, in)
			want(t, err, "")
			if again.Unchanged != test.questions || b.count("question_versions") != test.questions {
				t.Errorf("again: %s, %d versions; want all unchanged", counts(again), b.count("question_versions"))
			}
		})
	}
}

func TestRealRejectsAreNamedAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	in := intake.Input{Data: testdata(t, "bank_rejects.csv"), CreateTerms: true}
	b := newBench(t)
	shown, err := b.preview(intake.PreviewQuestions, in)
	want(t, err, "")
	if shown.Total != 50 || shown.ErrorCount != 50 || shown.ValidCount != 0 {
		t.Errorf("total %d, errors on %d lines, %d valid; want 50, 50 and 0", shown.Total, shown.ErrorCount, shown.ValidCount)
	}
	withoutKey := map[int]bool{}
	for _, p := range shown.Errors {
		if p.Column == "correct" && p.Code == "required" && p.Message != "" {
			withoutKey[p.Line] = true
		}
	}
	for line := 2; line <= 51; line++ {
		if !withoutKey[line] {
			t.Errorf("line %d is not reported as lacking its right option", line)
		}
	}
	_, err = b.commit(intake.CommitQuestions, in)
	want(t, err, errs.ImportInvalid)
	if !strings.HasPrefix(errs.Of(err).Fields[0].Path, "line 2, column ") || b.count("questions") != 0 {
		t.Errorf("first field %v and %d questions, want line 2 and none", errs.Of(err).Fields[0], b.count("questions"))
	}
}
