package httpapi_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"assess/config"
	"assess/pkg/dev/apptest"
	"assess/pkg/exam/seb"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// The file of an assignment opens its exam in Safe Exam Browser: every call takes the keys that the browser gives, whether it
// sends them by itself or tells them to the page, and no other browser gets in. The browser knows the service by http.base_url,
// which is not where the test finds it: as behind a proxy.
func TestAnExamIsTakenInSafeExamBrowser(t *testing.T) {
	t.Parallel()
	const outside = "https://exams.example.org"
	w := newTown(t, func(c *config.Config) {
		c.HTTP.BaseURL, c.HTTP.CORSOrigins = "https://Exams.example.org:443", []string{"https://other.example.org"}
	})
	p := w.home
	file := w.send(t, request{method: http.MethodGet, path: "/assignments/" + p.Locked.String() + "/seb", token: p.Token})
	start := regexp.MustCompile(`<key>startURL</key>\s*<string>(.*)</string>`).FindSubmatch(file.body)
	if file.status != http.StatusOK || file.header.Get("Content-Type") != seb.MediaType || start == nil ||
		string(start[1]) != "https://app.example.org/#assignment="+p.Locked.String() {
		t.Fatalf("%d %v %s", file.status, file.header, file.body)
	}
	if name := file.header.Get("Content-Disposition"); !strings.Contains(name, p.Locked.String()+".seb") {
		t.Errorf("it is called %s", name)
	}
	key := seb.Exam("https://app.example.org/", p.Locked).ConfigKey()
	const page = "https://app.example.org/exam?a=1"
	sessions := "/evaluations/" + p.Enclosed.String() + "/sessions"
	by := func(address, page string) map[string]string {
		h := map[string]string{"X-SafeExamBrowser-ConfigKeyHash": seb.Hash(address, key)}
		if page != "" {
			h["X-Lockdown-Page"] = page
		}
		return h
	}
	begin := func(path string, header map[string]string) response {
		return w.send(t, request{method: http.MethodPost, path: path, token: p.Token, key: ids.New().String(), header: header, body: map[string]any{"assignmentId": p.Locked}})
	}
	for name, header := range map[string]map[string]string{
		"another browser":                  nil,
		"a hash of the inner address":      by(w.app.URL+"/api/v1"+sessions, ""),
		"a hash without the query":         by(outside+"/api/v1"+sessions, ""),
		"a page that it does not name":     by(page, ""),
		"a page of somebody else":          by("https://evil.example/", "https://evil.example/"),
		"a page that is no address":        by("x", "x"),
		"a host that a proxy would name":   {"X-Forwarded-Host": "evil.example", "X-SafeExamBrowser-ConfigKeyHash": seb.Hash("https://evil.example/api/v1"+sessions+"?lang=en", key)},
		"a hash of another page of its":    by("https://app.example.org/x", page),
		"the hash of a Browser Exam Key's": {"X-SafeExamBrowser-RequestHash": seb.Hash(page, key), "X-Lockdown-Page": page},
	} {
		got := begin(sessions+"?lang=en", header)
		want(t, got, http.StatusForbidden, errs.LockdownRequired)
		if missing, _ := json.Marshal(got.problem.Details["missing"]); string(missing) != `["seb_config_key"]` || !strings.Contains(got.problem.Message, "Safe Exam Browser") {
			t.Errorf("%s: %s, %s", name, missing, got.problem.Message)
		}
	}
	for name, header := range map[string]map[string]string{
		"a header":                 by(outside+"/api/v1"+sessions+"?lang=en", ""),
		"the page's word":          by(page, page),
		"the page's, with a place": by(page, page+"#question-3"),
		"a page that may call":     by("https://other.example.org/", "https://other.example.org/"),
		"a page of the service":    by(outside+"/", outside+"/"),
	} {
		if got := begin(sessions+"?lang=en", header); got.status != http.StatusCreated {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	var open session.Session
	if err := json.Unmarshal(begin(sessions, by(page, page)).body, &open); err != nil {
		t.Fatal(err)
	}
	one := sessions + "/" + open.ID.String()
	answers := map[string]any{"answers": []any{map[string]any{"itemId": open.Sections[0].Items[0].ItemID, "sequence": 1, "response": map[string]any{"optionIds": []string{"A"}}}}}
	view := map[string]any{"view": 2}
	answers["view"] = 2
	for _, call := range []struct {
		name string
		request
	}{
		{"read", request{method: http.MethodGet, path: one}},
		{"resume", request{method: http.MethodPost, path: one + "/resume", key: "1"}},
		{"begin a section", request{method: http.MethodPost, path: one + "/sections/" + open.Sections[0].ID.String() + "/start", key: "2", body: view}},
		{"save", request{method: http.MethodPost, path: one + "/answers", body: answers}},
		{"submit", request{method: http.MethodPost, path: one + "/submit", key: "3", body: view}},
	} {
		call.token = p.Token
		if call.key != "" {
			call.key = ids.New().String()
		}
		want(t, w.send(t, call.request), http.StatusForbidden, errs.LockdownRequired)
		if call.name == "save" {
			w.probed(t, p, one, nil, false)
			w.probed(t, p, one, by(page, page), true)
			w.probed(t, p, one, by(outside+"/api/v1"+one+"/lockdown/probe", ""), true)
		}
		call.header = by(outside+"/api/v1"+call.path, "")
		if got := w.send(t, call.request); got.status/100 != 2 {
			t.Errorf("%s: %d %s", call.name, got.status, got.body)
		}
	}
}

func (w *town) probed(t *testing.T, p place, session string, header map[string]string, want bool) {
	t.Helper()
	got := w.send(t, request{method: http.MethodGet, path: session + "/lockdown/probe", token: p.Token, header: header})
	var probe struct {
		Fulfilled    bool
		Missing, Why []string
	}
	if err := json.Unmarshal(got.body, &probe); err != nil || probe.Fulfilled != want || (len(probe.Why) == 0) != want {
		t.Errorf("the probe says %s, %v", got.body, err)
	}
}

// Pages of other origins send the keys that Safe Exam Browser told them.
func TestPagesMaySendWhatLocksThem(t *testing.T) {
	t.Parallel()
	app := apptest.Start(t, func(c *config.Config) { c.HTTP.CORSOrigins = []string{"https://client.example"} })
	res, _ := fetch(t, http.MethodOptions, app.URL+"/api/v1/questions", map[string]string{"Origin": "https://client.example", "Access-Control-Request-Method": "POST"}, nil)
	for _, name := range []string{"X-Lockdown", "X-Lockdown-Page", "X-SafeExamBrowser-ConfigKeyHash", "X-SafeExamBrowser-RequestHash"} {
		if !strings.Contains(strings.ToLower(res.Header.Get("Access-Control-Allow-Headers")), strings.ToLower(name)) {
			t.Errorf("%s is not allowed: %v", name, res.Header)
		}
	}
}
