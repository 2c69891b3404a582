package httpapi_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/httpapi"
)

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// pathOf fills the placeholders of a route.
func pathOf(l httpapi.Line, p place) string {
	return placeholder.ReplaceAllStringFunc(l.Path, func(m string) string { return standsFor(l, p, m) }) + query(l, p)
}

// standsFor gives the value of one placeholder in a path.
func standsFor(l httpapi.Line, p place, m string) string {
	if m == "{token}" {
		return p.JoinToken
	}
	if m == "{seq}" {
		return p.Event
	}
	if m == "{name}" {
		return receipt
	}
	return noun[l.ID](p)[m[1:len(m)-1]].String()
}

func query(l httpapi.Line, p place) string {
	if l.ID == "previewSchedule" {
		return "?rule=FREQ%3DDAILY&timeZone=UTC&startsAt=2031-01-01T08:00:00Z&run_label=%7Bdate%7D"
	}
	if strings.Contains(l.Path, "/reporting/evaluation-summary") || l.ID == "listSessionAttempts" {
		return "?evaluationVersionId=" + p.EvaluationVersion.String()
	}
	if strings.HasSuffix(l.Path, "/skill-mappings/resolve") {
		return "?evaluationVersionId=" + p.EvaluationVersion.String()
	}
	if l.ID == "listReportedFindings" {
		return "?submissionId=" + p.Submission.String()
	}
	if l.ID == "listWaitingSubmissions" {
		return "?awaits=marking"
	}
	if l.ID == "findName" {
		return "?noun=role&word=candidate"
	}
	if l.ID == "readLetter" {
		return "?letter=received"
	}
	if l.ID == "proveConsistency" {
		return "?from=1"
	}
	if l.ID == "uploadAsset" {
		return "?name=leaf.png"
	}
	return ""
}

func (w *town) valid(t *testing.T, l httpapi.Line, of place) request {
	t.Helper()
	caller := w.home.caller(l)
	r := request{method: l.Method, path: pathOf(l, of), token: caller.Token, key: ids.New().String()}
	if b, ok := body[l.ID]; ok {
		r.body = b(of)
	}
	if l.Upload {
		r.contentType = "image/png"
	}
	if slices.Contains([]string{"publishEvaluation", "voidSubmission", "forgetPerson", "installRevision", "setRetentionPolicies", "sweepRetention", "askRequest", "linkMyAccount"}, l.ID) {
		r.proof = w.proof(t, caller)
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

func all(httpapi.Line) bool { return true }
func named(l httpapi.Line) bool {
	return strings.Contains(strings.Replace(l.Path, "{seq}", "", 1), "{")
}
func once(l httpapi.Line) bool { return l.Once }
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
	w.app.Sequence(t)
	promised := described(t)
	answers := recorder{}
	defer answers.keep(t)
	guarded(t, w, all, func(t *testing.T, l httpapi.Line, r request) {
		got := w.send(t, r)
		answers.note(t, promised, l, got)
		if got.status >= 300 && !refusedByData[l.ID] {
			t.Errorf("got %d %s", got.status, got.body)
		}
		if got.status < 300 && len(got.body) > 0 && !keepsTo(promised, l, got) {
			t.Errorf("the description does not promise an answer of %d and %q", got.status, got.header.Get("Content-Type"))
		}
		err := fits(promised, l, got)
		if err != nil {
			t.Errorf("the answer is not what the description says: %v", err)
		}
		if l.Method == http.MethodGet && got.status == 200 && strings.HasPrefix(got.header.Get("Content-Type"), "application/json") && got.header.Get("Content-Disposition") == "" {
			keepsItsTag(t, w, r, got)
		}
	})
}

// keepsItsTag holds the ETag of an answer against its bytes, and wants nothing again as long as they are the same.
func keepsItsTag(t *testing.T, w *town, r request, got response) {
	t.Helper()
	tag := fmt.Sprintf(`"%x"`, sha256.Sum256(got.body))
	if got.header.Get("ETag") != tag {
		t.Errorf("the ETag is %q", got.header.Get("ETag"))
	}
	r.header = map[string]string{"If-None-Match": "W/" + tag}
	again := w.send(t, r)
	if again.header.Get("ETag") == tag && (again.status != 304 || len(again.body) > 0) || again.header.Get("ETag") != tag && again.status != 200 {
		t.Errorf("asked again: got %d %s, ETag %q", again.status, again.body, again.header.Get("ETag"))
	}
}

// fits holds the body of an answer against its schema.
func fits(document *openapi3.T, l httpapi.Line, got response) error {
	responses := document.Paths.Value("/api/v1" + l.Path).GetOperation(l.Method).Responses
	response := responses.Status(got.status)
	if response == nil {
		response = responses.Default()
	}
	media := response.Value.Content["application/json"]
	if media == nil || len(got.body) == 0 || !strings.HasPrefix(got.header.Get("Content-Type"), "application/json") {
		return nil
	}
	var body any
	err := json.Unmarshal(got.body, &body)
	if err != nil {
		return err
	}
	return allowed(media, body)
}

// allowed holds a value against the schema of its place.
func allowed(media *openapi3.MediaType, body any) error {
	err := media.Schema.Value.VisitJSON(body, openapi3.MultiErrors(), openapi3.VisitAsResponse())
	found, _ := err.(openapi3.MultiError)
	return errors.Join(slices.DeleteFunc(found, isNullOfNoType)...)
}

// isNullOfNoType recognises a complaint that the validator makes and JSON Schema does not: null
// where no type is named.
func isNullOfNoType(err error) bool {
	var at *openapi3.SchemaError
	return errors.As(err, &at) && at.Value == nil && at.Schema.Type == nil
}

// keepsTo says whether the description has the status and the media type of an answer. A
// file that somebody uploaded has any type.
func keepsTo(document *openapi3.T, l httpapi.Line, got response) bool {
	response := document.Paths.Value("/api/v1" + l.Path).GetOperation(l.Method).Responses.Status(got.status)
	mediaType, _, _ := strings.Cut(got.header.Get("Content-Type"), ";")
	return response != nil && mediaType != "" && (response.Value.Content[mediaType] != nil || response.Value.Content["application/octet-stream"] != nil)
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
				if m == "{name}" {
					continue // a file that the job has not made is not found
				}
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
		// A repeated request for an export gets an answer that tells how its job is by then.
		if len(bodies) != 1 && l.ID != "exportPerson" || fresh != 1 {
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
		spoiled := regexp.MustCompile(`"(name|description|email|label|title|externalId|text|run_label)":"`).
			ReplaceAll(encoded, []byte(`"$1":"\u0000`))
		if bytes.Equal(spoiled, encoded) {
			return
		}
		r.body = spoiled
		want(t, w.send(t, r), 422, errs.ValidationFailed)
	})
}
