package app_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"assess/pkg/people/access"
)

// TestSignInByMail requests a link from the running server, reads the mail from the folder, and
// redeems the link as a browser and as a client would.
func TestSignInByMail(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.start(t)
	link := h.askForLink(t)
	page := h.fetch(t, http.MethodGet, link, "text/html", nil)
	if !strings.Contains(page, "<button>") {
		t.Errorf("a browser got %s", page)
	}
	var s access.Session
	err := json.Unmarshal([]byte(h.fetch(t, http.MethodGet, link, "application/json", nil)), &s)
	if err != nil || s.User.Email != h.email || s.StepUpProof.Method != access.ByMagicLink || s.Token.Token == "" {
		t.Errorf("got %+v, %v", s, err)
	}
	again := h.fetch(t, http.MethodGet, link, "application/json", nil)
	if !strings.Contains(again, "link_invalid") {
		t.Errorf("the link worked twice: %s", again)
	}
	where, err := url.Parse(h.askForLink(t))
	if err != nil {
		t.Fatal(err)
	}
	done := h.fetch(t, http.MethodPost, "http://"+h.address+where.Path, "text/html", where.Query())
	if !strings.Contains(done, "<code>eyJ") {
		t.Errorf("the button gave %s", done)
	}
}

var verifyLink = regexp.MustCompile(`http://\S+/api/v1/auth/verify\?token=[\w-]+`)

func (h *house) askForLink(t *testing.T) string {
	t.Helper()
	status, err := h.try(http.MethodPost, "/auth/login", "", map[string]any{"tenant": h.slug, "email": h.email}, nil)
	if err != nil || status != http.StatusAccepted {
		t.Fatalf("login: %d, %v", status, err)
	}
	return verifyLink.FindString(h.nextMail(t))
}

func (h *house) fetch(t *testing.T, method, where, accept string, form url.Values) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, where, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", accept)
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
