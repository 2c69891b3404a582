package httpapi_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/riverqueue/river"

	"assess/config"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/mail"
	"assess/pkg/people/access"
	"assess/pkg/trust/requests"
)

// visitor is a browser on the page for one's own data.
type visitor struct {
	*testing.T
	w      *town
	cookie string
	page   string
}

func (v *visitor) get(path string) *http.Response {
	v.Helper()
	res, text := fetch(v.T, http.MethodGet, v.w.app.URL+path, map[string]string{"Accept": "text/html", "Cookie": v.cookie}, nil)
	v.page = html.UnescapeString(text)
	return res
}

var formProof = regexp.MustCompile(`name="proof" value="([^"]+)"`)

// post sends a form of the page that is shown, and goes where it leads.
func (v *visitor) post(path string, fields url.Values, header map[string]string) *http.Response {
	v.Helper()
	if found := formProof.FindStringSubmatch(v.page); found != nil && fields.Get("proof") == "" {
		fields.Set("proof", found[1])
	}
	all := map[string]string{"Accept": "text/html", "Content-Type": "application/x-www-form-urlencoded", "Cookie": v.cookie, "Sec-Fetch-Site": "same-origin"}
	for name, value := range header {
		all[name] = value
	}
	res, text := fetch(v.T, http.MethodPost, v.w.app.URL+path, all, strings.NewReader(fields.Encode()))
	if res.StatusCode == http.StatusSeeOther {
		for _, c := range res.Cookies() {
			if c.Name != "__Host-assess-privacy" || c.SameSite != http.SameSiteLaxMode || !c.HttpOnly || !c.Secure {
				v.Errorf("the cookie is %+v", c)
			}
			v.cookie = c.Name + "=" + c.Value
		}
		v.get(res.Header.Get("Location"))
	} else {
		v.page = html.UnescapeString(text)
	}
	return res
}

func (v *visitor) sees(words ...string) {
	v.Helper()
	for _, wanted := range words {
		if !strings.Contains(v.page, wanted) {
			v.Fatalf("the page does not say %q:\n%s", wanted, v.page)
		}
	}
}

// link requests a link with an address, and gives the path of the link in the mail.
func (v *visitor) link(user ids.ID) string {
	v.Helper()
	v.get("/privacy")
	var email, slug string
	var link ids.ID
	sample.Write(v.T, v.w.app.Store, v.w.app.Scope, func(tx *db.Tx) error {
		return tx.QueryRow(v.Context(), "select u.email, t.slug from users u join tenants t on t.id = u.tenant_id where u.tenant_id = $1 and u.id = $2", tx.Tenant(), user).Scan(&email, &slug)
	})
	v.post("/privacy/link", url.Values{"tenant": {slug}, "email": {email}}, nil)
	v.sees("If the address is that of a record")
	folder := v.TempDir()
	sender, err := mail.New(config.Mail{Mode: "folder", Folder: folder, From: "office@example.org"})
	if err != nil {
		v.Fatal(err)
	}
	sample.Write(v.T, v.w.app.Store, v.w.app.Scope, func(tx *db.Tx) error {
		return tx.QueryRow(v.Context(), "select id from privacy_links where tenant_id = $1 and user_id = $2 and opened_at is null order by id desc limit 1", tx.Tenant(), user).Scan(&link)
	})
	mailer := access.PrivacyMailer{Store: v.w.app.Store, Sender: sender, BaseURL: "https://exams.example.org"}
	if err := mailer.Work(v.Context(), &river.Job[access.MailPrivacyLink]{Args: access.MailPrivacyLink{Tenant: v.w.app.Scope.Tenant, Link: link}}); err != nil {
		v.Fatal(err)
	}
	got, err := mail.Newest(folder, 1)
	if err != nil || len(got) != 1 {
		v.Fatal(got, err)
	}
	return regexp.MustCompile(`https://exams.example.org(/privacy/open\S+)`).FindStringSubmatch(got[0].Text)[1]
}

