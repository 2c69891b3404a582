package intake_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/intake"
)

const evaluationHeader = "evaluation,title,section,question,weight,passMarkPercent,timeLimitSeconds,feedbackMode,reviewPolicy," +
	"maxAttemptsPerUser,cooloffSeconds,navigation,shuffleItems,shuffleOptions,publish\n"

// withQuestions has the draft questions q1 to q3.
func withQuestions(t *testing.T) bench {
	t.Helper()
	b := newBench(t)
	b.must(intake.CommitQuestions, questionHeader+
		"q1,mcq,One?,a,b,,A,,,,,,,\nq2,mcq,Two?,a,b,,A,,,,,,,\nq3,mrq,Three?,a,b,c,AB,,,,,,,\n")
	return b
}

func (b bench) evaluation(externalID string) authoring.Evaluation {
	b.Helper()
	var e authoring.Evaluation
	err := b.store.Read(b.Context(), b.scope, func(tx *db.Tx) error {
		found, err := authoring.FindEvaluations(b.Context(), tx, []string{externalID})
		if err != nil {
			return err
		}
		e, err = authoring.GetEvaluation(b.Context(), tx, found[externalID])
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return e
}

func TestEvaluationIsWrittenAsTheFileSays(t *testing.T) {
	t.Parallel()
	b := withQuestions(t)
	b.must(intake.CommitEvaluations, evaluationHeader+
		"e1,Exam,Easy,q1,2,62.5,3600,items,Four-Eyes,3,60,linear,yes,no,no\n"+
		"e1,,,q2,,,,,,,,,,,\n"+
		"e2,,,q1,,,,,,,,,,,\n"+
		"e1,,Hard,q3,,,,,,,,,,,\n")
	got := b.evaluation("e1").Draft
	limit, attempts, pass := 3600, 3, 62.5
	settings := authoring.Settings{TimeLimitSeconds: &limit, Navigation: "linear", ShuffleItems: true, FeedbackMode: "items",
		PassMarkPercent: &pass, ReviewPolicy: "four_eyes", MaxAttemptsPerUser: &attempts, CooloffSeconds: 60}
	if diff := cmp.Diff(settings, got.Settings); diff != "" || got.Title != "Exam" {
		t.Errorf("title %q, settings (-want +got):\n%s", got.Title, diff)
	}
	shape := map[string][]ids.ID{}
	for _, s := range got.Sections {
		for _, i := range s.Items {
			shape[s.Title] = append(shape[s.Title], i.QuestionID)
		}
	}
	wanted := map[string][]ids.ID{"Easy": {b.question("q1").ID, b.question("q2").ID}, "Hard": {b.question("q3").ID}}
	if diff := cmp.Diff(wanted, shape); diff != "" {
		t.Errorf("questions by section (-want +got):\n%s", diff)
	}
	if w := got.Sections[0].Items[0].Weight; w == nil || *w != 2 {
		t.Errorf("weight of the first item = %v, want 2", w)
	}
	if title := b.evaluation("e2").Title; title != "e2" {
		t.Errorf("title of e2 = %q, want its external id", title)
	}
}

func TestEvaluationProblems(t *testing.T) {
	t.Parallel()
	b := withQuestions(t)
	type list = []string
	tests := []struct {
		name, rows string
		want       list
	}{
		{"good", "e,,,q1,,,,,,,,,,,\n", list{}},
		{"empty cells", ",E,,,,,,,,,,,,,\n", list{"2:evaluation:required", "2:question:required"}},
		{"unknown question", "e,,,q1,,,,,,,,,,,\ne,,,q9,,,,,,,,,,,\n", list{"3:question:unknown_question"}},
		{"settings", "e,,,q1,x,x,x,x,x,-1,x,x,x,x,x\n", list{"2:publish:invalid_choice", "2:navigation:invalid_choice",
			"2:feedbackMode:invalid_choice", "2:reviewPolicy:invalid_choice", "2:passMarkPercent:invalid_number",
			"2:timeLimitSeconds:invalid_number", "2:maxAttemptsPerUser:invalid_number", "2:cooloffSeconds:invalid_number",
			"2:shuffleItems:invalid_choice", "2:shuffleOptions:invalid_choice", "2:weight:invalid_number"}},
		{"out of range", "e,,,q1,-1,101,0,,,,,,,,\n", list{"2:weight:out_of_range", "2:timeLimitSeconds:out_of_range", "2:passMarkPercent:out_of_range"}},
		{"settings on a later row", "e,E,,q1,,50,,,,,,,,,\ne,E,,q2,,60,,,,,,,,,\n", list{"3:passMarkPercent:rows_disagree"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := b.preview(intake.PreviewEvaluations, intake.Input{Data: []byte(evaluationHeader + test.rows)})
			want(t, err, "")
			if diff := cmp.Diff(test.want, problems(got)); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPublishPublishesTheQuestionsToo(t *testing.T) {
	t.Parallel()
	b := withQuestions(t)
	draft := evaluationHeader + "e1,Exam,,q1,,,,,,,,,,,\ne1,,,q2,,,,,,,,,,,\n"
	b.must(intake.CommitEvaluations, draft)
	published := evaluationHeader + "e1,Exam,,q1,,,,,,,,,,,yes\ne1,,,q2,,,,,,,,,,,\n"
	for _, wanted := range []string{
		"total 2 created 0 changed 0 unchanged 1 skipped 0 published 1",
		"total 2 created 0 changed 0 unchanged 1 skipped 0 published 0",
	} {
		if got := counts(b.must(intake.CommitEvaluations, published)); got != wanted {
			t.Errorf("got %s, want %s", got, wanted)
		}
	}
	e := b.evaluation("e1")
	if e.Status != "published" || e.Draft != nil || len(e.Published.Sections[0].Items) != 2 {
		t.Errorf("evaluation = %+v, want it published with two items", e)
	}
	if q := b.question("q3"); q.Status != "draft" {
		t.Errorf("a question outside the evaluation is %s, want draft", q.Status)
	}
}

func TestPublishNeedsAProof(t *testing.T) {
	t.Parallel()
	b := withQuestions(t)
	author := b.as(capability.EvaluationsWrite, capability.EvaluationsRead, capability.QuestionsRead, capability.QuestionsWrite)
	_, err := author.commit(intake.CommitEvaluations, intake.Input{Data: []byte(evaluationHeader + "e1,,,q1,,,,,,,,,,,yes\n")})
	want(t, err, errs.StepUpRequired)
	if n := b.count("evaluations"); n != 0 {
		t.Errorf("the refused import left %d evaluations", n)
	}
	reader := b.as(capability.EvaluationsWrite, capability.EvaluationsRead, capability.QuestionsRead)
	_, err = reader.preview(intake.PreviewEvaluations, intake.Input{Data: []byte(evaluationHeader + "e1,,,q1,,,,,,,,,,,yes\n")})
	want(t, err, errs.Forbidden)
}

func TestAUserPublishesOneEvaluationAFile(t *testing.T) {
	t.Parallel()
	b := withQuestions(t)
	two := intake.Input{Data: []byte(evaluationHeader + "e1,,,q1,,,,,,,,,,,yes\ne2,,,q2,,,,,,,,,,,yes\n")}
	author := b.as(capability.EvaluationsWrite, capability.EvaluationsRead, capability.QuestionsRead, capability.QuestionsWrite)
	got, err := author.preview(intake.PreviewEvaluations, two)
	want(t, err, "")
	if diff := cmp.Diff([]string{"3:publish:one_publish_per_proof"}, problems(got)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	done, err := b.commit(intake.CommitEvaluations, two)
	want(t, err, "")
	if done.Published != 2 {
		t.Errorf("an operator published %d evaluations, want 2", done.Published)
	}
}

func TestWhatKeepsADraftFromPublishingIsNamedByLine(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.must(intake.CommitQuestions, questionHeader+"q1,mcq,One?,a,b,,A,,,,,,,\nq2,mcq,Two?,a,b,,A,,,,,en,,\nq2,mcq,Zwei?,a,b,,A,,Weil.,,,de,,\n")
	_, err := b.commit(intake.CommitEvaluations, intake.Input{Data: []byte(evaluationHeader + "e1,,,q1,,,,,,,,,,,yes\ne1,,,q2,,,,,,,,,,,\n")})
	want(t, err, errs.ImportInvalid)
	fields := []string{}
	for _, f := range errs.Of(err).Fields {
		fields = append(fields, f.Path+" "+f.Code)
	}
	if diff := cmp.Diff([]string{"line 3, column question missing_locale"}, fields); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}
