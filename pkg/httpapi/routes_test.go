package httpapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"

	"assess/pkg/capability"
	"assess/pkg/errs"
	"assess/pkg/httpapi"
	"assess/pkg/ids"
	"assess/pkg/sample"
)

// noun says which record each path parameter of a route names. A route that is not here
// has no parameters.
var noun = map[string]func(p place) map[string]ids.ID{
	"updateRole":            func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Role} },
	"deleteRole":            func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Role} },
	"getUser":               func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.User} },
	"grantRole":             func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.User} },
	"revokeRole":            func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.User, "roleId": p.Granted} },
	"listUserSubmissions":   func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.User} },
	"getQuestion":           func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Question} },
	"updateQuestion":        func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Question} },
	"createQuestionVersion": func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.SettledQuestion} },
	"listQuestionVersions":  func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Question} },
	"getQuestionVersion": func(p place) map[string]ids.ID {
		return map[string]ids.ID{"id": p.Question, "versionId": p.QuestionVersion}
	},
	"getPassage":                func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Passage} },
	"updatePassage":             func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Passage} },
	"createPassageVersion":      func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.SettledPassage} },
	"publishPassage":            func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.PassageDraft} },
	"getPassageQuestions":       func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Passage} },
	"setPassageQuestions":       func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Passage} },
	"passageUsage":              func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Passage} },
	"archivePassage":            func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.ShelvedPassage} },
	"restorePassage":            func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.ShelvedPassage} },
	"deletePassage":             func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.UnusedPassage} },
	"updateUser":                func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.User} },
	"deactivateUser":            func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.User} },
	"reactivateUser":            func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.User} },
	"getGroup":                  group,
	"updateGroup":               group,
	"previewGroup":              group,
	"listMembers":               group,
	"addMembers":                group,
	"rotateJoinToken":           group,
	"dropJoinToken":             group,
	"removeMember":              func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Group, "userId": p.User} },
	"deleteGroup":               func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.SpareGroup} },
	"joinGroup":                 func(place) map[string]ids.ID { return nil }, // its path holds a token
	"publishQuestion":           func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Draft} },
	"getEvaluation":             func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Evaluation} },
	"updateEvaluation":          func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Evaluation} },
	"createEvaluationVersion":   func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.SettledEvaluation} },
	"publishEvaluation":         func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.EvaluationDraft} },
	"questionUsage":             func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Question} },
	"archiveQuestion":           func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Shelved} },
	"restoreQuestion":           func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Shelved} },
	"deleteQuestion":            func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Unused} },
	"evaluationUsage":           func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Evaluation} },
	"archiveEvaluation":         func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.ShelvedEvaluation} },
	"restoreEvaluation":         func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.ShelvedEvaluation} },
	"deleteEvaluation":          func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.UnusedEvaluation} },
	"getQuestionView":           func(p place) map[string]ids.ID { return map[string]ids.ID{"viewId": p.QuestionView} },
	"updateQuestionView":        func(p place) map[string]ids.ID { return map[string]ids.ID{"viewId": p.QuestionView} },
	"deleteQuestionView":        func(p place) map[string]ids.ID { return map[string]ids.ID{"viewId": p.QuestionView} },
	"getEvaluationView":         func(p place) map[string]ids.ID { return map[string]ids.ID{"viewId": p.EvaluationView} },
	"updateEvaluationView":      func(p place) map[string]ids.ID { return map[string]ids.ID{"viewId": p.EvaluationView} },
	"deleteEvaluationView":      func(p place) map[string]ids.ID { return map[string]ids.ID{"viewId": p.EvaluationView} },
	"startSession":              func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Evaluation} },
	"getSession":                session,
	"saveAnswers":               session,
	"recordEvents":              session,
	"submitSession":             session,
	"listEvaluationSubmissions": func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Evaluation} },
	"getSubmission":             func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Submission} },
	"getSchedule":               scheduled,
	"updateSchedule":            scheduled,
	"deleteSchedule":            scheduled,
	"getAssignment":             assigned,
	"updateAssignment":          assigned,
	"redeemAssignment":          func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Unredeemed} },
	"rotateAssignmentToken":     assigned,
	"overrideAssignment":        assigned,
	"inviteToAssignment":        assigned,
	"monitorAssignment":         assigned,
	"getSubject":                subject,
	"updateSubject":             subject,
	"getEngagement":             engagement,
	"updateEngagement":          engagement,
	"getRequirement":            requirement,
	"updateRequirement":         requirement,
	"listDecisions":             func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Submission} },
	"approveSubmission":         func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Undecided[0]} },
	"rejectSubmission":          func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Undecided[1]} },
	"requestChanges":            func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Undecided[2]} },
	"reopenSubmission":          func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Decided} },
	"voidSubmission":            func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Submission} },
	"hashSubmission":            func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Submission} },
	"questionHealth":            func(p place) map[string]ids.ID { return map[string]ids.ID{"questionVersionId": p.QuestionVersion} },

	// versions and what becomes of drafts
	"getEvaluationVersion": func(p place) map[string]ids.ID { return versionOf(p.Evaluation, p.EvaluationVersion) },
	"configureFeedback":    func(p place) map[string]ids.ID { return versionOf(p.Open, p.OpenVersion) },
	"previewEvaluation":    func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Open} },
}

