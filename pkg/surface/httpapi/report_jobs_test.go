package httpapi_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"assess/pkg/kernel/ids"
)

// A job is accepted with its address, and the address answers with the job.
func TestReportJobsAreFoundAtTheirLocation(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	for path, body := range map[string]string{
		"/reporting/projections":           `{"kind":"range","from":"2026-01-01T00:00:00Z"}`,
		"/reporting/percentiles/recompute": "",
	} {
		got := w.send(t, request{method: http.MethodPost, path: path, token: w.home.Token, key: ids.New().String(), body: []byte(body)})
		var queued, found struct {
			ID    ids.ID `json:"id"`
			State string `json:"state"`
		}
		err := json.Unmarshal(got.body, &queued)
		if got.status != http.StatusAccepted || err != nil || queued.State != "queued" {
			t.Fatalf("%s: got %d %s", path, got.status, got.body)
		}
		at, ok := strings.CutPrefix(got.header.Get("Location"), "/api/v1")
		if !ok {
			t.Fatalf("%s: Location is %q", path, got.header.Get("Location"))
		}
		job := w.send(t, request{method: http.MethodGet, path: at, token: w.home.Token})
		err = json.Unmarshal(job.body, &found)
		if job.status != http.StatusOK || err != nil || found.ID != queued.ID {
			t.Errorf("%s: got %d %s", at, job.status, job.body)
		}
	}
}

// The export is an archive that can be read, with a manifest.
func TestQuestionHealthIsExportedAsAnArchive(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	got := w.send(t, request{method: http.MethodGet, path: "/reporting/question-health/export", token: w.home.Token})
	if got.status != http.StatusOK || got.header.Get("Content-Type") != "application/zip" {
		t.Fatalf("got %d, %s", got.status, got.header.Get("Content-Type"))
	}
	files, err := zip.NewReader(bytes.NewReader(got.body), int64(len(got.body)))
	if err != nil {
		t.Fatal(err)
	}
	if last := files.File[len(files.File)-1]; last.Name != "manifest.json" || files.File[0].Name != "question_health_core.csv" {
		t.Errorf("the archive begins with %s and ends with %s", files.File[0].Name, last.Name)
	}
}
