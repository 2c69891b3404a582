package httpapi_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/reporting"
)

// An empty run label selects the attempts without one; no filter at all does not.
func TestReportsOfAttemptsWithoutARun(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.app.Project(t)
	path := "/reporting/evaluation-summary?evaluationVersionId=" + w.home.EvaluationVersion.String()
	all := answer[reporting.EvaluationSummary](t, w.do(t, http.MethodGet, path, nil), http.StatusOK)
	if all.Scope.RunLabel != nil || all.Scope.FiltersApplied.RunLabel != nil {
		t.Errorf("without a filter the scope is %+v", all.Scope)
	}
	without := answer[reporting.EvaluationSummary](t, w.do(t, http.MethodGet, path+"&run_label=", nil), http.StatusOK)
	for name, label := range map[string]*string{"scope": without.Scope.RunLabel, "filtersApplied": without.Scope.FiltersApplied.RunLabel,
		"links": without.Links.Cohorts.RunLabel} {
		if label == nil || *label != "" {
			t.Errorf("%s does not say that attempts without a run were asked for", name)
		}
	}
	if without.Attempts.Started == 0 || without.Attempts.Started > all.Attempts.Started || without.Hero.AccessPoints == all.Hero.AccessPoints {
		t.Errorf("%+v of %+v attempts have no run", without.Attempts, all.Attempts)
	}
	rows := answer[reporting.CohortSummaries](t, w.do(t, http.MethodGet, strings.Replace(path, "summary?", "summary/cohorts?", 1)+"&run_label=", nil), http.StatusOK)
	if len(rows.Items) != 1 || rows.Items[0].Label != reporting.Unlabeled || rows.Items[0].Attempts != without.Attempts {
		t.Errorf("the cohorts are %+v", rows.Items)
	}
	health := answer[reporting.HealthList](t, w.do(t, http.MethodGet, "/reporting/question-health?run_label=", nil), http.StatusOK)
	if health.Total == 0 {
		t.Error("no question has attempts without a run")
	}
}

// People who read reports find what they can read, and see questions, sections and tags in words, without a
// capability to read drafts.
func TestReportsSpeakOfQuestions(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.submitOne(t)
	w.app.Project(t)
	found := answer[reporting.ReportedEvaluations](t, w.do(t, http.MethodGet, "/reporting/evaluations", nil), http.StatusOK)
	at := slices.IndexFunc(found.Items, func(e reporting.ReportedEvaluation) bool { return e.EvaluationVersionID == w.home.EvaluationVersion })
	if at < 0 || found.Items[at].Title == nil || found.Items[at].Completed == 0 || found.Items[at].LastDay == nil {
		t.Fatalf("found %+v", found.Items)
	}
	taken := found.Items[at]
	version := taken.EvaluationVersionID.String()
	if none := answer[reporting.ReportedEvaluations](t, w.do(t, http.MethodGet, "/reporting/evaluations?q=no+such+title", nil), http.StatusOK); none.Total != 0 {
		t.Errorf("found %+v", none.Items)
	}
	summary := answer[reporting.EvaluationSummary](t, w.do(t, http.MethodGet, "/reporting/evaluation-summary?include=tags,sections&evaluationVersionId="+version, nil), http.StatusOK)
	if summary.Scope.Title == nil || *summary.Scope.Title != *taken.Title || len(summary.Sections) == 0 || summary.Sections[0].Title == "" || summary.Sections[0].ItemAttempts == 0 {
		t.Errorf("the summary has %+v, sections %+v", summary.Scope, summary.Sections)
	}
	list := answer[reporting.HealthList](t, w.do(t, http.MethodGet, "/reporting/question-health?evaluationVersionId="+version, nil), http.StatusOK)
	for _, row := range list.Items {
		if row.QuestionID == nil || row.Stem == "" {
			t.Errorf("the row of %s speaks of %+v", row.QuestionVersionID, row.QuestionWords)
		}
		path := "/reporting/question-versions/" + row.QuestionVersionID.String() + "/health?evaluationVersionId=" + version
		d := answer[reporting.QuestionHealthDetail](t, w.do(t, http.MethodGet, path, nil), http.StatusOK)
		if d.Core.Attempts != row.Core.Attempts || d.Stem != row.Stem {
			t.Errorf("the question has %d attempts and says %q, the list %d and %q", d.Core.Attempts, d.Stem, row.Core.Attempts, row.Stem)
		}
		if single := d.Analysis.ChoiceSingle; single != nil && single.Options[0].Text == "" {
			t.Errorf("the options are %+v", single.Options)
		}
		answer[map[string]any](t, w.do(t, http.MethodGet, path+"&run_label=nobody+sat+it", nil), http.StatusNotFound)
	}
}

