package app_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"assess/pkg/dev/await"
	"assess/pkg/surface/app"
)

// metrics gives the metrics of a running server by name.
func (h *house) metrics(t *testing.T) map[string]*dto.MetricFamily {
	t.Helper()
	status, text := h.answer(t, http.MethodGet, "/metrics", "")
	if status != http.StatusOK {
		t.Fatalf("/metrics: %d %s", status, text)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	all, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// figure gives the sum of the series of a metric that have a label's value; of all without a label.
func figure(of map[string]*dto.MetricFamily, name, label, value string) float64 {
	sum := 0.0
	for _, m := range of[name].GetMetric() {
		fits := label == ""
		for _, l := range m.GetLabel() {
			fits = fits || l.GetName() == label && l.GetValue() == value
		}
		if fits {
			sum += m.GetGauge().GetValue() + m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
		}
	}
	return sum
}

// becomes waits until the metric has the value; figures of the database are some seconds old.
func (h *house) becomes(t *testing.T, want float64, name, label, value string) {
	t.Helper()
	h.waits(t, fmt.Sprint(want), func(got float64) bool { return got == want }, name, label, value)
}

// waits reads a figure until it is well.
func (h *house) waits(t *testing.T, want string, well func(float64) bool, name, label, value string) {
	t.Helper()
	await.Until(t, fmt.Sprintf("%s{%s=%q} is %v", name, label, value, want), func() bool { return well(figure(h.metrics(t), name, label, value)) })
}

var kindMethod = regexp.MustCompile(`func \(\w+\) Kind\(\) string +\{ return "(\w+)" \}`)

// jobKinds gives the kinds of jobs in the sources, and the kinds whose worker mails.
func jobKinds(t *testing.T) (all, mailing []string) {
	t.Helper()
	files, err := filepath.Glob("../../*/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := kindMethod.FindSubmatch(text)
		if found == nil || strings.HasSuffix(file, "_test.go") {
			continue
		}
		all = append(all, string(found[1]))
		if strings.Contains(string(text), "w.Sender") {
			mailing = append(mailing, string(found[1]))
		}
	}
	if len(all) < 15 || len(mailing) < 3 {
		t.Fatalf("found %v and %v: the search is blind", all, mailing)
	}
	return all, mailing
}

// A job that mails and is not listed would wait unseen.
func TestJobsThatMailAreListed(t *testing.T) {
	t.Parallel()
	_, mailing := jobKinds(t)
	if diff := cmp.Diff(slices.Sorted(slices.Values(mailing)), slices.Sorted(slices.Values(app.Mailing))); diff != "" {
		t.Errorf("jobs that mail (-found +listed):\n%s", diff)
	}
}

// TestMetricsTellWhatWasDone lets a server work and compares its metrics with the conventions of Prometheus
// and with the work done.
func TestMetricsTellWhatWasDone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	d := h.start(t)
	before := h.metrics(t)
	h.sit(t, 0)
	h.sit(t, 1) // submitted
	h.sit(t, 4) // closed by a proctor
	h.sit(t, 2) // time runs out
	h.askForLink(t)
	h.becomes(t, 1, "assessd_sessions_ended_total", "state", "expired")
	h.becomes(t, 1, "assessd_mail_messages_total", "result", "sent")
	h.becomes(t, 0, "assessd_sessions_open", "", "")
	h.becomes(t, 0, "assessd_projection_waiting", "", "")
	// Rows are counted once they have left the outbox.
	h.waits(t, "4 or more", func(rows float64) bool { return rows >= 4 }, "assessd_projection_rows_total", "", "")
	h.lints(t)
	h.answer(t, "BREW", "/api/v1/questions/"+h.questions[0].String(), "")
	after := h.metrics(t)
	for _, want := range []struct {
		name, label, value string
		n                  float64
	}{
		{"assessd_sessions_started_total", "", "", 4},
		{"assessd_sessions_ended_total", "state", "submitted", 2},
		{"assessd_sessions_ended_total", "state", "closed", 1},
		{"assessd_receipts_issued_total", "", "", 40},
		{"assessd_answers_saved_total", "", "", 40},
		{"assessd_mail_messages_total", "result", "failed", 0},
		{"assessd_job_runs_total", "result", "failed", 0},
		{"assessd_database_up", "", "", 1},
		{"assessd_build_info", "", "", 1},
	} {
		if got := figure(after, want.name, want.label, want.value); got != want.n || len(before[want.name].GetMetric()) == 0 {
			t.Errorf("%s{%s=%q}: got %v, want %v; %d series before", want.name, want.label, want.value, got, want.n, len(before[want.name].GetMetric()))
		}
	}
	if rows := figure(after, "assessd_projection_rows_total", "", ""); rows < figure(after, "assessd_projection_batch_rows", "", "") {
		t.Errorf("%v outbox rows were projected", rows)
	}
	kinds, _ := jobKinds(t)
	for _, kind := range kinds {
		for _, name := range []string{"assessd_jobs", "assessd_job_runs_total", "assessd_job_run_seconds", "assessd_job_lag_seconds"} {
			if !slices.ContainsFunc(before[name].GetMetric(), func(m *dto.Metric) bool { return labelOf(m, "kind") == kind }) {
				t.Errorf("%s has no series of the kind %s", name, kind)
			}
		}
	}
	h.labelsAreFew(t, after)
	d.terminate(t)
	if log := d.log.String(); strings.Contains(log, "/metrics") || strings.Contains(log, "/readyz") || !strings.Contains(log, "/submit") {
		t.Errorf("the log tells of probes, or not of requests:\n%.2000s", log)
	}
}

func (h *house) lints(t *testing.T) {
	t.Helper()
	_, text := h.answer(t, http.MethodGet, "/metrics", "")
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("promlint: %v, %v", problems, err)
	}
}

