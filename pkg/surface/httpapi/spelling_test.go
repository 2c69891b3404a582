package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/httpapi"
)

// asOnAMac is the é, one character on a PC, as another machine writes it, with an invisible character pasted along.
const asOnAMac = "e\u0301\u200b"

// nameFields are the fields of bodies that may say anything and are not prose.
var nameFields = []string{"name", "title", "label", "externalId", "run_label", "run_label"}

// proseInJSON may say anything too, and keeps invisible characters.
var proseInJSON = []string{"description", "comment", "reason", "detail", "statement", "text", "acceptedAnswers", "caption", "alt"}

// spelt writes each text of a body that may say anything as another machine does, escaped every other time.
func spelt(name string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			v[key] = spelt(key, inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = spelt(name, inner)
		}
	case string:
		if v != "" && (slices.Contains(nameFields, name) || slices.Contains(proseInJSON, name)) {
			return v + asOnAMac
		}
	}
	return value
}

// All texts of a body are kept as a PC writes them, in every table; and names are kept without invisible
// characters.
func TestWhatIsStoredHasOneSpelling(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	taken, sent := 0, 0
	guarded(t, w, posted, func(t *testing.T, l httpapi.Line, r request) {
		var body any
		if err := json.Unmarshal(encoded(t, r.body), &body); err != nil {
			t.Fatal(err)
		}
		other := encoded(t, spelt("", body))
		if !strings.Contains(string(other), asOnAMac) {
			return
		}
		if sent++; sent%2 == 0 {
			other = []byte(strings.ReplaceAll(strings.ReplaceAll(string(other), "\u0301", `\u0301`), "\u200b", `\u200b`))
		}
		r.body = json.RawMessage(other)
		if got := w.send(t, r); got.status < 300 {
			taken++
		}
	})
	if taken < 40 || taken < sent*3/4 {
		t.Errorf("%d of %d bodies were taken", taken, sent)
	}
	w.app.Project(t)
	sample.Write(t, w.app.Store, w.app.Scope, func(tx *db.Tx) error {
		rows, err := tx.Query(t.Context(), `select c.relname, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid
			where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
			and a.atttypid in ('text'::regtype, 'jsonb'::regtype, 'text[]'::regtype, 'varchar'::regtype) and has_column_privilege(c.oid, a.attnum, 'select')`)
		if err != nil {
			return err
		}
		type place struct{ Table, Column string }
		places, err := pgx.CollectRows(rows, pgx.RowToStructByPos[place])
		if err != nil {
			return err
		}
		composed, written := 0, 0
		for _, p := range places {
			var other, hidden, here int
			err := tx.QueryRow(t.Context(), fmt.Sprintf(`select count(*) filter (where c is not nfc normalized), count(*) filter (where position(U&'\200B' in c) > 0),
				count(*) filter (where position(U&'\00E9' in c) > 0) from (select %q::text from %q) as t (c)`, p.Column, p.Table)).Scan(&other, &hidden, &here)
			if err != nil {
				return fmt.Errorf("%s: %w", p, err)
			}
			if other > 0 {
				t.Errorf("%s has texts that are not in NFC", p)
			}
			if isName := slices.Contains([]string{"name", "title", "label", "external_id", "run_label", "slug"}, p.Column); isName && hidden > 0 {
				t.Errorf("%s has names with what nobody sees", p)
			} else if isName && here > 0 {
				written++
			}
			if here > 0 {
				composed++
			}
		}
		if composed < 20 || written < 10 {
			t.Errorf("only %d columns, %d of names, were written", composed, written)
		}
		return nil
	})
}

// A search finds the same by either spelling, with every text parameter of every list.
func TestEitherSpellingFindsTheSame(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	for path, body := range map[string]any{
		"/subjects": map[string]any{"externalId": "Ü-9", "name": "Café"},
		"/groups":   map[string]any{"name": "Café"},
	} {
		if got := w.send(t, request{method: http.MethodPost, path: path, token: w.home.Token, key: ids.New().String(), body: body}); got.status >= 300 {
			t.Fatalf("%s: got %d %s", path, got.status, got.body)
		}
	}
	document := described(t)
	n := 0
	guarded(t, w, func(l httpapi.Line) bool { return l.Method == http.MethodGet }, func(t *testing.T, l httpapi.Line, r request) {
		for _, p := range document.Paths.Value("/api/v1" + l.Path).GetOperation(l.Method).Parameters {
			if p.Value.In != openapi3.ParameterInQuery || fitting(p.Value.Schema.Value) != "word" {
				continue
			}
			n++
			ask := func(value string) string {
				one := r
				one.path += separator(r.path) + p.Value.Name + "=" + url.QueryEscape(value)
				got := w.send(t, one)
				var answer map[string]any
				if json.Unmarshal(got.body, &answer) != nil {
					return fmt.Sprint(got.status)
				}
				for _, ever := range []string{"requestId", "asOf", "projectionLagMs", "generatedAt"} {
					delete(answer, ever)
				}
				text, _ := json.Marshal(answer)
				return fmt.Sprint(got.status, string(text))
			}
			for pc, mac := range map[string]string{"Café": "Cafe\u0301", "Ü-9": "\ufeffU\u0308-9\u200b"} {
				if a, b := ask(pc), ask(mac); a != b {
					t.Errorf("%s=%s: got %s, and in the other spelling %s", p.Value.Name, pc, a, b)
				}
			}
		}
	})
	if n < 20 {
		t.Errorf("%d parameters", n)
	}
	for _, path := range []string{"/subjects?external_id=" + url.QueryEscape("U\u0308-9"), "/subjects?externalId=" + url.QueryEscape("U\u0308-9")} {
		if got := w.send(t, request{method: http.MethodGet, path: path, token: w.home.Token}); got.status == http.StatusOK && !strings.Contains(string(got.body), "Café") {
			t.Errorf("%s: got %s", path, got.body)
		}
	}
}

// A name that shows nothing is none, in any field.
func TestWhatShowsNothingIsNoName(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	for _, tt := range []struct {
		method, path, field string
		body                any
	}{
		{http.MethodPost, "/subjects", "externalId", map[string]any{"externalId": "\u200b\u00ad", "name": "Ada"}},
		{http.MethodPost, "/subjects", "metadata.\u202c", map[string]any{"externalId": "a", "name": "Ada", "metadata": map[string]any{"\u202c": "x"}}},
		{http.MethodPost, "/subjects", "metadata.a", map[string]any{"externalId": "a", "name": "Ada", "metadata": map[string]any{"a": "x", "a\u200b": "y"}}},
		{http.MethodPost, "/groups", "name", map[string]any{"name": "\ufeff"}},
		{http.MethodGet, "/questions?external_id=%E2%80%8B", "external_id", nil},
	} {
		got := w.send(t, request{method: tt.method, path: tt.path, token: w.home.Token, key: ids.New().String(), body: tt.body})
		if got.status != http.StatusUnprocessableEntity || !strings.Contains(string(got.body), `"path":"`+tt.field+`"`) {
			t.Errorf("%s: got %d %s", tt.path, got.status, got.body)
		}
	}
}
