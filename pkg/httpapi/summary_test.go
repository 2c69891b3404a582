package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/errs"
	"assess/pkg/reporting"
)

// An empty run label asks for the attempts without one, which no filter does not.
func TestReportsOfAttemptsWithoutARun(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.app.Project(t)
	path := "/reporting/evaluation-summary?evaluationVersionId=" + w.home.EvaluationVersion.String()
	all := answer[reporting.EvaluationSummary](t, w.do(t, http.MethodGet, path, nil), http.StatusOK)
	if all.Scope.RunLabel != nil || all.Scope.FiltersApplied.RunLabel != nil {
		t.Errorf("without a filter the scope is %+v", all.Scope)
	}
	without := answer[reporting.EvaluationSummary](t, w.do(t, http.MethodGet, path+"&runLabel=", nil), http.StatusOK)
	for name, label := range map[string]*string{"scope": without.Scope.RunLabel, "filtersApplied": without.Scope.FiltersApplied.RunLabel,
		"links": without.Links.Cohorts.RunLabel} {
		if label == nil || *label != "" {
			t.Errorf("%s does not say that attempts without a run were asked for", name)
		}
	}
	if without.Attempts.Started == 0 || without.Attempts.Started > all.Attempts.Started || without.Hero.AccessPoints == all.Hero.AccessPoints {
		t.Errorf("%+v of %+v attempts have no run", without.Attempts, all.Attempts)
	}
	rows := answer[reporting.CohortSummaries](t, w.do(t, http.MethodGet, strings.Replace(path, "summary?", "summary/cohorts?", 1)+"&runLabel=", nil), http.StatusOK)
	if len(rows.Items) != 1 || rows.Items[0].Label != reporting.Unlabeled || rows.Items[0].Attempts != without.Attempts {
		t.Errorf("the cohorts are %+v", rows.Items)
	}
	health := answer[reporting.HealthList](t, w.do(t, http.MethodGet, "/reporting/question-health?runLabel=", nil), http.StatusOK)
	if health.Total == 0 {
		t.Error("no question has attempts without a run")
	}
}

// What stands wrong in an address is said in words of this interface.
func TestBadParametersAreNamed(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	path := "/reporting/evaluation-summary?evaluationVersionId=x&groupId=urn:uuix:0190b3c4-0000-7000-8000-000000000006&from=2031-04-01&to=noon&scope=all"
	got := w.do(t, http.MethodGet, path, nil)
	want(t, got, http.StatusUnprocessableEntity, errs.ValidationFailed)
	problem := answer[struct {
		Details struct{ Fields []errs.Field }
	}](t, got, http.StatusUnprocessableEntity)
	const uuid, moment = "expected an id, which is a UUID", "expected a moment such as 2031-03-01T09:00:00Z"
	if diff := cmp.Diff([]errs.Field{{Path: "evaluationVersionId", Code: "wrong_type", Message: uuid}, {Path: "groupId", Code: "wrong_type", Message: uuid},
		{Path: "from", Code: "wrong_type", Message: moment}, {Path: "to", Code: "wrong_type", Message: moment},
		{Path: "scope", Code: "not_allowed", Message: `expected value to be one of "version, allVersions"`}}, problem.Details.Fields); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	body := map[string]any{"evaluationId": "x", "targetType": "public_link", "validFrom": "noon"}
	problem = answer[struct {
		Details struct{ Fields []errs.Field }
	}](t, w.do(t, http.MethodPost, "/assignments", body), http.StatusUnprocessableEntity)
	if diff := cmp.Diff([]errs.Field{{Path: "evaluationId", Code: "wrong_type", Message: uuid}, {Path: "validFrom", Code: "wrong_type", Message: moment}},
		problem.Details.Fields); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
