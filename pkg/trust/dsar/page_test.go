package dsar

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"assess/pkg/dev/browser"
)

var anID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// The page of an export names things; of ids it has only the one that the person is known by, and ids that link inside the page. Everybody
// can use it, on a desk and on a telephone, in the light and in the dark.
func TestThePageOfAnExportNamesThings(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	person, _ := r.takes(2)
	var to bytes.Buffer
	r.write(person, &to)
	html := unpacked(t, to.Bytes())["index.html"]
	body := regexp.MustCompile(`<article id="[^"]*"|[^> ]*@example.test`).ReplaceAllString(string(html), "")
	for _, found := range anID.FindAllString(body, -1) {
		if found != person.String() {
			t.Errorf("the page has the id %s", found)
		}
	}
	if !strings.Contains(string(html), "Evaluation title") || !strings.Contains(string(html), "Role name") {
		t.Error("the page names neither exams nor roles")
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path != "/" { // the picture of the site, which every browser asks for
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(html)
	}))
	t.Cleanup(s.Close)
	p := browser.Open(t, browser.Look{})
	p.Visit(s.URL)
	p.Has("h1")
	p.Usable()
}
