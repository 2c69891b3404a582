package httpapi_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/kernel/ids"
)

// Every mistake is named at its place, in words for people, and all of them at once.
func TestProblemsNameTheirField(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	session := "/evaluations/" + w.home.Evaluation.String() + "/sessions/" + w.home.Session.String()
	tests := []struct {
		name, path, body string
		want             []string
	}{
		{"missing at the top", session + "/extend", `{}`, []string{"extraTimeSeconds required", "reason required"}},
		{"missing further down", session + "/answers", `{"answers":[{"itemId":"` + ids.New().String() + `","sequence":1}]}`,
			[]string{"answers[0].response required"}},
		{"no id in the path", "/submissions/x/hash", ``, []string{"id wrong_type"}},
		{"no id in the body", session + "/answers", `{"answers":[{"itemId":"x","sequence":1,"response":null}]}`,
			[]string{"answers[0].itemId wrong_type"}},
		{"no moment in the body", "/assignments", `{"evaluationId":"` + ids.New().String() + `","validFrom":"2031-03-01"}`, []string{"validFrom wrong_type"}},
		{"scoring beside other settings", "/evaluations",
			`{"title":"T","sections":[],"settings":{"pass_mark_percent":101,"scoringConfig":{"rounding":7,"negativeMarking":2}}}`,
			[]string{"settings.pass_mark_percent out_of_range", "settings.scoringConfig.negativeMarking out_of_range",
				"settings.scoringConfig.rounding out_of_range"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := w.send(t, request{method: "POST", path: test.path, token: w.home.Token, key: ids.New().String(), body: test.body})
			var problem struct {
				Details struct {
					Fields []struct{ Path, Code string }
				}
			}
			err := json.Unmarshal(got.body, &problem)
			if err != nil {
				t.Fatal(err)
			}
			var found []string
			for _, f := range problem.Details.Fields {
				found = append(found, f.Path+" "+f.Code)
			}
			if diff := cmp.Diff(test.want, found); diff != "" {
				t.Errorf("-want +got:\n%s\n%s", diff, got.body)
			}
		})
	}
}

// Where nothing in a body is required, it may be left out.
func TestABodyWithoutAnythingRequiredMayBeLeftOut(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	for _, path := range []string{"/evaluations/" + w.home.Evaluation.String() + "/sessions",
		"/submissions/" + w.home.Submission.String() + "/approve"} {
		got := w.send(t, request{method: "POST", path: path, token: w.home.Token, key: ids.New().String()})
		if got.status == 400 {
			t.Errorf("%s: got %d %s", path, got.status, got.body)
		}
	}
}
