package httpapi_test

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/errs"
	"assess/pkg/surface/httpapi"
)

// Without reporting.view_named no report shows who somebody is, in any format, and
// reports about a person are refused. With it the session attempt report shows it.
func TestReportsWithoutNamesShowNobody(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	w.app.Project(t)
	analyst := w.app.Token(t, capability.Analyst)
	shown, refused := 0, 0
	for _, l := range httpapi.Lines() {
		if l.Method != http.MethodGet || !strings.HasPrefix(l.Path, "/reporting/") {
			continue
		}
		r := w.valid(t, l, w.home)
		if named := string(w.send(t, r).body); l.ID == "sessionAttempt" && (!strings.Contains(named, "Sample User") || !strings.Contains(named, "@example.test")) {
			t.Errorf("the attempt report names nobody: %.200s", named)
		}
		r.token = analyst
		got := w.send(t, r)
		if !slices.Contains(l.Needs, capability.ReportingView) {
			want(t, got, http.StatusForbidden, errs.Forbidden)
			refused++
		} else if got.status != http.StatusOK {
			t.Errorf("%s: %d %s", l.ID, got.status, got.body)
		} else {
			shown++
		}
		text := plain(t, got)
		for _, mark := range []string{"Sample User", "@example", "user-"} {
			if strings.Contains(text, mark) {
				t.Errorf("%s shows %q", l.ID, mark)
			}
		}
	}
	if shown < 3 || refused < 2 {
		t.Errorf("looked at %d reports, and %d were refused", shown, refused)
	}
}

// plain gives the text of an answer, including the files of an archive.
func plain(t *testing.T, r response) string {
	t.Helper()
	if r.header.Get("Content-Type") != "application/zip" {
		return string(r.body)
	}
	archive, err := zip.NewReader(bytes.NewReader(r.body), int64(len(r.body)))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range archive.File {
		file, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		_, err = io.Copy(&all, file)
		if err != nil {
			t.Fatal(err)
		}
		_ = file.Close()
	}
	return all.String()
}