func scheduled(p place) map[string]ids.ID   { return map[string]ids.ID{"id": p.Schedule} }
func assigned(p place) map[string]ids.ID    { return map[string]ids.ID{"id": p.Assignment} }
func subject(p place) map[string]ids.ID     { return map[string]ids.ID{"id": p.Subject} }
func engagement(p place) map[string]ids.ID  { return map[string]ids.ID{"id": p.Engagement} }
func requirement(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Requirement} }

func group(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Group} }

func session(p place) map[string]ids.ID {
	return map[string]ids.ID{"id": p.Evaluation, "sessionId": p.Session}
}

// tenantWide routes name records that the org units of a tenant share.
var tenantWide = map[string]bool{"updateRole": true, "deleteRole": true, "getUser": true, "updateUser": true, "deactivateUser": true,
	"reactivateUser": true, "grantRole": true,
	"revokeRole": true, "listUserSubmissions": true}

// body gives a valid body for each route that takes one.
var body = map[string]func(p place) any{
	"createRole": func(place) any {
		return map[string]any{"name": "R " + ids.New().String(), "capabilities": []string{"reporting.view"}}
	},
	"updateRole":       func(place) any { return map[string]any{"description": "changed"} },
	"createUser":       func(place) any { return map[string]any{"email": ids.New().String() + "@example.org", "name": "N"} },
	"updateUser":       func(place) any { return map[string]any{"name": "New name"} },
	"deactivateUser":   func(place) any { return nil },
	"reactivateUser":   func(place) any { return nil },
	"createGroup":      func(place) any { return map[string]any{"name": "G " + ids.New().String()} },
	"updateGroup":      func(place) any { return map[string]any{"description": "changed"} },
	"previewGroup":     func(place) any { return map[string]any{"membership_rule": sampleRule} },
	"addMembers":       func(p place) any { return map[string]any{"userIds": []ids.ID{p.Actor}} },
	"rotateJoinToken":  func(place) any { return nil },
	"joinGroup":        func(place) any { return nil },
	"grantRole":        func(p place) any { return map[string]any{"roleId": p.Spare} },
	"createFacet":      func(place) any { return map[string]any{"label": "F " + ids.New().String()} },
	"createTerm":       func(p place) any { return map[string]any{"facetId": p.Facet, "label": "T " + ids.New().String()} },
	"createQuestion":   func(place) any { return sample.QuestionInput("A") },
	"updateQuestion":   func(place) any { return map[string]any{"weight": 3} },
	"createEvaluation": func(p place) any { return sample.EvaluationInput(p.Question) },
	"updateEvaluation": func(place) any { return map[string]any{"title": "New title"} },
	"startSession":     func(place) any { return map[string]any{} },
	"saveAnswers":      func(p place) any { return answers(p.Item, `{"optionIds":["A"]}`) },
	"recordEvents":     func(place) any { return map[string]any{"events": []any{map[string]any{"type": "focus_lost"}}} },
	"submitSession":    func(place) any { return map[string]any{} },
	"createSchedule": func(p place) any {
		return map[string]any{"evaluationId": p.Evaluation, "targetType": "user_id", "targetRefs": []any{p.User}, "rule": "FREQ=WEEKLY",
			"timeZone": "Europe/Berlin", "startsAt": "2031-01-01T08:00:00Z", "runLabel": ids.New().String() + " {date}"}
	},
	"updateSchedule": func(place) any { return map[string]any{"status": "paused"} },
	"createAssignment": func(p place) any {
		return map[string]any{"evaluationId": p.Evaluation, "targetType": "user_id", "targetRef": p.User, "runLabel": ids.New()}
	},
	"previewAssignments":    assignmentCSV,
	"commitAssignments":     assignmentCSV,
	"redeemAssignmentToken": func(p place) any { return map[string]any{"token": p.RedeemToken} },
	"updateAssignment":      func(place) any { return map[string]any{"validUntil": "2099-01-01T00:00:00Z"} },
	"redeemAssignment":      func(place) any { return nil },
	"rotateAssignmentToken": func(place) any { return nil },
	"overrideAssignment": func(p place) any {
		return map[string]any{"userId": p.Actor, "extraTimeSeconds": 60, "reason": "fire alarm"}
	},
	"inviteToAssignment": func(place) any { return map[string]any{} },
	"createSubject":      func(place) any { return map[string]any{"externalId": ids.New(), "name": "N"} },
	"updateSubject":      func(place) any { return map[string]any{"name": "changed"} },
	"createEngagement": func(p place) any {
		return map[string]any{"externalId": ids.New(), "name": "N", "subjectId": p.Subject}
	},
	"updateEngagement": func(place) any { return map[string]any{"name": "changed", "clear": []string{"endsAt"}} },
	"createRequirement": func(p place) any {
		return map[string]any{"externalId": ids.New(), "programme": "P", "name": "N", "evaluationId": p.Evaluation}
	},
	"updateRequirement":    func(place) any { return map[string]any{"name": "changed", "status": "retired"} },
	"previewSubjects":      csv("externalId,name\ns1,One\n"),
	"commitSubjects":       csv("externalId,name\ns1,One\n"),
	"createPassage":        func(place) any { return sample.PassageInput() },
	"updatePassage":        func(place) any { return map[string]any{"title": "New title"} },
	"setPassageQuestions":  func(p place) any { return map[string]any{"questionIds": []ids.ID{p.Question}} },
	"createPassageVersion": func(place) any { return nil },
	"publishPassage":       func(place) any { return nil },
	"archivePassage":       func(place) any { return nil },
	"restorePassage":       func(place) any { return nil },
	"previewUsers":         csv("email\nada@example.org\n"),
	"commitUsers":          func(place) any { return map[string]any{"csv": "email\n" + ids.New().String() + "@example.org\n"} },
	"previewQuestions":     csv("externalId,qtype,stem,optionA,optionB,correct\nq1,mcq,S,a,b,A\n"),
	"commitQuestions":      csv("externalId,qtype,stem,optionA,optionB,correct\nq1,mcq,S,a,b,A\n"),
	"previewPassages":      csv("externalId,title,text\np1,T,a\n"),
	"commitPassages":       csv("externalId,title,text\np1,T,a\n"),
	"previewEvaluations":   csv("evaluation,title,question\ne1,T,missing\n"),
	"commitEvaluations":    csv("evaluation,title,question\ne1,T,missing\n"),
	"approveSubmission":    func(place) any { return map[string]any{} },
	"rejectSubmission":     reason,
	"requestChanges":       reason,
	"reopenSubmission":     reason,
	"voidSubmission":       reason,
	"hashSubmission":       func(place) any { return nil },
	"recomputePercentiles": func(place) any { return nil },
	"publishQuestion":      func(place) any { return nil },
	"archiveQuestion":      func(place) any { return nil },
	"restoreQuestion":      func(place) any { return nil },
	"createQuestionView": func(place) any {
		return map[string]any{"name": "V " + ids.New().String(), "filter": map[string]any{"status.draft": true}}
	},
	"updateQuestionView": func(place) any { return map[string]any{"filter": map[string]any{"include_descendants": true}} },
	"createEvaluationView": func(place) any {
		return map[string]any{"name": "V " + ids.New().String(), "filter": map[string]any{"status.draft": true}}
	},
	"updateEvaluationView":    func(place) any { return map[string]any{"filter": map[string]any{"include_descendants": true}} },
	"bulkQuestions":           func(p place) any { return map[string]any{"action": "restore", "ids": []ids.ID{p.Shelved}} },
	"bulkEvaluations":         func(p place) any { return map[string]any{"action": "restore", "ids": []ids.ID{p.ShelvedEvaluation}} },
	"archiveEvaluation":       func(place) any { return nil },
	"restoreEvaluation":       func(place) any { return nil },
	"publishEvaluation":       func(place) any { return nil },
	"createQuestionVersion":   func(place) any { return nil },
	"createEvaluationVersion": func(place) any { return nil },

	// versions and what becomes of drafts
	"configureFeedback": func(place) any {
		return map[string]any{"feedback_mode": "items", "feedbackPolicy": map[string]any{"showCorrect": true}}
	},
	"previewEvaluation": func(place) any { return map[string]any{"seed": 7, "answers": []any{}} },
}

