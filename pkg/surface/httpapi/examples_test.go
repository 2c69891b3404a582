package httpapi_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"assess/pkg/surface/httpapi"
)

// shownAnswer gives the place of the example of an operation's answer, and its media type; nil where an
// answer has no body or one of bytes.
func shownAnswer(op *openapi3.Operation) (*openapi3.MediaType, string) {
	for _, status := range []int{200, 201, 202} {
		r := op.Responses.Status(status)
		if r == nil {
			continue
		}
		for _, kind := range []string{"application/json", "text/csv", "text/html", "text/plain"} {
			if media := r.Value.Content.Get(kind); media != nil {
				return media, kind
			}
		}
	}
	return nil, ""
}

// Every answer in words has an example, which its schema allows. make golden
// records missing ones.
func TestExamplesOfAnswers(t *testing.T) {
	t.Parallel()
	document := described(t)
	for _, l := range httpapi.Lines() {
		media, _ := shownAnswer(document.Paths.Value("/api/v1" + l.Path).GetOperation(l.Method))
		switch {
		case media == nil:
		case media.Example == nil:
			t.Errorf("%s: answers.json has no example; make golden records it", l.ID)
		default:
			err := allowed(media, media.Example)
			if err != nil {
				t.Errorf("%s: the example in answers.json is not what the schema says: %v", l.ID, err)
			}
		}
	}
}

// recorder keeps answers of a test as examples.
type recorder map[string]any

// note keeps an answer, unless the description has an example already that its schema allows: so files
// change where the interface does.
func (r recorder) note(t *testing.T, document *openapi3.T, l httpapi.Line, got response) {
	t.Helper()
	media, kind := shownAnswer(document.Paths.Value("/api/v1" + l.Path).GetOperation(l.Method))
	if os.Getenv("GOLDEN") == "" || media == nil || got.status >= 300 || !strings.HasPrefix(got.header.Get("Content-Type"), kind) ||
		media.Example != nil && allowed(media, media.Example) == nil {
		return
	}
	lines := strings.SplitAfter(string(got.body), "\n")
	var body any = strings.Join(lines[:min(len(lines), 1+shownRows)], "")
	if kind == "application/json" {
		err := json.Unmarshal(got.body, &body)
		if err != nil {
			t.Fatal(err)
		}
	}
	r[l.ID] = (&retold{ids: map[string]string{}}).value(body)
}

// keep writes the notes into answers.json, without answers that no operation gives any more.
func (r recorder) keep(t *testing.T) {
	t.Helper()
	const file = "answers.json"
	if os.Getenv("GOLDEN") == "" {
		return
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	kept := map[string]any{}
	err = json.Unmarshal(text, &kept)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range httpapi.Lines() {
		if r[l.ID] != nil {
			kept[l.ID] = r[l.ID]
		}
	}
	err = os.WriteFile(file, aLineEach(t, kept), 0o644)
	if err != nil {
		t.Fatal(err)
	}
}

// aLineEach writes an object with a line for each of its members, so that a change of one is a line of the diff.
func aLineEach(t *testing.T, members map[string]any) []byte {
	t.Helper()
	var lines []string
	for _, name := range sortedKeys(members) {
		line, err := json.Marshal(map[string]any{name: members[name]})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.TrimSuffix(strings.TrimPrefix(string(line), "{"), "}"))
	}
	return []byte("{\n" + strings.Join(lines, ",\n") + "\n}\n")
}

// retold tells an answer so that it is the same whenever it was recorded.
type retold struct{ ids map[string]string }

const (
	oneMoment = "2031-04-01T09:30:00.000Z"
	oneHash   = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	// shownRows is how many elements of a list are shown.
	shownRows = 2
)

var (
	anID     = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	aMoment  = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)
	aDay     = regexp.MustCompile(`20\d\d-\d\d-\d\d`)
	aHash    = regexp.MustCompile(`\b[0-9a-f]{64}\b`)
	aToken   = regexp.MustCompile(`\beyJ[\w-]+\.[\w-]+\.[\w-]+`)
	aSecret  = regexp.MustCompile(`^[\w-]{40,}$`)
	retelled = func(i int) string { return fmt.Sprintf("0190b3c4-0000-7000-8000-%012d", i) }
)

func (r *retold) value(v any) any {
	switch v := v.(type) {
	case map[string]any:
		told := map[string]any{}
		for _, key := range sortedKeys(v) {
			told[r.text(key)] = r.value(v[key])
		}
		return told
	case []any:
		told := []any{}
		for _, one := range v[:min(len(v), shownRows)] {
			told = append(told, r.value(one))
		}
		return told
	case string:
		return r.text(v)
	}
	return v
}

func (r *retold) text(s string) string {
	s = aToken.ReplaceAllString(s, "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ1c2VyIn0.c2lnbmF0dXJl")
	s = aHash.ReplaceAllString(s, oneHash)
	s = anID.ReplaceAllStringFunc(s, func(id string) string {
		if r.ids[id] == "" {
			r.ids[id] = retelled(len(r.ids) + 1)
		}
		return r.ids[id]
	})
	s = aMoment.ReplaceAllString(s, oneMoment)
	s = aDay.ReplaceAllStringFunc(s, func(day string) string { return oneMoment[:len(day)] })
	if aSecret.MatchString(s) && !aHash.MatchString(s) {
		return "dGhlIGFuc3dlciBjYXJyaWVzIGl0IG9uY2UgYW5kIG5ldmVyIGFnYWlu"
	}
	return s
}

func sortedKeys(m map[string]any) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
