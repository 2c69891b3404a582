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

// One answer has all problems of form: values that are unknown, of the wrong type or out of bounds in path, query, header
// and body. The next has all complaints of the rules about the input.
func TestProblemsComeInTwoAnswers(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	session := "/evaluations/" + w.home.Evaluation.String() + "/sessions/" + w.home.Session.String()
	for _, test := range []struct {
		name, method, path, body string
		want                     []string
	}{
		{"form", "POST", "/evaluations",
			`{"title":" ","sections":[],"settings":{"timeLimitSeconds":"x","pass_mark_percent":101},"nosuch":1}`,
			[]string{"nosuch unknown_field", "settings.timeLimitSeconds wrong_type", "settings.pass_mark_percent out_of_range"}},
		{"rules", "POST", "/questions",
			`{"qtype":"mcq","stem":{"defaultLocale":"en","locales":{"en":{"plainText":"S"}}},"options":[{"id":"A","content":"A","isCorrect":false},{"id":"A","content":"B","isCorrect":false}]}`,
			[]string{"options[0].content wrong_type", "options[1].content wrong_type", "options[1].id duplicate_option",
				"stem.locales.en.blocks required", "stem.locales.en.plainText unknown_field", "stem.locales.en.schemaVersion unknown_schema",
				"stem.locales.en.type unknown_schema"}},
		{"a field twice", "POST", "/taxonomy/facets", `{"label":"A","label":"` + "\\u0000" + `","externalId":"` + "\\u0000" + `"}`,
			[]string{"label repeated", "externalId unknown_field"}},
		{"query and body", "POST", session + "/answers?nosuch=1&other=%00", `{"answers":[{"itemId":"` + w.home.Item.String() + `","sequence":"x","response":null}]}`,
			[]string{"answers[0].sequence wrong_type", "nosuch unknown_field", "other unknown_field"}},
		{"query", "GET", "/questions?limit=x&page=0&nosuch=1&status=a&status=b&terms_any=x&lang=!", ``,
			[]string{"lang unknown_field", "limit wrong_type", "nosuch unknown_field", "page out_of_range", "status repeated", "terms_any[0] wrong_type"}},
		{"path and query", "GET", "/questions/x?lang=!&nosuch=1", ``, []string{"id wrong_type", "lang invalid_locale", "nosuch unknown_field"}},
		{"path and body", "PATCH", "/questions/x", `{"nosuch":1}`, []string{"id wrong_type", "nosuch unknown_field"}},
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
			slices.Sort(found)
			slices.Sort(test.want)
			if diff := cmp.Diff(test.want, found); got.status != http.StatusUnprocessableEntity || diff != "" {
				t.Errorf("got %d (-want +got):\n%s%s", got.status, diff, got.body)
			}
		})
	}
}

// An input with problems changes nothing, on any route.
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
