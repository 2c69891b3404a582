package replay_test

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"testing"

	"assess/pkg/dev/apptest"
	"assess/pkg/surface/demo"
	"assess/pkg/surface/replay"
)

// exams are the real data sets that have an oracle, with the pass marks to replay them
// with. quick is the number of persons unless everything says otherwise.
var exams = []struct {
	folder string
	quick  int
	marks  []float64
}{
	{"hci", 80, []float64{50, 60, 70}},
	{"iqitems", 100, []float64{60}},
	{"fims", 100, []float64{60}},
	{"swesat_q", 80, []float64{60}},
	{"medical_mrq", 60, []float64{60}},
	{"credential1", 60, []float64{60}},
}

// everything makes the tests use all persons and the oracle's own files, as make check does. It takes
// seven minutes on two cores, and four times that under the race detector.
func everything() bool { return os.Getenv("ASSESS_FULL") != "" }

// TestReportsAgreeWithTheOracle sends real answers through the whole service, from the
// import to the reports, and compares with figures that were computed elsewhere.
func TestReportsAgreeWithTheOracle(t *testing.T) {
	for _, exam := range exams {
		t.Run(exam.folder, func(t *testing.T) {
			data, want := expect(t, exam.folder, exam.quick)
			want.meanScoreIsFacility()
			for _, mark := range exam.marks {
				e := sit(t, data, mark, nil)
				equal(t, "scores", want.scores, e.scores())
				equal(t, "summary", summaryOf(len(data.Persons), want.passes(mark)), e.summary())
				e.checkItems(want.items)
			}
		})
	}
}

// TestPartialCreditAgreesWithTheOracle does the same with partial credit for questions
// with several right options. Choices, and which answers are fully right, stay the same.
func TestPartialCreditAgreesWithTheOracle(t *testing.T) {
	data, want := expect(t, "medical_mrq", 60)
	e := sit(t, data, 60, scorePartially)
	e.checkItems(want.items)
}

// expectation has the figures that the reports on a data set must show.
type expectation struct {
	items  map[string]figures
	scores map[string]float64
	passes func(passMarkPercent float64) int
}

// expect gives a data set, or its first persons, with the figures that the reports must show.
func expect(t *testing.T, folder string, quick int) (demo.Dataset, expectation) {
	t.Helper()
	data, oracle := openExam(t, folder)
	if everything() {
		return data, expectation{oracle.items(), oracle.scores(), oracle.passes}
	}
	data.Persons = data.Persons[:quick]
	scores := rightAnswers(data)
	return data, expectation{tally(data), scores, func(mark float64) int { return passes(scores, len(data.Items), mark) }}
}

// meanScoreIsFacility: where only full credit scores, the mean score is the facility.
func (e expectation) meanScoreIsFacility() {
	for id, f := range e.items {
		f.MeanScore = f.Facility
		e.items[id] = f
	}
}

// examined is an exam that was sat by everybody, in a service of its own.
type examined struct {
	t      *testing.T
	app    *apptest.App
	token  string
	result replay.Result
}

// sit replays a data set and brings the reports up to date; prepare may set the exam up
// before.
func sit(t *testing.T, data demo.Dataset, mark float64, prepare func(*testing.T, replay.Options)) examined {
	t.Helper()
	app := apptest.Start(t)
	token := app.Token(t, "org_admin")
	o := replay.Options{
		BaseURL: app.URL, Token: token,
		StepUpProof: func(context.Context) (string, error) { return app.Proof(t, token), nil },
		Dataset:     data, ExternalID: "exam", Title: "Exam", PassMarkPercent: mark, RunLabel: "replay",
	}
	if prepare != nil {
		prepare(t, o)
	}
	result := mustRun(t, o)
	t.Logf("%d persons in %d ms, %.0f a second", len(data.Persons), result.ElapsedMs, result.SubmissionsPerSecond)
	app.Project(t)
	return examined{t, app, token, result}
}

// scorePartially publishes the evaluation with partial credit for every question. The
// replay does not change an evaluation that is already published as in its file.
func scorePartially(t *testing.T, o replay.Options) {
	t.Helper()
	post := func(path string, csv []byte) {
		proof, err := o.StepUpProof(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		change(t, o, http.MethodPost, path, http.Header{"Content-Type": {"text/csv"}, "X-Step-Up-Proof": {proof}}, csv)
	}
	post("/questions/import/commit?createTerms=true", o.Dataset.QuestionsCSV())
	for _, q := range listAll[struct{ ID string }](t, o.BaseURL, o.Token, "/questions", nil) {
		change(t, o, http.MethodPatch, "/questions/"+q.ID, http.Header{"Content-Type": {"application/json"}},
			[]byte(`{"scoring":{"method":"partial"}}`))
	}
	post("/evaluations/import/commit", o.Dataset.EvaluationCSV(o.ExternalID, o.Title, o.PassMarkPercent))
}

func (e examined) scores() map[string]float64 {
	scores := map[string]float64{}
	for _, s := range e.result.Sessions {
		scores[s.Person] = s.Score
	}
	return scores
}

// checkItems compares the report of every question, and the list of them both as it is
// kept ready and as it is counted anew for one evaluation version.
func (e examined) checkItems(want map[string]figures) {
	got, core := map[string]figures{}, map[string]figures{}
	for item, version := range e.result.QuestionVersionIDs {
		var h health
		fetch(e.t, e.app.URL, e.token, "/reporting/question-versions/"+version+"/health", nil, &h)
		got[item] = h.figures()
	}
	equal(e.t, "figures of the items", want, got)
	for item, f := range want {
		core[item] = f.core()
	}
	equal(e.t, "list", core, e.list(nil))
	equal(e.t, "list of the evaluation version", core, e.list(url.Values{"evaluationVersionId": {e.result.EvaluationVersionID}}))
}

func (e examined) list(query url.Values) map[string]figures {
	items := map[string]string{}
	for item, version := range e.result.QuestionVersionIDs {
		items[version] = item
	}
	listed := map[string]figures{}
	for _, h := range listAll[health](e.t, e.app.URL, e.token, "/reporting/question-health", query) {
		listed[items[h.QuestionVersionID]] = h.figures().core()
	}
	return listed
}

func (e examined) summary() summary {
	var s summary
	fetch(e.t, e.app.URL, e.token, "/reporting/evaluation-summary",
		url.Values{"evaluationVersionId": {e.result.EvaluationVersionID}}, &s)
	return s
}
