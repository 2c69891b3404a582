package httpapi_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/httpapi"
)

// One answer has what is unknown, what is of the wrong type, what the schema forbids and what
// the rules forbid, in query, header and body.
func TestAllProblemsComeAtOnce(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	session := "/evaluations/" + w.home.Evaluation.String() + "/sessions/" + w.home.Session.String()
	for _, test := range []struct {
		name, method, path, body string
		want                     []string
	}{
		{"an unknown field beside rules", "POST", "/questions",
			`{"qtype":"mcq","stem":{"defaultLocale":"en","locales":{"en":{"plainText":"S"}}},"nosuch":1,"options":[{"id":"A","content":"A"},{"id":"A","content":"B"}],"scoring":{"correctOptionIds":["Z"]}}`,
			[]string{"nosuch unknown_field", "options[1].id duplicate_option"}},
		{"types and bounds beside rules", "POST", "/evaluations",
			`{"title":" ","sections":[],"settings":{"timeLimitSeconds":"x","pass_mark_percent":101}}`,
			[]string{"settings.timeLimitSeconds wrong_type", "settings.pass_mark_percent out_of_range", "title required"}},
		{"a field twice", "POST", "/taxonomy/facets", `{"label":"A","label":"B","key":"` + "\\u0000" + `"}`, []string{"label repeated"}},
		{"query and body", "POST", session + "/answers?nosuch=1&other=%00", `{"answers":[{"itemId":"` + w.home.Item.String() + `","sequence":"x","response":null}]}`,
			[]string{"answers[0].sequence wrong_type", "nosuch unknown_field", "other unknown_field"}},
		{"query", "GET", "/questions?limit=x&page=0&nosuch=1&status=a&status=b&terms_any=x&lang=!", ``,
			[]string{"lang unknown_field", "limit wrong_type", "nosuch unknown_field", "page out_of_range", "status repeated", "terms_any[0] wrong_type"}},
		{"path and query", "GET", "/questions/x?lang=!&nosuch=1", ``, []string{"id wrong_type", "lang invalid_locale", "nosuch unknown_field"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := request{method: test.method, path: test.path, token: w.home.Token, key: ids.New().String()}
			if test.body != "" {
				r.body = test.body
			}
			got := w.send(t, r)
			var found []string
			for _, f := range fieldsOf(got) {
				found = append(found, f.Path+" "+f.Code)
			}
			missing := slices.DeleteFunc(slices.Clone(test.want), func(s string) bool { return slices.Contains(found, s) })
			if got.status != http.StatusUnprocessableEntity || len(missing) > 0 {
				t.Errorf("got %d without %v: %s", got.status, missing, got.body)
			}
		})
	}
}

// An input with problems changes nothing, on whatever route: what the rules have against it is
// found in a transaction that is rolled back.
func TestAnInputWithProblemsChangesNothing(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	before := w.state(t)
	guarded(t, w, func(l httpapi.Line) bool { return l.Method != http.MethodGet }, func(t *testing.T, l httpapi.Line, r request) {
		r.path += separator(r.path) + "no_such_parameter=1"
		got := w.send(t, r)
		if !names(got, "no_such_parameter") {
			t.Errorf("got %d %s", got.status, got.body)
		}
	})
	if diff := cmp.Diff(before, w.state(t)); diff != "" {
		t.Errorf("rows (-before +after):\n%s", diff)
	}
}

// state counts the rows of every table that a call may write to.
func (w *town) state(t *testing.T) map[string]int {
	t.Helper()
	counts := map[string]int{}
	err := w.app.Store.Read(t.Context(), w.app.Scope, func(tx *db.Tx) error {
		for _, table := range []string{"ledger_events", "questions", "question_versions", "evaluations", "evaluation_versions", "users", "groups",
			"group_members", "sessions", "submissions", "assignments", "assets", "idempotency_keys", "terms", "roles", "projection_outbox"} {
			var n int
			err := tx.QueryRow(t.Context(), "select count(*) from "+table+" where tenant_id = $1", tx.Tenant()).Scan(&n)
			if err != nil {
				return err
			}
			counts[table] = n
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return counts
}
