package app_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"
)

// TestMonitoringIsOfThisServer holds the table of docs/monitoring.md, the dashboard and the alerts to the
// metrics of a running server.
func TestMonitoringIsOfThisServer(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.start(t)
	all := h.metrics(t)
	var shown []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if strings.HasPrefix(name, "assessd_") {
			shown = append(shown, rowOf(all[name]))
		}
	}
	text, err := os.ReadFile("../../../docs/monitoring.md")
	if err != nil {
		t.Fatal(err)
	}
	h.namesExist(t, all)
	told := regexp.MustCompile("(?m)^\\| `assessd_.*$").FindAllString(string(text), -1)
	slices.Sort(shown)
	if diff := cmp.Diff(shown, slices.Sorted(slices.Values(told))); diff != "" {
		t.Errorf("docs/monitoring.md (-server +page):\n%s", diff)
	}
}

var (
	// metricName is one of ours, of Go or of the process, or one that Prometheus makes itself.
	metricName  = regexp.MustCompile(`\b(assessd|go|process)_[a-z_]+\b`)
	ofHistogram = regexp.MustCompile(`_(bucket|sum|count)$`)
	labelNamed  = regexp.MustCompile(`[{,] *([a-z]+)(=|!=|=~|!~)"`)
)

// namesExist looks for the metrics and labels of the dashboard and of the alerts on the page of a server.
func (h *house) namesExist(t *testing.T, all map[string]*dto.MetricFamily) {
	t.Helper()
	labels := map[string]bool{"job": true} // Prometheus gives it
	for _, family := range all {
		for _, m := range family.GetMetric() {
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = true
			}
		}
	}
	for _, file := range []string{"grafana/assess.json", "prometheus/assess.rules.yaml", "prometheus/assess.test.yaml"} {
		text, err := os.ReadFile("../../../deploy/" + file)
		if err != nil {
			t.Fatal(err)
		}
		names := metricName.FindAllString(string(text), -1)
		if len(names) < 10 {
			t.Errorf("%s: found %v: the search is blind", file, names)
		}
		for _, name := range names {
			base := ofHistogram.ReplaceAllString(name, "")
			if all[name] == nil && all[base].GetType() != dto.MetricType_HISTOGRAM {
				t.Errorf("%s: the server has no %s", file, name)
			}
		}
		for _, found := range labelNamed.FindAllStringSubmatch(strings.ReplaceAll(string(text), "\\", ""), -1) {
			if !labels[found[1]] && found[1] != "le" && found[1] != "instance" {
				t.Errorf("%s: no metric has the label %s", file, found[1])
			}
		}
	}
	h.alertsAreExplained(t)
}

// alertsAreExplained finds an alert that has no section, no test, or a link that leads elsewhere, and a section without an alert.
func (h *house) alertsAreExplained(t *testing.T) {
	t.Helper()
	read := func(file string) string {
		text, err := os.ReadFile("../../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page, tests, rules := read("docs/monitoring.md"), read("deploy/prometheus/assess.test.yaml"), read("deploy/prometheus/assess.rules.yaml")
	alerts := regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(rules, -1)
	if sections := regexp.MustCompile(`(?m)^### Assess`).FindAllString(page, -1); len(alerts) < 10 || len(sections) != len(alerts) {
		t.Errorf("%d alerts, and %d sections about them", len(alerts), len(sections))
	}
	for _, a := range alerts {
		if !strings.Contains(page, "\n### "+a[1]+"\n") || strings.Count(tests, "alertname: "+a[1]+"\n")+strings.Count(tests, "alertname: "+a[1]+"}") != 2 ||
			!strings.Contains(rules, "runbook: docs/monitoring.md#"+strings.ToLower(a[1])+"\n") {
			t.Errorf("%s: is it explained, linked, and tried both ways?", a[1])
		}
	}
}

// rowOf gives the line of the table: name, type, labels, help.
func rowOf(f *dto.MetricFamily) string {
	labels := map[string]bool{}
	for _, m := range f.GetMetric() {
		for _, l := range m.GetLabel() {
			labels["`"+l.GetName()+"`"] = true
		}
	}
	return strings.Join([]string{"| `" + f.GetName() + "`", strings.ToLower(f.GetType().String()),
		strings.Join(slices.Sorted(maps.Keys(labels)), " "), f.GetHelp() + " |"}, " | ")
}
