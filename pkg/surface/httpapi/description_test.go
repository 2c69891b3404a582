package httpapi_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"assess/pkg/dev/golden"
	"assess/pkg/kernel/errs"
	"assess/pkg/surface/httpapi"
)

func TestDescription(t *testing.T) {
	t.Parallel()
	asJSON, _, err := httpapi.Describe()
	if err != nil {
		t.Fatal(err)
	}
	document, err := openapi3.NewLoader().LoadFromData(asJSON)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(document.OpenAPI, "3.1") {
		t.Errorf("version %s, want 3.1", document.OpenAPI)
	}
	for _, l := range httpapi.Lines() {
		item := document.Paths.Value("/api/v1" + l.Path)
		if item == nil || item.GetOperation(l.Method) == nil {
			t.Errorf("%s %s is not described", l.Method, l.Path)
			continue
		}
		op := item.GetOperation(l.Method)
		if op.Summary == "" || op.Responses.Default() == nil {
			t.Errorf("%s %s: no summary or no error answer", l.Method, l.Path)
		}
	}
	golden.Check(t, []byte(outline(document)), filepath.Join("testdata", "interface.txt"))
	for _, e := range errs.Catalogue {
		if !bytes.Contains(asJSON, []byte("`"+string(e.Code)+"`")) {
			t.Errorf("%s is not in the description", e.Code)
		}
	}
}

// described reads the description as a client does.
func described(t *testing.T) *openapi3.T {
	t.Helper()
	asJSON, _, err := httpapi.Describe()
	if err != nil {
		t.Fatal(err)
	}
	document, err := openapi3.NewLoader().LoadFromData(asJSON)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// Every body of a request has an example, which its schema allows.
func TestExamplesFitTheirSchemas(t *testing.T) {
	t.Parallel()
	document := described(t)
	for path, item := range document.Paths.Map() {
		for method, op := range item.Operations() {
			if op.RequestBody == nil || op.RequestBody.Value.Content.Get("application/json") == nil {
				continue
			}
			media := op.RequestBody.Value.Content.Get("application/json")
			if media.Example == nil {
				t.Errorf("%s %s: write an example of %s in examples.json", method, path, op.OperationID)
				continue
			}
			err := media.Schema.Value.VisitJSON(media.Example, openapi3.MultiErrors())
			if err != nil {
				t.Errorf("%s %s: %v", method, path, err)
			}
		}
	}
}

func TestRouteList(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("| method | path | needs | key |\n|---|---|---|---|\n")
	for _, l := range httpapi.Lines() {
		var caps []string
		for _, c := range l.Needs {
			caps = append(caps, string(c))
		}
		key := ""
		if l.Once {
			key = "yes"
		}
		b.WriteString("| " + l.Method + " | /api/v1" + l.Path + " | " + strings.Join(caps, " or ") + " | " + key + " |\n")
	}
	golden.Check(t, []byte(b.String()), filepath.Join("..", "..", "..", "docs", "routes.md"))
}

func TestErrorCatalogueIsComplete(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../../kernel/errs/codes.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^\s+\w+\s+Code = "(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		if !slices.ContainsFunc(errs.Catalogue, func(e errs.Entry) bool { return string(e.Code) == m[1] && e.Meaning != "" }) {
			t.Errorf("%s is not in the catalogue", m[1])
		}
	}
}

// Every list has page and limit.
func TestEveryListTakesAPage(t *testing.T) {
	t.Parallel()
	lists := 0
	for path, item := range described(t).Paths.Map() {
		op := item.Get
		if op == nil || op.Responses.Status(200) == nil || op.Responses.Status(200).Value.Content.Get("application/json") == nil {
			continue
		}
		said := op.Responses.Status(200).Value.Content.Get("application/json").Schema.Value.Properties
		if said["items"] == nil || said["total"] == nil || said["limit"] == nil {
			continue
		}
		lists++
		switch path {
		case "/api/v1/assignments/schedules/preview": // always the first moments
			continue
		case "/api/v1/taxonomy/terms/{id}/ancestors": // a tree has few levels
			continue
		}
		for _, name := range []string{"page", "limit"} {
			if op.Parameters.GetByInAndName("query", name) == nil {
				t.Errorf("GET %s does not take %s", path, name)
			}
		}
	}
	if lists < 30 {
		t.Errorf("%d lists", lists)
	}
}
