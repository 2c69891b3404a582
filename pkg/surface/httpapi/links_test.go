package httpapi_test

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

var hrefs = regexp.MustCompile(`href="(/[^"]*)"`)

// Every link of every page that somebody can come to from the list of reports leads to a page or a file, with the filters that it carries.
func TestEveryLinkOfAPageLeadsSomewhere(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.submitOne(t)
	w.app.Project(t)
	seen := map[string]bool{}
	next := []string{"/api/v1/reporting/evaluations?limit=3", "/api/v1/reporting/evaluation-summary?run_label=&groupId=" + w.home.Group.String() +
		"&from=2020-01-01T00:00:00Z&evaluationVersionId=" + w.home.EvaluationVersion.String()}
	kinds := map[string]int{}
	for len(next) > 0 && len(seen) < 400 {
		at := next[0]
		next = next[1:]
		path, _, _ := strings.Cut(at, "?")
		kind := uuidInPath.ReplaceAllString(path, "*")
		if seen[at] || kinds[kind] > 25 || at == "/" { // some of each kind
			continue
		}
		seen[at] = true
		kinds[kind]++
		header := map[string]string{"Accept": "text/html", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "same-origin", "Cookie": "__Host-assess=" + w.home.Token}
		res, text := fetch(t, http.MethodGet, w.app.URL+at, header, nil)
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s: %d %.300s", at, res.StatusCode, text)
		}
		if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
			continue
		}
		for _, m := range hrefs.FindAllStringSubmatch(text, -1) {
			next = append(next, html.UnescapeString(m[1]))
		}
	}
	for _, kind := range []string{"/api/v1/reporting/evaluation-summary/cohorts", "/api/v1/reporting/question-versions/*/health", "/api/v1/reporting/session-attempts/*",
		"/api/v1/reporting/session-attempts/*/export", "/api/v1/remediations/*", "/api/v1/users/*/skills-profile", "/share"} {
		if kinds[kind] == 0 {
			t.Errorf("no link leads to %s", kind)
		}
	}
}

var uuidInPath = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
