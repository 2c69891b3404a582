package httpapi_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"assess/config"
	"assess/pkg/dev/await"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// One bad row refuses a file; the same file with skipInvalid is another request.
func TestSameTableWithAnotherQueryIsAnotherImport(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	send := func(query string) response {
		return w.send(t, request{method: http.MethodPost, path: "/users/import/commit" + query, token: w.home.Token, key: "k",
			contentType: "text/csv", body: "email\nnew-one@example.org\nnone\n"})
	}
	first, again := send("?skipInvalid=true"), send("?skipInvalid=true")
	if first.status != http.StatusOK || string(again.body) != string(first.body) || again.header.Get("Idempotency-Replayed") != "true" {
		t.Fatalf("got %d %s and %d %s", first.status, first.body, again.status, again.body)
	}
	want(t, send(""), http.StatusUnprocessableEntity, errs.IdempotencyKeyReused)
}

func TestImportTakesBothForms(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	text := "email\nnew-" + ids.New().String() + "@example.org\n"
	for name, r := range map[string]request{
		"text/csv":          {contentType: "text/csv", body: text},
		"text/csv; charset": {contentType: "text/csv; charset=utf-8", body: text},
		"application/json":  {contentType: "application/json", body: map[string]any{"csv": text}},
	} {
		r.method, r.path, r.token = http.MethodPost, "/users/import/preview", w.home.Token
		got := w.send(t, r)
		var p struct {
			Total  int
			Errors []any
		}
		err := json.Unmarshal(got.body, &p)
		if err != nil || got.status != 200 || p.Total != 1 || p.Errors == nil {
			t.Errorf("%s: got %d %s", name, got.status, got.body)
		}
	}
	for name, c := range map[string]struct {
		r    request
		code errs.Code
	}{
		"another media type": {request{contentType: "application/xml", body: "<x/>"}, errs.UnsupportedMediaType},
		"JSON that is none":  {request{contentType: "application/json", body: `{"csv":`}, errs.MalformedRequest},
		"unknown JSON field": {request{contentType: "application/json", body: `{"csv":"email","x":1}`}, errs.ValidationFailed},
	} {
		c.r.method, c.r.path, c.r.token = http.MethodPost, "/users/import/preview", w.home.Token
		if got := w.send(t, c.r); got.problem.Code != c.code {
			t.Errorf("%s: got %d %s, want %s", name, got.status, got.body, c.code)
		}
	}
}

// A question bank of another system takes the way of a table: preview, commit, once for each Idempotency-Key.
func TestAQuestionBankComesInOverHTTP(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	leaf := base64.StdEncoding.EncodeToString(sample.PNG(3, 3))
	bank := `<?xml version="1.0"?><quiz><question type="multichoice"><name><text>n</text></name><idnumber>b1</idnumber><single>true</single>
<questiontext format="html"><text>&lt;img src="@@PLUGINFILE@@/a.png" alt="A leaf"/&gt; Which?</text><file name="a.png" path="/" encoding="base64">` + leaf + `</file></questiontext>
<answer fraction="100"><text>one</text></answer><answer fraction="50"><text>two</text></answer></question></quiz>`
	send := func(path, query, media, body, key string) (response, struct {
		Created, Unchanged, ValidCount int
		Notices                        []struct{ Item, Code, Class string }
		NoticeCounts                   map[string]int
	}) {
		got := w.send(t, request{method: http.MethodPost, path: "/questions/import/" + path + query, token: w.home.Token, key: key, contentType: media, body: body})
		var said struct {
			Created, Unchanged, ValidCount int
			Notices                        []struct{ Item, Code, Class string }
			NoticeCounts                   map[string]int
		}
		err := json.Unmarshal(got.body, &said)
		if err != nil {
			t.Fatalf("%s: %d %s", path, got.status, got.body)
		}
		return got, said
	}
	got, said := send("preview", "", "application/xml", bank, "")
	if got.status != 200 || said.ValidCount != 0 || said.NoticeCounts["partial_answer"] != 1 || said.Notices[0].Class != "scoring" || said.Notices[0].Item != "b1" {
		t.Fatalf("previewed %d %s", got.status, got.body)
	}
	refused, _ := send("commit", "", "application/xml", bank, "bank-1")
	want(t, refused, http.StatusUnprocessableEntity, errs.ImportInvalid)
	first, said := send("commit", "?acceptScoringChanges=true", "application/xml", bank, "bank-2")
	if first.status != 200 || said.Created != 1 {
		t.Fatalf("committed %d %s", first.status, first.body)
	}
	again, _ := send("commit", "?acceptScoringChanges=true", "application/xml", bank, "bank-2")
	if string(again.body) != string(first.body) || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("repeated %d %s", again.status, again.body)
	}
	twice, said := send("commit", "?acceptScoringChanges=true&format=moodle_xml", "text/xml", bank, "bank-3")
	if twice.status != 200 || said.Unchanged != 1 {
		t.Errorf("the same file: %d %s", twice.status, twice.body)
	}
	for format, media := range map[string]string{"moodle_xml": "application/xml", "qti": "application/zip"} {
		shown := w.send(t, request{method: http.MethodGet, path: "/questions/export/preview?format=" + format, token: w.home.Token})
		if shown.status != 200 || !strings.Contains(string(shown.body), `"refused":0`) {
			t.Errorf("the preview of an export: %d %s", shown.status, shown.body)
		}
		out := w.send(t, request{method: http.MethodGet, path: "/questions/export?format=" + format, token: w.home.Token})
		if out.status != 200 || !strings.HasPrefix(out.header.Get("Content-Type"), media) {
			t.Fatalf("exported %d %v", out.status, out.header)
		}
		back, said := send("commit", "", media, string(out.body), "back-"+format)
		if back.status != 200 || said.Unchanged == 0 || said.Created > 0 || strings.Contains(string(back.body), `"changed":1`) {
			t.Errorf("%s came back: %d %s", format, back.status, back.body)
		}
	}
	for name, c := range map[string][3]string{
		"an archive that is none":   {"application/zip", "PK\x03\x04no", "archive_refused"},
		"text in no format":         {"text/plain", "just words", "missing_column"},
		"another format than it is": {"text/plain", "Which?\nA. one\nB. two\n", "malformed"},
	} {
		query := map[bool]string{true: "?format=aiken"}[c[2] == "malformed"]
		got, _ := send("preview", query, c[0], c[1], "")
		if got.status != 200 || !strings.Contains(string(got.body), `"code":"`+c[2]+`"`) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	unknown, _ := send("preview", "?format=word", "text/plain", "x", "")
	want(t, unknown, http.StatusUnprocessableEntity, errs.ValidationFailed)
}

