package intake_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/exchange"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/intake"
)

// exportTests gives a file, and what the preview says too.
func (b bench) exportTests(one ids.ID, accept bool) ([]byte, exchange.Report, error) {
	b.Helper()
	var file bytes.Buffer
	var said exchange.Report
	in := intake.BankExport{Format: "qti", AcceptScoringChanges: accept}
	err := b.store.Report(b.Context(), b.scope, func(tx *db.Tx) error {
		var err error
		said, err = intake.ExportTests(b.Context(), tx, in, one, &file)
		if err != nil {
			return err
		}
		shown, err := intake.PreviewTestExport(b.Context(), tx, in, one)
		if diff := cmp.Diff(said, shown); err == nil && diff != "" {
			b.Errorf("the preview says (-export +preview)\n%s", diff)
		}
		return err
	})
	return file.Bytes(), said, err
}

// An evaluation goes out as a test with its questions, and comes into another tenant as the same draft.
func TestAnEvaluationGoesOutAsATestAndComesInAgain(t *testing.T) {
	t.Parallel()
	b := withQuestions(t)
	b.must(intake.CommitEvaluations, "evaluation,title,section,question,weight,timeLimitSeconds,navigation,shuffleItems,sectionTimeLimitSeconds\n"+
		"e1,An exam,Easy,q1,2.5,3600,linear,yes,60\ne1,,,q2,,,,,\ne1,,Hard,q3,,,,,\n")
	file, said, err := b.exportTests(ids.None, false)
	if err != nil || said.Items != 4 || said.Whole != 4 {
		t.Fatalf("exported %+v, %v", said, err)
	}
	in := intake.Input{Data: file}
	done, err := b.commit(intake.CommitEvaluations, in)
	if err != nil || counts(done) != "total 1 created 0 changed 0 unchanged 1 skipped 0 published 0" || len(done.Notices.Notices) > 0 {
		t.Errorf("again: %s, %v, %+v", counts(done), err, done.Notices)
	}
	other := newBench(t)
	p, err := other.preview(intake.PreviewEvaluations, in)
	if err != nil || p.ValidCount != 0 {
		t.Fatalf("without its questions: %+v, %v", p, err)
	}
	if diff := cmp.Diff([]string{"tests/1.xml e1:2:unknown_question", "tests/1.xml e1:2:unknown_question", "tests/1.xml e1:2:unknown_question"}, codes(p.Errors)); diff != "" {
		t.Errorf("errors (-want +got)\n%s", diff)
	}
	if _, err = other.commit(intake.CommitEvaluations, in); !errors.Is(err, errs.ImportInvalid) {
		t.Errorf("a test without its questions: %v", err)
	}
	if done, err = other.commit(intake.CommitQuestions, in); err != nil || done.Created != 3 {
		t.Fatalf("questions: %s, %v", counts(done), err)
	}
	if done, err = other.commit(intake.CommitEvaluations, in); err != nil || done.Created != 1 {
		t.Fatalf("tests: %s, %v", counts(done), err)
	}
	want, got := b.evaluation("e1").Draft, other.evaluation("e1").Draft
	if diff := cmp.Diff(want.Settings, got.Settings); diff != "" || got.Title != "An exam" || len(got.Sections) != 2 || *got.Sections[0].TimeLimitSeconds != 60 ||
		len(got.Sections[0].Items) != 2 || *got.Sections[0].Items[0].Weight != 2.5 || got.Sections[1].Title != "Hard" {
		t.Errorf("came in as %+v\n%s", got, diff)
	}
}

// A test cannot have a pass mark: it goes out with a yes, and an import leaves it as it is.
func TestWhatATestCannotHaveStays(t *testing.T) {
	t.Parallel()
	b := withQuestions(t)
	b.must(intake.CommitEvaluations, "evaluation,question,passMarkPercent,maxAttemptsPerUser,terms\ne1,q1,60,3,topic:cells\ne2,q2,,,\n")
	_, said, err := b.exportTests(ids.None, false)
	if err != nil || said.Refused != 1 || said.Counts["test_processing"] != 1 || said.Counts["test_setting_dropped"] != 2 {
		t.Fatalf("exported %+v, %v", said, err)
	}
	before := b.evaluation("e1")
	file, said, err := b.exportTests(before.ID, true)
	if err != nil || said.Items != 2 || said.Noticed != 1 {
		t.Fatalf("exported %+v, %v", said, err)
	}
	done, err := b.commit(intake.CommitEvaluations, intake.Input{Data: file})
	if err != nil || done.Unchanged != 1 || *b.evaluation("e1").Draft.Settings.PassMarkPercent != 60 || len(b.evaluation("e1").Draft.TaxonomyTermIDs) != 1 {
		t.Errorf("again: %s, %v", counts(done), err)
	}
	if _, _, err := b.exportTests(ids.New(), true); !errors.Is(err, errs.NotFound) {
		t.Errorf("an evaluation that nobody has: %v", err)
	}
	if _, _, err := b.as(capability.EvaluationsRead).exportTests(ids.None, true); !errors.Is(err, errs.Forbidden) {
		t.Errorf("without questions.read: %v", err)
	}
}

func TestWhatIsWrongWithATestIsNamed(t *testing.T) {
	t.Parallel()
	b := withQuestions(t)
	test := func(more string) string {
		return `<assessmentTest xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="t1" title="T"><testPart identifier="p" navigationMode="linear"><assessmentSection identifier="a" title="A">` + more +
			`<assessmentItemRef identifier="q1" href="q1.xml"/></assessmentSection></testPart></assessmentTest>`
	}
	for name, c := range map[string]struct{ data, want string }{
		"whole":          {test(""), ""},
		"a selection":    {test(`<selection select="1"/>`), "t1:1:selection_dropped"},
		"the same twice": {test(`<assessmentItemRef identifier="q1" href="q1.xml"/>`), ""},
		"no weight":      {test(`<assessmentItemRef identifier="q2" href="q2.xml"><weight identifier="w" value="0"/></assessmentItemRef>`), "t1:1:out_of_range"},
		"broken":         {strings.Replace(test(""), "</testPart>", "", 1), ":1:malformed"},
		"no tests":       {`<questestinterop><item ident="q1"/></questestinterop>`, ":0:unknown_format"},
		"another format": {`<?xml version="1.0"?><quiz/>`, ":1:not_csv"},
	} {
		p, err := b.preview(intake.PreviewEvaluations, intake.Input{Data: []byte(c.data)})
		if got := strings.Join(codes(p.Errors), " "); err != nil || got != c.want {
			t.Errorf("%s: %s, want %s, %v", name, got, c.want, err)
		}
	}
	done, err := b.commit(intake.CommitEvaluations, intake.Input{Data: []byte(test(`<selection select="1"/>`)), AcceptScoringChanges: true})
	if err != nil || done.Created != 1 {
		t.Errorf("accepted: %s, %v", counts(done), err)
	}
	if _, err := b.as(capability.EvaluationsRead, capability.QuestionsRead).commit(intake.CommitEvaluations, intake.Input{Data: []byte(test(""))}); !errors.Is(err, errs.Forbidden) {
		t.Errorf("without evaluations.write: %v", err)
	}
}