// Without an account: a link, its button, the requests made before, a file, and an objection.
func TestPeopleSeeToTheirDataByALink(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	officer := w.home.OfficerToken
	v := &visitor{T: t, w: w}
	at := v.link(w.home.Leaver)
	v.get(at)
	v.sees(`action="/privacy/open"`)
	if v.get(at); !strings.Contains(v.page, "Go on") {
		t.Error("looking at the link used it up")
	}
	token, err := url.QueryUnescape(strings.SplitN(at, "token=", 2)[1])
	if err != nil {
		t.Fatal(err)
	}
	if res := v.post("/privacy/open", url.Values{"token": {token}}, map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}); res.StatusCode != http.StatusNotFound {
		t.Errorf("another site presses the button: %d", res.StatusCode)
	}
	v.post("/privacy/open", url.Values{"token": {token}}, nil)
	v.sees("You have asked for nothing yet.", "The erasure of my data")
	if res := (&visitor{T: t, w: w}).post("/privacy/open", url.Values{"token": {token}}, nil); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("the link opens a second browser: %d", res.StatusCode)
	}
	for name, header := range map[string]map[string]string{"another site": {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}} {
		if res := v.post("/privacy/requests", url.Values{"kind": {"access"}}, header); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", name, res.StatusCode)
		}
	}
	v.get("/privacy")
	if res := v.post("/privacy/requests", url.Values{"kind": {"access"}, "proof": {"made up"}}, nil); res.StatusCode != http.StatusForbidden {
		t.Errorf("a form of somewhere else: %d", res.StatusCode)
	}
	v.get("/privacy")
	v.sees("You have asked for nothing yet.")
	v.post("/privacy/requests", url.Values{"kind": {"access"}}, nil)
	v.sees("A copy of my data", "we look at it", "Take it back")
	if res := v.post("/privacy/requests", url.Values{"kind": {"access"}}, nil); res.StatusCode != http.StatusConflict {
		t.Errorf("twice: %d", res.StatusCode)
	}
	v.sees("we look at it")
	v.post("/privacy/requests", url.Values{"kind": {"erasure"}}, nil)

	list := answer[db.List[requests.Request]](t, w.look(t, "/compliance/requests?subjectId="+w.home.Leaver.String(), officer), 200)
	byKind := map[string]requests.Request{}
	for _, r := range list.Items {
		byKind[r.Kind] = r
		if r.Channel != "link" || r.Identity == nil || *r.Identity != "mail_link" {
			t.Errorf("the register has %+v", r)
		}
	}
	do := func(id ids.ID, verb string, body any, status int) {
		t.Helper()
		got := w.send(t, request{method: http.MethodPost, path: "/compliance/requests/" + id.String() + "/" + verb, token: officer, key: ids.New().String(), body: body})
		if got.status != status {
			t.Fatalf("%s: %d %s", verb, got.status, got.body)
		}
	}
	do(byKind["erasure"].ID, "decide", map[string]any{"decision": "refused", "reason_code": "legal_obligation"}, 200)
	do(byKind["access"].ID, "decide", map[string]any{"decision": "granted"}, 200)
	started := w.send(t, request{method: http.MethodPost, path: "/compliance/requests/" + byKind["access"].ID.String() + "/carry-out", token: officer, key: ids.New().String(), body: map[string]any{}})
	w.end(t, *answer[requests.Executed](t, started, 202).Job)
	v.get("/privacy")
	v.sees("refused: A law asks for the data", "Object to the decision", "export.zip")
	file := regexp.MustCompile(`/privacy/files/\S+/export.zip`).FindString(v.page)
	res, zip := fetch(t, http.MethodGet, w.app.URL+file, map[string]string{"Accept": "text/html", "Cookie": v.cookie}, nil)
	if res.StatusCode != http.StatusOK || !strings.HasPrefix(zip, "PK") || !strings.HasPrefix(res.Header.Get("Content-Disposition"), "attachment") {
		t.Errorf("the export: %d, %q", res.StatusCode, zip[:min(80, len(zip))])
	}
	v.post("/privacy/requests/"+byKind["erasure"].ID.String()+"/contest", url.Values{}, nil)
	v.sees("we look at it")
	// Somebody else sees none of it, and changes nothing.
	other := &visitor{T: t, w: w}
	token, err = url.QueryUnescape(strings.SplitN(other.link(w.home.Unlinked), "token=", 2)[1])
	if err != nil {
		t.Fatal(err)
	}
	other.post("/privacy/open", url.Values{"token": {token}}, nil)
	other.sees("You have asked for nothing yet.")
	if res := other.post("/privacy/requests/"+byKind["erasure"].ID.String()+"/withdraw", url.Values{}, nil); res.StatusCode != http.StatusNotFound {
		t.Errorf("somebody else takes it back: %d", res.StatusCode)
	}
	if res, _ := fetch(t, http.MethodGet, w.app.URL+file, map[string]string{"Accept": "text/html", "Cookie": other.cookie}, nil); res.StatusCode != http.StatusNotFound {
		t.Errorf("somebody else fetches the export: %d", res.StatusCode)
	}
	// The cookie is good only for this page, and ends.
	want(t, w.send(t, request{method: http.MethodGet, path: "/users/me", header: map[string]string{"Cookie": v.cookie}}), 401, errs.Unauthenticated)
	v.get("/privacy")
	v.post("/privacy/requests/"+byKind["erasure"].ID.String()+"/withdraw", url.Values{}, nil)
	v.sees("taken back")
	before := v.cookie
	v.post("/privacy/close", url.Values{}, nil)
	v.sees("Send a link")
	v.cookie = before
	v.get("/privacy")
	v.sees("Send a link")
}

// People who are signed in need not type an address; the cookie of the sign-in is not enough to write anything.
func TestSignedInPeopleAskForALink(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	v := &visitor{T: t, w: w, cookie: "__Host-assess=" + w.tokenOf(t, w.home.User)}
	v.get("/privacy")
	v.sees("You are signed in as", "Send me a link")
	links := func() int {
		t.Helper()
		var n int
		sample.Write(t, w.app.Store, w.app.Scope, func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), "select count(*) from privacy_links where tenant_id = $1 and user_id = $2", tx.Tenant(), w.home.User).Scan(&n)
		})
		return n
	}
	if res := v.post("/privacy/link", url.Values{"proof": {"made up"}}, nil); res.StatusCode != http.StatusForbidden || links() != 0 {
		t.Errorf("a form of somewhere else: %d", res.StatusCode)
	}
	v.get("/privacy")
	if v.post("/privacy/requests", url.Values{"kind": {"access"}}, nil); !strings.Contains(v.page, "Ask for a link") {
		t.Errorf("the sign-in asks for something:\n%s", v.page)
	}
	v.get("/privacy")
	v.post("/privacy/link", url.Values{}, nil)
	v.sees("If the address is that of a record")
	if links() != 1 {
		t.Error("no link was made")
	}
}