func labelOf(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

var anID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}|[0-9a-f]{32}|@`)

// labelsAreFew finds labels with text that somebody typed, or with an unbounded number of values.
func (h *house) labelsAreFew(t *testing.T, all map[string]*dto.MetricFamily) {
	t.Helper()
	known := []string{"method", "route", "status", "kind", "state", "result", "pool", "sla_state", "version", "commit", "goversion"}
	for name, family := range all {
		for _, m := range family.GetMetric() {
			for _, l := range m.GetLabel() {
				ours := strings.HasPrefix(name, "assessd_")
				if ours && !slices.Contains(known, l.GetName()) {
					t.Errorf("%s has the label %s: are its values few, and known to the code?", name, l.GetName())
				}
				if l.GetName() != "commit" && (anID.MatchString(l.GetValue()) || strings.Contains(l.GetValue(), h.slug) || l.GetValue() == "BREW") {
					t.Errorf("%s has the label %s=%q", name, l.GetName(), l.GetValue())
				}
			}
		}
	}
}

// TestWaitingMailIsCounted stops the mail and starts it again.
func TestWaitingMailIsCounted(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	// Nobody listens there.
	d := h.run(t, "ASSESS_DATABASE_URL="+h.pg.AppURL(database), "ASSESS_MAIL_MODE=smtp", "ASSESS_MAIL_SMTP_HOST=127.0.0.1", "ASSESS_MAIL_SMTP_PORT=1")
	status, err := h.try(http.MethodPost, "/auth/login", "", map[string]any{"tenant": h.slug, "email": h.email}, nil)
	if err != nil || status != http.StatusAccepted {
		t.Fatalf("login: %d, %v", status, err)
	}
	h.becomes(t, 1, "assessd_mail_messages_total", "result", "failed")
	h.becomes(t, 1, "assessd_mail_waiting", "", "")
	all := h.metrics(t)
	if failed := figure(all, "assessd_mail_messages_total", "result", "failed"); failed == 0 || failed != figure(all, "assessd_job_runs_total", "result", "failed") {
		t.Errorf("%v mails failed, and of the runs of jobs %v", failed, figure(all, "assessd_job_runs_total", "result", "failed"))
	}
	d.terminate(t)
	h.start(t)
	h.becomes(t, 0, "assessd_mail_waiting", "", "")
	h.becomes(t, 1, "assessd_mail_messages_total", "result", "sent")
}

// TestMetricsWithoutDatabase says that it is away, and leaves out figures that it cannot know.
func TestMetricsWithoutDatabase(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.start(t)
	h.becomes(t, 1, "assessd_database_up", "", "")
	err := h.pg.Kill()
	if err != nil {
		t.Fatal(err)
	}
	h.becomes(t, 0, "assessd_database_up", "", "")
	if all := h.metrics(t); all["assessd_sessions_open"] != nil || all["assessd_db_connections"] == nil {
		t.Error("what is read from the database is told, or the rest is not")
	}
	h.restartDatabase(t)
	h.becomes(t, 1, "assessd_database_up", "", "")
}
