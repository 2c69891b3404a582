package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// A framework goes in as a package and as CSV, and comes out as both.
func TestFrameworksGoInAndOut(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	package1 := map[string]any{"CFDocument": map[string]any{"identifier": ids.New(), "title": "Driving", "own": []int{1, 2}},
		"CFItems": []any{map[string]any{"identifier": ids.New(), "fullStatement": "Parks", "humanCodingScheme": "D1", "own": "kept"}}, "CFAssociations": []any{}}
	post := func(path, contentType string, body any) response {
		return w.send(t, request{method: http.MethodPost, path: "/skill-frameworks/import/" + path, token: w.home.Token, key: ids.New().String(), contentType: contentType, body: body})
	}
	looked := post("preview", "application/json", package1)
	if looked.status != http.StatusOK || !strings.Contains(string(looked.body), `"validCount":1`) {
		t.Fatalf("preview: %d %s", looked.status, looked.body)
	}
	done := post("commit?publish=true", "application/json", package1)
	var result struct {
		Created, Published int
		FrameworkID        string
	}
	if err := json.Unmarshal(done.body, &result); err != nil || result.Created != 1 || result.Published != 1 {
		t.Fatalf("commit: %d %s", done.status, done.body)
	}
	get := func(path string) response {
		return w.send(t, request{method: http.MethodGet, path: "/skill-frameworks/" + result.FrameworkID + path, token: w.home.Token})
	}
	out := get("/export/case")
	if contentType := out.header.Get("Content-Type"); contentType != "application/json" {
		t.Errorf("content type %q", contentType)
	}
	var in, back any
	given, err := json.Marshal(package1)
	if err == nil {
		err = json.Unmarshal(given, &in)
	}
	if err == nil {
		err = json.Unmarshal(out.body, &back)
	}
	if err != nil || mustJSON(t, in) != mustJSON(t, back) {
		t.Errorf("out came %s", out.body)
	}
	table := get("/export/csv")
	again := post("commit?frameworkId="+result.FrameworkID, "text/csv", string(table.body))
	if again.status != http.StatusOK || !strings.Contains(string(again.body), `"unchanged":1`) {
		t.Errorf("import of %s: %d %s", table.body, again.status, again.body)
	}
	for name, bad := range map[string]struct {
		got    response
		status int
		code   errs.Code
	}{
		"neither title nor id": {post("commit", "text/csv", "code,name\nA,B\n"), 422, errs.ValidationFailed},
		"no framework":         {post("commit?frameworkId="+ids.New().String(), "text/csv", "code,name\nA,B\n"), 404, errs.NotFound},
		"no JSON":              {post("commit", "application/json", `{"CFDocument":`), 422, errs.ImportInvalid},
		"another media type":   {post("commit", "application/xml", "<x/>"), 415, errs.UnsupportedMediaType},
		"nothing":              {post("commit", "text/csv", ""), 400, errs.MalformedRequest},
	} {
		t.Run(name, func(t *testing.T) { want(t, bad.got, bad.status, bad.code) })
	}
}

func mustJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
