package httpapi_test

import (
	"net/http"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
)

// A dry run of publishing needs neither proof nor key, reports problems and possible
// surprises, and changes nothing.
func TestDryRunOfPublishing(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	plain := func(path string) response {
		return w.send(t, request{method: http.MethodPost, path: path, token: w.home.Token})
	}
	in := sample.QuestionInput("A")
	in.Options[0].IsCorrect = false
	q := answer[authoring.Question](t, w.do(t, http.MethodPost, "/questions", in), 201)
	if len(q.Problems) != 1 || q.Problems[0].Code != "one_correct_option" {
		t.Errorf("created with the problems %+v", q.Problems)
	}
	path := "/questions/" + q.ID.String()
	tried := answer[authoring.QuestionPublication](t, plain(path+"/publish?dryRun=true"), 200)
	if !tried.DryRun || len(tried.Problems) != 1 || tried.Warnings == nil || tried.Draft == nil {
		t.Errorf("got %+v", tried)
	}
	want(t, w.do(t, http.MethodPost, path+"/publish", nil), 422, errs.PublishBlocked)
	mended := answer[authoring.Question](t, w.do(t, http.MethodPatch, path, map[string]any{"options": sample.QuestionInput("A").Options}), 200)
	if mended.Problems == nil || len(mended.Problems) != 0 {
		t.Errorf("mended with the problems %+v", mended.Problems)
	}
	published := answer[authoring.QuestionPublication](t, w.do(t, http.MethodPost, path+"/publish?dryRun=false", nil), 200)
	if published.DryRun || published.Published == nil || published.Problems == nil || published.Warnings == nil {
		t.Errorf("got %+v", published)
	}
	answer[authoring.Question](t, w.do(t, http.MethodPost, path+"/versions", nil), 201)

	p := answer[authoring.Passage](t, w.do(t, http.MethodPost, "/passages", sample.PassageInput()), 201)
	if got := answer[authoring.PassagePublication](t, plain("/passages/"+p.ID.String()+"/publish?dryRun=true"), 200); got.Published == nil || got.Warnings == nil {
		t.Errorf("got %+v", got)
	}
	e := answer[authoring.Evaluation](t, w.do(t, http.MethodPost, "/evaluations", sample.EvaluationInput(q.ID)), 201)
	path = "/evaluations/" + e.ID.String()
	for _, yes := range []string{"true", "1", "T"} {
		got := answer[authoring.EvaluationPublication](t, plain(path+"/publish?dryRun="+yes), 200)
		if !got.DryRun || got.Published == nil || got.Problems == nil || len(got.Warnings) != 1 || got.Warnings[0].Code != "question_draft_newer" {
			t.Errorf("got %+v", got)
		}
		// A key makes no dry run a real one.
		w.do(t, http.MethodPost, path+"/publish?dryRun="+yes, nil)
		w.do(t, http.MethodPost, path+"/publish?dryRun=false&dryRun="+yes, nil)
	}
	if got := answer[authoring.Evaluation](t, w.do(t, http.MethodGet, path, nil), 200); got.Published != nil {
		t.Errorf("published without a proof: %+v", got.Published)
	}
	want(t, w.do(t, http.MethodPost, path+"/publish", nil), 403, errs.StepUpRequired)
	want(t, plain(path+"/publish"), 400, errs.IdempotencyKeyRequired)
	seen := answer[struct{ Warnings, Problems []any }](t, w.do(t, http.MethodPost, path+"/preview", map[string]any{}), 200)
	if len(seen.Warnings) != 1 || seen.Problems == nil {
		t.Errorf("preview: got %+v", seen)
	}
	versions := answer[db.List[authoring.EvaluationVersionSummary]](t, w.do(t, http.MethodGet, path+"/versions?limit=1", nil), 200)
	if versions.Total != 1 || versions.Items[0].Status != "draft" {
		t.Errorf("got %+v", versions)
	}
}