func reason(place) any { return map[string]any{"comment": "because"} }

var sampleRule = map[string]any{"all": []any{map[string]any{"key": "cohort", "op": "exists"}}}

func versionOf(evaluation, version ids.ID) map[string]ids.ID {
	return map[string]ids.ID{"id": evaluation, "versionId": version}
}

func csv(text string) func(place) any {
	return func(place) any { return map[string]any{"csv": text} }
}

func assignmentCSV(p place) any {
	return map[string]any{"csv": fmt.Sprintf("evaluation,targetType,targetRef,runLabel\n%s,user_id,%s,%s\n", p.Evaluation, p.User, ids.New())}
}

func answers(item ids.ID, response string) any {
	return map[string]any{"answers": []any{map[string]any{"itemId": item, "sequence": 1, "response": json.RawMessage(response)}}}
}

// refusedByData are routes whose valid body above cannot succeed on the sample.
var refusedByData = map[string]bool{"commitEvaluations": true}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// pathOf fills the placeholders of a route.
func pathOf(l httpapi.Line, p place) string {
	return placeholder.ReplaceAllStringFunc(l.Path, func(m string) string { return standsFor(l, p, m) }) + query(l, p)
}

// standsFor gives what stands in a path for one placeholder.
func standsFor(l httpapi.Line, p place, m string) string {
	if m == "{token}" {
		return p.JoinToken
	}
	return noun[l.ID](p)[m[1:len(m)-1]].String()
}