// Mistakes in an address are reported in words of this interface.
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
	body := map[string]any{"evaluationId": "x", "target_type": "public_link", "validFrom": "noon"}
	problem = answer[struct {
		Details struct{ Fields []errs.Field }
	}](t, w.do(t, http.MethodPost, "/assignments", body), http.StatusUnprocessableEntity)
	if diff := cmp.Diff([]errs.Field{{Path: "evaluationId", Code: "wrong_type", Message: uuid}, {Path: "validFrom", Code: "wrong_type", Message: moment}},
		problem.Details.Fields); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// One answer has all problems of form of a filter, the next all that the report has against it, in every report that
// takes a filter.
func TestBadFiltersAreNamedAtOnce(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	const backwards = "from=2031-01-02T00:00:00Z&to=2031-01-01T00:00:00Z"
	version := "evaluationVersionId=" + w.home.EvaluationVersion.String()
	for path, places := range map[string][]string{
		"/reporting/question-health?sort=worst&limit=0&tag=x&" + backwards:                  {"sort", "limit"},
		"/reporting/question-health?tag=topic:a&tag=x&tag=y:&" + backwards:                  {"tag[1]", "tag[2]", "to"},
		"/reporting/question-health/export?evaluationVersionId=x&tag=x":                     {"evaluationVersionId"},
		"/reporting/question-health/export?tag=x&" + backwards:                              {"tag[0]", "to"},
		"/reporting/question-versions/" + ids.New().String() + "/health?tag=x&" + backwards: {"tag[0]", "to"},
		"/reporting/evaluation-summary?include=scores&scope=all&" + version:                 {"scope", "include[0]"},
		"/reporting/evaluation-summary?" + version + "&" + backwards:                        {"to"},
		"/reporting/evaluations?limit=0":                                                    {"limit"},
		"/reporting/evaluation-summary/export?scope=all&" + version:                         {"scope"},
		"/reporting/evaluation-summary/export?" + version + "&" + backwards:                 {"to"},
		"/reporting/evaluation-summary/groups?include=x&page=0&scope=all&" + version:        {"scope", "include[0]", "page"},
		"/reporting/evaluation-summary/groups?" + version + "&" + backwards:                 {"to"},
		"/reporting/evaluation-summary/cohorts?include=x&page=0&scope=all&" + version:       {"scope", "include[0]", "page"},
		"/reporting/evaluation-summary/cohorts?" + version + "&" + backwards:                {"to"},
		"/reporting/evaluation-summary/cohorts/export?" + version + "&" + backwards:         {"to"},
	} {
		if diff := cmp.Diff(places, wrongPlaces(t, w.do(t, http.MethodGet, path, nil))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func wrongPlaces(t *testing.T, got response) []string {
	t.Helper()
	var places []string
	for _, f := range answer[struct {
		Details struct{ Fields []errs.Field }
	}](t, got, http.StatusUnprocessableEntity).Details.Fields {
		places = append(places, f.Path)
	}
	return places
}

// A report gives its period in UTC, no matter which clock the query used.
func TestPeriodsAreSaidInUTC(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	query := "from=" + url.QueryEscape("2025-03-01T12:00:00+02:00")
	got := answer[map[string]any](t, w.do(t, http.MethodGet, "/reporting/evaluation-summary?evaluationVersionId="+w.home.EvaluationVersion.String()+"&"+query, nil), http.StatusOK)
	if from := got["scope"].(map[string]any)["from"]; from != "2025-03-01T10:00:00.000Z" {
		t.Errorf("from is %v", from)
	}
}