// A client that goes away does not stop its request: the import goes on to its
// end, and the same call again gets its answer.
func TestAnImportEndsWithoutItsClient(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	var file strings.Builder
	file.WriteString("email\n")
	for i := range 3000 {
		fmt.Fprintf(&file, "gone-%d@example.org\n", i)
	}
	r := request{method: http.MethodPost, path: "/users/import/commit", token: w.home.Token, key: ids.New().String(),
		contentType: "text/csv", body: file.String()}
	conn, err := net.Dial("tcp", strings.TrimPrefix(w.app.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(conn, "POST /api/v1%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nIdempotency-Key: %s\r\nContent-Type: text/csv\r\n"+
		"Content-Length: %d\r\n\r\n%s", r.path, r.token, r.key, file.Len(), file.String())
	if err := errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the import goes on without its client", func() bool {
		n := 0
		err := w.app.Store.Read(t.Context(), w.app.Scope, func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), "select count(*) from users where tenant_id = $1 and email_key like 'gone-%'", tx.Tenant()).Scan(&n)
		})
		if err != nil {
			t.Fatal(err)
		}
		return n == 3000
	})
	got := w.send(t, r)
	var done struct{ Created int }
	err = json.Unmarshal(got.body, &done)
	if err != nil || got.status != http.StatusOK || got.header.Get("Idempotency-Replayed") != "true" || done.Created != 3000 {
		t.Errorf("got %d %s, replayed %q; want the answer to the first call", got.status, got.body, got.header.Get("Idempotency-Replayed"))
	}
}

// Two imports are at work at once. A third waits without a connection, and no longer than a request may take.
func TestImportsLeaveConnectionsToOthers(t *testing.T) {
	t.Parallel()
	w := newTown(t, func(c *config.Config) {
		c.HTTP.RequestTimeout = time.Second
		c.Database.MaxConns = 4
		c.Database.LockTimeout = 5 * time.Minute
		c.Database.StatementTimeout = 5 * time.Minute
	})
	commit := func() response {
		return w.send(t, request{method: http.MethodPost, path: "/users/import/commit", token: w.home.Token, key: ids.New().String(),
			contentType: "text/csv", body: "email\n" + ids.New().String() + "@example.org\n"})
	}
	done := make(chan response, 2)
	err := w.app.Store.Write(t.Context(), w.app.Scope, func(tx *db.Tx) error {
		sample.HoldLedger(t, tx)
		for range 2 {
			go func() { done <- commit() }()
		}
		await.Until(t, "two imports wait for the ledger", func() bool {
			n := 0
			err := w.app.Store.Unscoped().QueryRow(t.Context(), "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'").Scan(&n)
			return err == nil && n == 2
		})
		third := commit()
		want(t, third, http.StatusServiceUnavailable, errs.RequestTimeout)
		if third.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		want(t, w.look(t, "/users", w.home.Token), http.StatusOK, "")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		want(t, <-done, http.StatusOK, "")
	}
	want(t, commit(), http.StatusOK, "")
}
