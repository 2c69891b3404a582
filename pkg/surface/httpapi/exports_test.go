package httpapi_test

import (
	"encoding/json"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// An export over HTTP is the file that the import takes back without a change.
func TestExportsAreTakenBack(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	for _, noun := range []string{"questions", "passages", "evaluations", "subjects", "assignments"} {
		t.Run(noun, func(t *testing.T) {
			file := w.send(t, request{method: http.MethodGet, path: "/" + noun + "/export", token: w.home.Token})
			if got := file.header.Get("Content-Type"); file.status != 200 || got != "text/csv; charset=utf-8" {
				t.Fatalf("got %d, %s: %s", file.status, got, file.body)
			}
			done := w.send(t, request{method: http.MethodPost, path: "/" + noun + "/import/commit", token: w.home.Token,
				key: ids.New().String(), contentType: "text/csv", body: file.body})
			if done.status != 200 || !strings.Contains(string(done.body), `"changed":0`) || !strings.Contains(string(done.body), `"created":0`) {
				t.Errorf("imported again: %d %s", done.status, done.body)
			}
		})
	}
}

func TestAnExportThatIsRefusedIsNoFile(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	got := w.send(t, request{method: http.MethodGet, path: "/questions/export?status=lost", token: w.home.Token})
	want(t, got, 422, errs.ValidationFailed)
	if strings.HasPrefix(got.header.Get("Content-Type"), "text/csv") {
		t.Error("a refusal calls itself a CSV file")
	}
}

// A file is named after its content: the exam if there is one, the records and the day.
func TestFilesAreNamedAfterWhatTheyHold(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.app.Project(t)
	shown := w.send(t, request{method: http.MethodGet, path: "/evaluations/" + w.home.Evaluation.String(), token: w.home.Token})
	var evaluation struct{ Title string }
	if err := json.Unmarshal(shown.body, &evaluation); err != nil || evaluation.Title == "" {
		t.Fatalf("%s, %v", shown.body, err)
	}
	title := strings.ReplaceAll(evaluation.Title, " ", "-")
	for path, want := range map[string]string{
		"/questions/export?format=gift": "^questions-DAY.gift$",
		"/evaluations/export":           "^evaluations-DAY.csv$",
		"/evaluations/" + w.home.Evaluation.String() + "/submissions/export?format=xlsx":                "^" + title + "-submissions-DAY.xlsx$",
		"/reporting/evaluation-summary/export?evaluationVersionId=" + w.home.EvaluationVersion.String(): "^" + title + "-evaluation-summary-DAY.csv$",
	} {
		got := w.send(t, request{method: http.MethodGet, path: path, token: w.home.Token})
		_, names, err := mime.ParseMediaType(got.header.Get("Content-Disposition"))
		if err != nil || !regexp.MustCompile(strings.Replace(want, "DAY", `\d{4}-\d\d-\d\d`, 1)).MatchString(names["filename"]) {
			t.Errorf("%s: got %d %v, want %s", path, got.status, names, want)
		}
	}
}