func query(l httpapi.Line, p place) string {
	if l.ID == "previewSchedule" {
		return "?rule=FREQ%3DDAILY&timeZone=UTC&startsAt=2031-01-01T08:00:00Z&runLabel=%7Bdate%7D"
	}
	if strings.Contains(l.Path, "/reporting/evaluation-summary") {
		return "?evaluationVersionId=" + p.EvaluationVersion.String()
	}
	if l.ID == "listReportedFindings" {
		return "?submissionId=" + p.Submission.String()
	}
	if l.ID == "uploadAsset" {
		return "?name=leaf.png"
	}
	return ""
}

func (w *town) valid(t *testing.T, l httpapi.Line, of place) request {
	t.Helper()
	r := request{method: l.Method, path: pathOf(l, of), token: w.home.Token, key: ids.New().String()}
	if b, ok := body[l.ID]; ok {
		r.body = b(of)
	}
	if l.Upload {
		r.contentType = "image/png"
	}
	if l.ID == "publishEvaluation" || l.ID == "voidSubmission" {
		r.proof = w.proof(t, w.home)
	}
	return r
}

// guarded runs a check on every route that needs a token.
func guarded(t *testing.T, w *town, choose func(httpapi.Line) bool, check func(t *testing.T, l httpapi.Line, r request)) {
	t.Helper()
	n := 0
	for _, l := range httpapi.Lines() {
		if l.Public || !choose(l) {
			continue
		}
		n++
		t.Run(l.Method+" "+l.Path, func(t *testing.T) { check(t, l, w.valid(t, l, w.home)) })
	}
	if n == 0 {
		t.Fatal("no route was checked")
	}
}

