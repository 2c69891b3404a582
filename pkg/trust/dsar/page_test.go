package dsar

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"assess/pkg/dev/browser"
	"assess/pkg/dev/dbtest"
	"assess/pkg/exam/submission"
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
	p := browser.Open(t, browser.Look{})
	p.Visit(serve(t, unpacked(t, to.Bytes())))
	p.Has("h1")
	p.Usable()
}

// serve shows the pages of an export to a browser, and gives the address of the first one.
func serve(t *testing.T, files map[string][]byte) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		html := files[strings.TrimPrefix(req.URL.Path, "/")]
		if html == nil { // favicon
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(html)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/index.html"
}

var aWay = regexp.MustCompile(`<a href="([^"#]+)">`)

// A person with a lot of data gets several pages: none is heavy, each has links back and on, and together they have every answer once.
func TestNoPageOfAnExportIsHeavy(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	person, _ := r.takes(5)
	multiply(t, r.urls, person, 120)
	answer := strings.Repeat("Why do rivers bend? ", 1500) // one that alone makes a page
	super := dbtest.Heap(t, r.urls)
	_, err := super.Exec(t.Context(), `update submission_items set qtype = 'essay', is_omitted = false, response = jsonb_build_object('text', $1::text)
		where submission_id = (select min(id::text)::uuid from submissions) and position = 2`, answer)
	if err != nil {
		t.Fatal(err)
	}
	var to bytes.Buffer
	r.write(person, &to)
	files, seen, questions, heads := unpacked(t, to.Bytes()), 0, 0, 0
	for name, html := range files {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		seen++
		if len(html) > heaviest {
			t.Errorf("%s weighs %d bytes", name, len(html))
		}
		for _, way := range aWay.FindAllSubmatch(html, -1) {
			if files[string(way[1])] == nil {
				t.Errorf("%s leads to %s, which is not there", name, way[1])
			}
		}
		questions += bytes.Count(html, []byte("<li value="))
		heads += bytes.Count(html, []byte(`<article id="`))
	}
	if seen < 4 || questions != 5*120 || heads != 120 {
		t.Errorf("%d pages with %d questions of %d attempts", seen, questions, heads)
	}
	p := browser.Open(t, browser.Look{})
	p.Visit(serve(t, files))
	p.Click(`a[href="attempts-1.html"]`)
	p.See("Page 1")
	p.Click(`a[href="attempts-2.html"]`)
	p.See("Page 2")
	p.Usable()
	p.Click(`a[href="index.html"]`)
	p.See("There are")
	p.Usable()
}

// What is cut on a page says so, and where the rest is.
func TestAVeryLongQuestionIsCutWithACue(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Où coule le Rhône ? ", 5000)
	options := slices.Repeat([]submission.TakenOption{{Text: long}}, 100)
	text, err := itemText(submission.TakenItem{Stem: long, Passage: long, Answer: long, Options: options})
	if err != nil || len(text) > longest || strings.Count(text, "the rest is in the files") != 103 || !utf8.ValidString(text) {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if got := cut("Größe", 3); got != "Gr … (the rest is in the files)" {
		t.Errorf("cut within a letter: %q", got)
	}
}
