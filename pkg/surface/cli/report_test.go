package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"

	"assess/pkg/dev/golden"
)

const north = " --tenant northwind --org north"

func TestProjectionAndReports(t *testing.T) {
	t.Parallel()
	d := examDesk(t)
	d.must("projection run --to 2099-01-01 --queue" + north)
	if got := d.count("select count(*) from projection_outbox"); got < 60 {
		t.Errorf("--queue left %d rows in the outbox", got)
	}
	d.say(
		"projection run --to 2099-01-01"+north,
		"projection run"+north,
		"projection status --tenant northwind",
		"projection status --tenant northwind -o json",
		"percentiles recompute --tenant northwind",
		"percentiles recompute --tenant northwind -o json",
		"projection verify --tenant northwind",
		"projection rebuild --tenant northwind",
		"projection rebuild --tenant northwind --dry-run -o csv",
		"projection rebuild --tenant northwind --yes",
		"projection run --evaluation-version geo --tenant northwind --all-orgs",
		"projection run --from tomorrow --tenant northwind --all-orgs",
		"projection run --from 2031-02-01 --to 2031-01-01 --tenant northwind --all-orgs",
		"projection run --from 2099-01-01 --dry-run"+north,
	)
	d.check("projection.txt")
	d.said.Reset()
	d.say(
		"evaluation list"+north,
		"evaluation list -o json"+north,
		"report summary --evaluation-version geo-1"+north,
		"report summary --evaluation-version geo-1 -o json"+north,
		"report summary --evaluation-version geo-1 --include tags,sections"+north,
		"report summary --evaluation-version geo-1 --include scores"+north,
		"report evaluations"+north,
		"report attempts --evaluation-version geo-1 --limit 3"+north,
		"report attempts --evaluation-version geo-1 --run-label spring --outcome fail --limit 2 -o json"+north,
		"report attempts --evaluation-version "+unseen.String()+north,
		"report evaluations --search GEO --all -o json"+north,
		"report summary --evaluation-version geo-1 --run-label spring"+north,
		"report summary --evaluation-version geo-1 --run-label winter"+north,
		"report summary --evaluation-version geo-2"+north,
		"report summary --evaluation-version geo-1 --all-orgs --tenant northwind",
		"report summary"+north,
		"report summary --evaluation-version "+unseen.String()+north,
		"report summary --evaluation-version geo-1 --all-versions --group "+unseen.String()+north,
		"report summary --evaluation-version geo-1 --group x"+north,
		"report cohorts --evaluation-version geo-1"+north,
		"report cohorts --evaluation-version geo-1 --include scores --limit 1"+north,
		"report cohorts --evaluation-version geo-1 --include timing,distributions,tags,sections --run-label spring"+north,
		"report cohorts --evaluation-version geo-1 -o csv"+north,
		"report cohorts --evaluation-version geo-1 --include nothing"+north,
		"report groups --evaluation-version geo-1"+north,
		"report groups --evaluation-version geo-1 -o json"+north,
		"report summary --evaluation-version geo-1 --run-label= -o table"+north,
		"report summary --evaluation-version geo-1 -o csv"+north,
		"report cohorts --evaluation-version geo-1 -o csv --limit 1"+north,
	)
	d.check("report_summary.txt")
	d.said.Reset()
	d.say(
		"report health"+north,
		"report health -o json"+north,
		"report health -o csv"+north,
		"report health --sort highest_omit --limit 1"+north,
		"report health --tag tags:arithmetic --run-label autumn"+north,
		"report health --evaluation-version geo-1 --from 2099-01-01"+north,
		"report health --sort worst"+north,
	)
	d.check("report_health.txt")
	d.said.Reset()
	d.say(
		"report question cap-fr"+north,
		"report question cap-fr -o json"+north,
		"report question cap-fr --run-label autumn --tag tags:arithmetic"+north,
		"report question cap-fr --run-label spring --evaluation-version geo-1"+north,
		"report question primes"+north,
		"report question primes -o yaml"+north,
		"report question cap-xx"+north,
		"report question "+unseen.String()+north,
	)
	d.check("report_question.txt")
	d.narrow(t)
	d.damage(t)
}

// narrow draws the reports as a terminal of 60 columns without Unicode shows them.
func (d *desk) narrow(t *testing.T) {
	t.Helper()
	for _, command := range []string{"report summary --evaluation-version geo-1", "report cohorts --evaluation-version geo-1", "report health", "report question primes", "report question cap-fr"} {
		s, c := piped(FormatTable)
		s.Screen.Width, s.Screen.Unicode, s.Screen.Terminal = 60, false, true
		line := command + north + " --config " + d.settings
		if exit := run(s, newRoot(s), split(line)); exit != exitDone {
			t.Fatalf("%s: exit %d, stderr %q", command, exit, &c.err)
		}
		for line := range strings.Lines(c.out.String()) {
			if width := displaywidth.String(strings.TrimRight(line, "\n")); width > 60 {
				t.Errorf("%s: a line of %d columns: %q", command, width, line)
			}
		}
		d.said.WriteString(command + "\n" + c.out.String() + "\n")
	}
	golden.Check(t, []byte(steady(d.said.String()[strings.Index(d.said.String(), "report summary --evaluation-version geo-1\n"):])),
		filepath.Join("testdata", "calls", "report_narrow.txt"))
}

// The groups report with all its blocks fits into 80 columns, however long the name of a
// group is, and leaves nothing of the name out.
func TestGroupsReportFitsTheTerminal(t *testing.T) {
	t.Parallel()
	d := examDesk(t)
	name := "Evening course of the northern campus for people who work in shifts, second year 学生"
	group := uuids.FindString(d.must("group create '" + name + "' -o csv" + north))
	evaluation := uuids.FindString(d.must("evaluation list -o csv" + north))
	assignment := uuids.FindString(d.must("assignment create " + evaluation + " group_id " + group + " --run-label spring -o csv" + north))
	for _, table := range []string{"sessions", "submissions"} {
		d.count("with led as (update " + table + " set assignment_id = '" + assignment + "' where run_label = 'spring' returning 1) select count(*) from led")
	}
	d.must("projection run --to 2099-01-01 --queue" + north)
	d.must("projection rebuild --tenant northwind --yes")
	s, c := piped(FormatTable)
	s.Screen.Width, s.Screen.Terminal = 80, true
	line := "report groups --evaluation-version geo-1 --include scores,timing,distributions,tags,sections" + north + " --config " + d.settings
	if exit := run(s, newRoot(s), split(line)); exit != exitDone {
		t.Fatalf("exit %d, stderr %q", exit, &c.err)
	}
	for line := range strings.Lines(c.out.String()) {
		if width := displaywidth.String(strings.TrimRight(line, "\n")); width > 80 {
			t.Errorf("a line of %d columns: %q", width, line)
		}
	}
	golden.Check(t, []byte(steady(c.out.String())), filepath.Join("testdata", "calls", "report_groups.txt"))
}

// damage shows that verify can fail.
func (d *desk) damage(t *testing.T) {
	t.Helper()
	d.count("with hurt as (update report_question_health_rollup set attempts_n = attempts_n + 1 returning 1) select count(*) from hurt")
	got := d.run("projection verify --tenant northwind")
	if got.exit != exitFailed || !strings.Contains(got.err.String(), "differ from a rebuild in 2 rows") {
		t.Errorf("verify of damaged tables: exit %d, stderr %q\n%s", got.exit, &got.err, &got.out)
	}
	d.must("projection rebuild --tenant northwind --yes")
	d.must("projection verify --tenant northwind")
}
