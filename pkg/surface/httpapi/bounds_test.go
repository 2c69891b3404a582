package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"assess/config"
	"assess/pkg/dev/apptest"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Every array of a body says how long it may be: lengths are checked before elements.
func TestEveryArrayOfABodyIsBounded(t *testing.T) {
	t.Parallel()
	document := described(t)
	for path, item := range document.Paths.Map() {
		for method, op := range item.Operations() {
			for _, p := range op.Parameters {
				if s := p.Value.Schema.Value; s.Type.Includes(openapi3.TypeArray) && s.MaxItems == nil {
					t.Errorf("%s %s: parameter %s has no maxItems", method, path, p.Value.Name)
				}
			}
			if op.RequestBody != nil && op.RequestBody.Value.Content.Get("application/json") != nil {
				bounded(t, method+" "+path, op.RequestBody.Value.Content.Get("application/json").Schema, map[string]bool{})
			}
		}
	}
}

func bounded(t *testing.T, at string, ref *openapi3.SchemaRef, seen map[string]bool) {
	t.Helper()
	if ref == nil || ref.Value == nil || seen[ref.Ref] {
		return
	}
	if ref.Ref != "" {
		seen[ref.Ref] = true
		defer delete(seen, ref.Ref)
	}
	s := ref.Value
	if s.Type.Includes(openapi3.TypeArray) {
		if s.MaxItems == nil {
			t.Errorf("%s has no maxItems", at)
		}
		bounded(t, at+"[]", s.Items, seen)
	}
	for name, p := range s.Properties {
		bounded(t, at+"."+name, p, seen)
	}
	for _, alternative := range s.AnyOf {
		bounded(t, at, alternative, seen)
	}
}

// For any mistakes in a body, the answer has at most a hundred problems, and the number of
// the others.
func TestAnswersListAHundredProblemsAndCountTheRest(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	unknown := make([]string, 5000)
	for i := range unknown {
		unknown[i] = fmt.Sprintf(`"field%d":%d`, i, i)
	}
	session := "/evaluations/" + w.home.Evaluation.String() + "/sessions/" + w.home.Session.String()
	for name, c := range map[string]struct {
		path, body string
		more       float64
	}{
		"elements":         {session + "/answers", `{"answers":[` + strings.Repeat(`{},`, 300) + `{}]}`, 803},
		"more than may be": {session + "/answers", `{"answers":[` + strings.Repeat(`{},`, 300_000) + `{}]}`, 2901},
		"unknown fields":   {"/questions", `{` + strings.Join(unknown, ",") + `}`, 0},
		"ids of members":   {"/groups/" + w.home.Group.String() + "/members", `{"userIds":["` + strings.Repeat(`x","`, 9000) + `x"]}`, 8901},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.send(t, request{method: http.MethodPost, path: c.path, token: w.home.Token, key: ids.New().String(), body: c.body})
			more, _ := got.problem.Details["moreErrors"].(float64)
			if got.status != 422 || len(fieldsOf(got)) != errs.MostFields || more < 1 || c.more > 0 && more != c.more || len(got.body) > 50_000 {
				t.Errorf("got %d with %d problems, %v more, %d bytes; want %v more", got.status, len(fieldsOf(got)), more, len(got.body), c.more)
			}
		})
	}
}

func TestBodiesNestSixtyFourLevels(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	for _, depth := range []int{80, 3000} {
		stem := strings.Repeat(`{"items":[`, depth) + strings.Repeat(`]}`, depth)
		got := w.send(t, request{method: http.MethodPost, path: "/questions", token: w.home.Token, key: "k", body: `{"qtype":"mcq","stem":` + stem + `}`})
		if got.status != 422 || len(fieldsOf(got)) == 0 || len(got.body) > 5000 {
			t.Errorf("%d levels: got %d %.300s", depth, got.status, got.body)
		}
	}
}

// Bodies from callers without a token are short, and invalid ones count against the limit.
func TestInvalidCallsWithoutATokenAreLimited(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ method, path, contentType, body string }{
		"login":         {http.MethodPost, "/auth/login", "application/json", `{"no":1}`},
		"broken login":  {http.MethodPost, "/auth/login", "application/json", `{`},
		"large login":   {http.MethodPost, "/auth/login", "application/json", `{"email":"` + strings.Repeat("a", 20_000) + `"}`},
		"verify":        {http.MethodPost, "/auth/verify", "application/json", `{"token":"guessed"}`},
		"verify by GET": {http.MethodGet, "/auth/verify?token=guessed", "", ""},
		"button":        {http.MethodPost, "/auth/verify", "application/x-www-form-urlencoded", "token=guessed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := apptest.Start(t, func(c *config.Config) { c.Auth.LoginPerAddress = 3 })
			var statuses []int
			for range 5 {
				res, _ := fetch(t, c.method, app.URL+"/api/v1"+c.path, map[string]string{"Content-Type": c.contentType, "Accept": "application/json"}, strings.NewReader(c.body))
				statuses = append(statuses, res.StatusCode)
			}
			if statuses[2] == http.StatusTooManyRequests || statuses[4] != http.StatusTooManyRequests {
				t.Errorf("got %v", statuses)
			}
		})
	}
	app := apptest.Start(t)
	res, text := fetch(t, http.MethodPost, app.URL+"/api/v1/auth/login", map[string]string{"Content-Type": "application/json"},
		strings.NewReader(`{"email":"`+strings.Repeat("a", 17<<10)+`"}`))
	if res.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(text, "16384") {
		t.Errorf("17 KiB: got %d %s", res.StatusCode, text)
	}
}