func all(httpapi.Line) bool     { return true }
func named(l httpapi.Line) bool { return strings.Contains(l.Path, "{") }
func once(l httpapi.Line) bool  { return l.Once }
func posted(l httpapi.Line) bool {
	return body[l.ID] != nil && body[l.ID](place{}) != nil && !l.LargeBody && !l.Upload
}

func want(t *testing.T, got response, status int, code errs.Code) {
	t.Helper()
	if got.status != status || got.problem.Code != code {
		t.Errorf("got %d %s %q, want %d %s", got.status, got.problem.Code, got.problem.Message, status, code)
	}
}

func TestEveryRouteHasASampleRequest(t *testing.T) {
	t.Parallel()
	for _, l := range httpapi.Lines() {
		if l.Public {
			continue
		}
		if named(l) && noun[l.ID] == nil {
			t.Errorf("%s: say in noun which records its path names", l.ID)
		}
		if l.Method != http.MethodGet && l.Method != http.MethodDelete && body[l.ID] == nil {
			t.Errorf("%s: give body a valid example", l.ID)
		}
		if len(l.Needs) == 0 && !l.Own {
			t.Errorf("%s: needs no capability", l.ID)
		}
	}
}

func TestEveryRouteAnswersAValidRequest(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.app.Project(t)
	guarded(t, w, all, func(t *testing.T, l httpapi.Line, r request) {
		got := w.send(t, r)
		if got.status >= 300 && !refusedByData[l.ID] {
			t.Errorf("got %d %s", got.status, got.body)
		}
	})
}

func TestNoTokenIs401(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	guarded(t, w, all, func(t *testing.T, _ httpapi.Line, r request) {
		for name, token := range map[string]string{"none": "", "nonsense": "nonsense"} {
			r.token = token
			got := w.send(t, r)
			want(t, got, 401, errs.Unauthenticated)
			if got.header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s: no WWW-Authenticate", name)
			}
		}
	})
}

func TestMissingCapabilityIs403(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	powerless := w.app.Token(t, capability.BillingAdmin)
	guarded(t, w, func(l httpapi.Line) bool { return !l.Own }, func(t *testing.T, l httpapi.Line, r request) {
		r.token = powerless
		got := w.send(t, r)
		want(t, got, 403, errs.Forbidden)
		if got.problem.Details["capability"] != string(l.Needs[0]) {
			t.Errorf("details name %v, want %s", got.problem.Details["capability"], l.Needs[0])
		}
	})
}

func TestAnothersIDIs404(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.app.Project(t)
	guarded(t, w, named, func(t *testing.T, l httpapi.Line, _ request) {
		nobody := nobody()
		for name, of := range map[string]place{"another tenant": w.elsewhere, "another org unit": w.nextDoor, "nobody": nobody} {
			if name == "another org unit" && tenantWide[l.ID] {
				continue
			}
			of.Spare = w.home.Spare
			r := w.valid(t, l, of)
			if got := w.send(t, r); got.status != 404 || got.problem.Code != errs.NotFound {
				// A list of somebody out of reach may as well be empty.
				if !(l.Method == http.MethodGet && got.status == 200 && bytes.Contains(got.body, []byte(`"total":0`))) {
					t.Errorf("%s: got %d %s, want 404 not_found", name, got.status, got.body)
				}
			}
		}
	})
}

// nobody is a place whose records exist nowhere.
func nobody() place {
	p := place{JoinToken: strings.Repeat("A", 43)}
	p.RedeemToken = "nobody's"
	strangers(reflect.ValueOf(&p).Elem())
	return p
}

// strangers puts a new id into every exported id of a record, however deep.
func strangers(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[ids.ID]():
		if v.CanSet() {
			v.Set(reflect.ValueOf(ids.New()))
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			strangers(v.Field(i))
		}
	case v.Kind() == reflect.Array:
		for i := range v.Len() {
			strangers(v.Index(i))
		}
	}
}

