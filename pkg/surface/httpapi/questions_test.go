package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
)

// The author of an order or a match gives the right answer in its key, and says nothing about each option.
func TestOptionsOfAnOrderAndAMatchSayNothingOfTheirOwn(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	text := func(words string) string {
		return `{"defaultLocale":"en","locales":{"en":{"schemaVersion":"passage-rich-content/v1","type":"doc","blocks":[{"type":"paragraph","children":[{"text":"` + words + `"}]}]}}}`
	}
	options := `"options":[{"id":"A","content":` + text("Rhine") + `},{"id":"B","content":` + text("Elbe") + `}]`
	marked := strings.Replace(options, `{"id":"A",`, `{"id":"A","isCorrect":true,`, 1)
	for name, c := range map[string]struct {
		body   string
		status int
		says   string
	}{
		"order":         {`"qtype":"order",` + options + `,"scoring":{"order":["B","A"]}`, 201, `"order":["B","A"]`},
		"match":         {`"qtype":"match","prompts":[{"id":"p1","content":` + text("Basel") + `}],` + options + `,"scoring":{"pairs":[["p1","A"]]}`, 201, `"pairs":[["p1","A"]]`},
		"marked-option": {`"qtype":"order",` + marked + `,"scoring":{"order":["B","A"]}`, 422, `"path":"options[0].isCorrect"`},
	} {
		got := w.send(t, request{method: http.MethodPost, path: "/questions", token: w.home.Token, key: name, body: `{"stem":` + text("Rivers") + `,` + c.body + `}`})
		if got.status != c.status || !strings.Contains(string(got.body), c.says) {
			t.Errorf("%s: got %d %s", name, got.status, got.body)
		}
	}
}
