package httpapi_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assess/config"
	"assess/pkg/dev/apptest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// cabinet is a town whose files are small and lie in a folder that the test can reach.
type cabinet struct {
	*town
	folder string
}

func newCabinet(t *testing.T) *cabinet {
	t.Helper()
	folder := t.TempDir()
	app := apptest.Start(t, func(c *config.Config) {
		c.Blob.URL, c.Blob.EvidenceLimit, c.HTTP.UploadLimit = "file://"+folder, 64*config.KiB, 32*config.KiB
	})
	scope := app.Scope
	scope.All = false
	return &cabinet{&town{app: app, home: newPlace(t, app, scope)}, folder}
}

func (c *cabinet) path() string { return "/submissions/" + c.home.Submission.String() + "/evidence" }

func (c *cabinet) attach(t *testing.T, content []byte, contentType, key string) response {
	t.Helper()
	return c.send(t, request{method: http.MethodPost, path: c.path() + "?kind=log", token: c.home.Token, key: key, contentType: contentType, body: content})
}

func made(t *testing.T, r response) evidence.Evidence {
	t.Helper()
	var e evidence.Evidence
	err := json.Unmarshal(r.body, &e)
	if err != nil || r.status >= 300 {
		t.Fatalf("got %d %s", r.status, r.body)
	}
	return e
}

func (c *cabinet) fetch(t *testing.T, id ids.ID, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.app.URL+"/api/v1/evidence/"+id.String()+"/content", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.home.Token)
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(body)
}

func TestEvidenceIsSentAsItWasAttached(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	log := made(t, c.attach(t, []byte("started\nstopped\n"), "text/plain", "log"))
	res, body := c.fetch(t, log.ID)
	if res.StatusCode != http.StatusOK || body != "started\nstopped\n" {
		t.Fatalf("got %d %q", res.StatusCode, body)
	}
	tag := `"` + log.SHA256 + `"`
	for name, want := range map[string]string{"Content-Type": "text/plain", "ETag": tag, "Cache-Control": "private, no-cache",
		"Content-Disposition": "inline; filename=" + log.ID.String() + ".txt", "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy": "sandbox; default-src 'none'"} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if res, body := c.fetch(t, log.ID, "Range", "bytes=8-"); res.StatusCode != http.StatusPartialContent || body != "stopped\n" {
		t.Errorf("a part: got %d %q", res.StatusCode, body)
	}
	if res, body := c.fetch(t, log.ID, "If-None-Match", tag); res.StatusCode != http.StatusNotModified || body != "" {
		t.Errorf("unchanged: got %d %q", res.StatusCode, body)
	}
	pdf := made(t, c.attach(t, []byte("%PDF-1.7\n<script>"), "application/pdf", "pdf"))
	res, _ = c.fetch(t, pdf.ID)
	if got := res.Header.Get("Content-Disposition"); got != "attachment; filename="+pdf.ID.String()+".pdf" {
		t.Errorf("a document: got %q", got)
	}
	if n := c.countEvents(t, "evidence.viewed", log.ID); n != 3 {
		t.Errorf("the ledger has %d views, want 3", n)
	}
}

func (c *cabinet) countEvents(t *testing.T, what string, subject ids.ID) int {
	t.Helper()
	var n int
	err := c.app.Store.Read(t.Context(), c.app.Scope, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select count(*) from ledger_events where tenant_id = $1 and event_type = $2 and subject_id = $3",
			tx.Tenant(), what, subject).Scan(&n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestDamagedEvidenceIsNotSent(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	log := made(t, c.attach(t, []byte("started\n"), "text/plain", "log"))
	err := os.WriteFile(filepath.Join(c.folder, c.app.Tenant.String(), "evidence", log.SHA256), []byte("stopped\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	res, body := c.fetch(t, log.ID)
	if res.StatusCode != http.StatusInternalServerError || !strings.Contains(body, string(errs.FileDamaged)) || strings.Contains(body, "stopped") {
		t.Errorf("got %d %s", res.StatusCode, body)
	}
	got := c.send(t, request{method: http.MethodPost, path: "/evidence/" + log.ID.String() + "/verify", token: c.home.Token, key: "check"})
	if e := made(t, got); e.Integrity != "changed" {
		t.Errorf("got %s", e.Integrity)
	}
}

// Evidence has a limit of its own, above and below the limit of other uploads.
func TestEvidenceThatIsTooLarge(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	text := []byte(strings.Repeat("x", 64<<10))
	if got := c.attach(t, text, "text/plain", "fits"); got.status != http.StatusCreated {
		t.Errorf("at the limit: got %d %s", got.status, got.body)
	}
	got := c.attach(t, append(text, 'x'), "text/plain", "large")
	want(t, got, http.StatusRequestEntityTooLarge, errs.RequestTooLarge)
	if got.problem.Details["limit"] != float64(64<<10) {
		t.Errorf("details: got %v", got.problem.Details)
	}
	want(t, c.attach(t, []byte("<html>"), "text/html", "html"), http.StatusUnsupportedMediaType, errs.UnsupportedMediaType)
	want(t, c.attach(t, nil, "text/plain", "empty"), http.StatusUnprocessableEntity, errs.ValidationFailed)
}

// An upload that breaks off half way leaves nothing, and its key is still good; the same call
// once more is answered with the same evidence.
func TestUploadOfEvidenceThatBreaksOff(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	server, err := url.Parse(c.app.URL)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", server.Host)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(conn, "POST /api/v1"+c.path()+" HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "+c.home.Token+
		"\r\nIdempotency-Key: broken\r\nContent-Type: text/plain\r\nContent-Length: 60000\r\n\r\n"+strings.Repeat("x", 30000))
	if err == nil {
		err = conn.(*net.TCPConn).CloseWrite()
	}
	if err != nil {
		t.Fatal(err)
	}
	err = conn.SetReadDeadline(time.Now().Add(20 * time.Second))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") {
		t.Errorf("got %s and error %v", answer, err)
	}
	left, err := filepath.Glob(filepath.Join(c.folder, c.app.Tenant.String(), "evidence", "*"))
	if err != nil || len(left) != 2 { // the place's own files
		t.Errorf("left behind: %v %v", left, err)
	}
	content := []byte(strings.Repeat("x", 60000))
	first, second := c.attach(t, content, "text/plain", "broken"), c.attach(t, content, "text/plain", "broken")
	if made(t, first).ID != made(t, second).ID || second.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("got %s and %s", first.body, second.body)
	}
	want(t, c.attach(t, sample.PNG(1, 1), "image/png", "broken"), http.StatusUnprocessableEntity, errs.IdempotencyKeyReused)
}

// The query says what the file is, so it is part of the request.
func TestSameFileWithAnotherQueryIsAnotherUpload(t *testing.T) {
	t.Parallel()
	c := newCabinet(t)
	send := func(query string) response {
		return c.send(t, request{method: http.MethodPost, path: c.path() + query, token: c.home.Token, key: "k", contentType: "text/plain", body: "the same"})
	}
	item := c.home.Item.String()
	first := made(t, send("?kind=log&itemId="+item))
	if again := send("?itemId=" + item + "&kind=log"); made(t, again).ID != first.ID || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("parameters in another order: got %d %s", again.status, again.body)
	}
	for _, query := range []string{"?kind=document&itemId=" + item, "?kind=log", ""} {
		want(t, send(query), http.StatusUnprocessableEntity, errs.IdempotencyKeyReused)
	}
}