func TestBadIDIs422(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	guarded(t, w, named, func(t *testing.T, l httpapi.Line, r request) {
		for _, bad := range []string{"x", "00000000-0000-0000-0000-00000000000g", "1", "%00", strings.Repeat("a", 300)} {
			for _, m := range placeholder.FindAllString(l.Path, -1) {
				r.path = strings.Replace(pathOf(l, w.home), standsFor(l, w.home, m), bad, 1)
				want(t, w.send(t, r), 422, errs.ValidationFailed)
			}
		}
	})
}

func TestMissingIdempotencyKeyIs400(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	guarded(t, w, once, func(t *testing.T, _ httpapi.Line, r request) {
		r.key = ""
		want(t, w.send(t, r), 400, errs.IdempotencyKeyRequired)
	})
}

func TestReplayAnswersTheSame(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	guarded(t, w, once, func(t *testing.T, l httpapi.Line, r request) {
		if refusedByData[l.ID] {
			return
		}
		first := w.send(t, r)
		second := w.send(t, r)
		if first.status >= 300 || second.status != first.status || !bytes.Equal(first.body, second.body) {
			t.Errorf("first %d %s, second %d %s", first.status, first.body, second.status, second.body)
		}
		if first.header.Get("Idempotency-Replayed") != "" || second.header.Get("Idempotency-Replayed") != "true" {
			t.Error("the replay is not marked, or the first answer is")
		}
		if r.body != nil {
			r.body = append(encoded(t, r.body), ' ')
			want(t, w.send(t, r), 422, errs.IdempotencyKeyReused)
		}
	})
}

// encoded gives the bytes of a body; a file is its own.
func encoded(t *testing.T, body any) []byte {
	t.Helper()
	if file, ok := body.([]byte); ok {
		return file
	}
	out, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestParallelReplaysRunTheOperationOnce(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	guarded(t, w, once, func(t *testing.T, l httpapi.Line, r request) {
		if refusedByData[l.ID] {
			return
		}
		var mu sync.Mutex
		var all sync.WaitGroup
		bodies, fresh := map[string]int{}, 0
		for range 6 {
			all.Go(func() {
				got := w.send(t, r)
				mu.Lock()
				defer mu.Unlock()
				bodies[fmt.Sprint(got.status, string(got.body))]++
				if got.header.Get("Idempotency-Replayed") == "" {
					fresh++
				}
			})
		}
		all.Wait()
		if len(bodies) != 1 || fresh != 1 {
			t.Errorf("got %d different answers and %d that were not replays: %v", len(bodies), fresh, bodies)
		}
	})
}

func TestBadBodies(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	guarded(t, w, posted, func(t *testing.T, l httpapi.Line, r request) {
		for _, c := range []struct {
			name   string
			body   any
			status int
			code   errs.Code
		}{
			{"malformed", `{"a":`, 400, errs.MalformedRequest},
			{"two documents", `{} {}`, 400, errs.MalformedRequest},
			{"an array", `[]`, 422, errs.ValidationFailed},
			{"a string", `"x"`, 422, errs.ValidationFailed},
			{"unknown field", `{"noSuchField":1}`, 422, errs.ValidationFailed},
			{"10 MB string", `{"x":"` + strings.Repeat("a", 10<<20) + `"}`, 413, errs.RequestTooLarge},
			{"deeply nested", strings.Repeat(`{"x":`, 5000) + "1" + strings.Repeat("}", 5000), 422, errs.ValidationFailed},
		} {
			r.body, r.key = c.body, ids.New().String()
			got := w.send(t, r)
			if got.status != c.status || got.problem.Code != c.code {
				t.Errorf("%s: got %d %s %q, want %d %s", c.name, got.status, got.problem.Code, got.problem.Message, c.status, c.code)
			}
		}
	})
}

func TestNULBytesAreRefused(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	guarded(t, w, posted, func(t *testing.T, l httpapi.Line, r request) {
		encoded, err := json.Marshal(r.body)
		if err != nil {
			t.Fatal(err)
		}
		spoiled := regexp.MustCompile(`"(name|description|email|label|title|externalId|text|runLabel)":"`).
			ReplaceAll(encoded, []byte(`"$1":"\u0000`))
		if bytes.Equal(spoiled, encoded) {
			return
		}
		r.body = spoiled
		want(t, w.send(t, r), 422, errs.ValidationFailed)
	})
}
