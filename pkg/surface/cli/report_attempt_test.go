package cli

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
)

// Every report can be a page, and a report with names keeps who looked.
func TestAttemptReportAndPages(t *testing.T) {
	t.Parallel()
	d := examDesk(t)
	d.must("projection run" + north)
	listed, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(d.must("submission list --evaluation geo-1 --limit 1 -o csv"+north), "\ufeff"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	id := listed[1][0]
	shown := d.must("report attempt " + id + north)
	for _, part := range []string{"Attempt of ", "@", "score version 1", "Sections", "Items", "Mean score"} {
		if !strings.Contains(shown, part) {
			t.Errorf("the report has no %q:\n%s", part, shown)
		}
	}
	if strings.Contains(shown, "\x1b[") {
		t.Error("colours in a file")
	}
	var asJSON struct {
		Session struct{ ID string }
		Items   []any
	}
	err = json.Unmarshal([]byte(d.must("report attempt "+id+" -o json"+north)), &asJSON)
	if err != nil || asJSON.Session.ID != id || len(asJSON.Items) == 0 {
		t.Errorf("as JSON: %+v, %v", asJSON, err)
	}
	lines, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(d.must("report attempt "+id+" -o csv"+north), "\ufeff"))).ReadAll()
	if err != nil || len(lines) != len(asJSON.Items)+1 {
		t.Errorf("as CSV: %d lines for %d items, %v", len(lines), len(asJSON.Items), err)
	}
	d.pages(t, id)
	if n := d.count("select count(*) from ledger_events where event_type = 'session_attempt.viewed' and payload ->> 'visibilityChannel' = 'cli'"); n != 3 {
		t.Errorf("%d events of looking, want 3", n)
	}
	for line, exit := range map[string]int{
		"report attempt x" + north:                                                 exitUsage,
		"report attempt " + unseen.String() + north:                                exitNotFound,
		"report attempt " + id + " -o json --html x.html" + north:                  exitUsage,
		"report attempt " + id + " --html " + t.TempDir() + "/none/x.html" + north: exitUsage,
		"report attempt " + id + " --html " + t.TempDir() + north:                  exitUsage,
	} {
		if got := d.run(line); got.exit != exit {
			t.Errorf("%s: exit %d, want %d: %s", line, got.exit, exit, &got.err)
		}
	}
	d.narrowAttempt(t, id)
	d.findings(t, id)
}

// findings reads the findings in the reports, and the result of a job about them.
func (d *desk) findings(t *testing.T, id string) {
	t.Helper()
	if got := d.run("report findings " + id + north); got.exit != exitDone || !strings.Contains(got.err.String(), "Nothing found.") {
		t.Errorf("nothing was found yet: exit %d, %s%s", got.exit, &got.out, &got.err)
	}
	for _, code := range []string{"PHONE_SEEN", "LATE"} {
		d.must("finding add " + id + " " + code + " --severity minor" + north)
	}
	job := uuids.FindString(d.must("projection run --kind submission --submission " + id + " -o csv" + north))
	lines, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(d.must("report findings "+id+" -o csv"+north), "\ufeff"))).ReadAll()
	if err != nil || len(lines) != 3 || lines[1][3] != "LATE" || lines[2][1] != id || lines[0][6] != "ledger_event_id" {
		t.Errorf("as CSV: %q, %v", lines, err)
	}
	got := d.run("report findings " + id + " --limit 1" + north)
	if !strings.Contains(got.out.String(), "LATE") || !strings.Contains(got.err.String(), "As of ") || !strings.Contains(got.err.String(), "Page 1 of 2, 2 in all.") {
		t.Errorf("a page: %s%s", &got.out, &got.err)
	}
	if shown := d.must("projection jobs " + job + north); !strings.Contains(shown, id) || !strings.Contains(shown, "Ended (UTC)") {
		t.Errorf("a job does not say what it was about: %s", shown)
	}
	for line, exit := range map[string]int{
		"report findings x" + north:                                                  exitUsage,
		"report findings " + unseen.String() + north:                                 exitNotFound,
		"projection run --kind submission --submission " + unseen.String() + north:   exitUsage,
		"projection run --kind remediation --remediation " + unseen.String() + north: exitUsage,
		"projection run --evaluation-version " + unseen.String() + north:             exitUsage,
	} {
		if got := d.run(line); got.exit != exit {
			t.Errorf("%s: exit %d, want %d: %s", line, got.exit, exit, &got.err)
		}
	}
}

func (d *desk) pages(t *testing.T, id string) {
	t.Helper()
	folder := t.TempDir()
	for name, line := range map[string]string{
		"attempt":  "report attempt " + id,
		"summary":  "report summary --evaluation-version geo-1",
		"health":   "report health",
		"question": "report question cap-fr",
		"later":    "report health --from 2099-01-01",
		"groups":   "report groups --evaluation-version geo-1",
		"cohorts":  "report cohorts --evaluation-version geo-1 --include scores",
	} {
		file := filepath.Join(folder, name+".html")
		got := d.run(line + " --html " + file + north)
		page, err := os.ReadFile(file)
		if got.exit != exitDone || got.out.Len() > 0 || err != nil || !strings.HasSuffix(strings.TrimSpace(string(page)), "</html>") {
			t.Errorf("%s: exit %d, %v, %s", line, got.exit, err, &got.err)
		}
		if isID := regexp.MustCompile(`<h1 dir="auto">` + uuids.String()); isID.Match(page) {
			t.Errorf("%s: the page is about an id", line)
		}
		if name == "question" && !strings.Contains(string(page), ">Lyon</span>") {
			t.Error("the page of a question does not say what its options are")
		}
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 7 {
		t.Errorf("the folder holds %d files, %v", len(left), err)
	}
}

// narrowAttempt draws the report as a terminal of 60 columns shows it.
func (d *desk) narrowAttempt(t *testing.T, id string) {
	t.Helper()
	s, c := piped(FormatTable)
	s.Screen.Width, s.Screen.Terminal = 60, true
	if exit := run(s, newRoot(s), split("report attempt "+id+north+" --config "+d.settings)); exit != exitDone {
		t.Fatalf("exit %d, stderr %q", exit, &c.err)
	}
	for line := range strings.Lines(c.out.String()) {
		if width := displaywidth.String(strings.TrimRight(line, "\n")); width > 60 {
			t.Errorf("a line of %d columns: %q", width, line)
		}
	}
}
