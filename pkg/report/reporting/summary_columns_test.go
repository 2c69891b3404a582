package reporting

import (
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// newAssigned is a cohort with assignments to two groups, which brought half of the attempts, and
// with durations of half an hour and more.
func newAssigned(t *testing.T) (*cohort, ids.ID) {
	t.Helper()
	c := found(t, dbtest.Clone(t), 60)
	group := ids.New()
	c.write(t, func(ctx context.Context, tx *db.Tx) error { return c.assign(ctx, tx, group) })
	c.project(t)
	return c, group
}

// linesOfFile gives the lines of a CSV file by the names of their columns.
func (c *cohort) linesOfFile(t *testing.T, in SummaryInput, export func(context.Context, *db.Tx, SummaryInput, io.Writer) error) []map[string]string {
	t.Helper()
	var file bytes.Buffer
	report(t, c, c.analyst(c.orgs[0]), func(tx *db.Tx) (any, error) { return nil, export(t.Context(), tx, in, &file) })
	rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(file.Bytes(), []byte("\ufeff")))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]string
	for _, row := range rows[1:] {
		line := map[string]string{}
		for i, name := range rows[0] {
			line[name] = row[i]
		}
		all = append(all, line)
	}
	return all
}

// A column of the file shows what its field shows, which docs/reporting.md names, in full digits.
func TestColumnsOfTheSummaryAreWhatThePageSays(t *testing.T) {
	t.Parallel()
	c, group := newAssigned(t)
	run, to := "run 1", epoch.AddDate(1, 0, 0).Add(123*time.Millisecond)
	for _, in := range []SummaryInput{{}, {RunLabel: &run, To: &to}, {GroupID: &group, AllVersions: true}} {
		in.EvaluationVersionID = c.versions[0]
		page := asJSON(t, report(t, c, c.analyst(c.orgs[0]), func(tx *db.Tx) (EvaluationSummary, error) { return Summary(t.Context(), tx, in) }))
		line := c.linesOfFile(t, in, ExportSummary)[0]
		for _, row := range pageTable(t, "reporting.md", "## CSV of the summary") {
			name, field := inTicks(row[0])[0], inTicks(row[1])
			if len(field) == 0 {
				continue
			}
			values := valuesAt(page, strings.Split(field[0], "."))
			want := strings.Join(inCells(values), ";")
			if names, ok := values[0].(map[string]any); ok {
				want = strings.Join(in.scope(summaryQuery{}).FiltersApplied.names(), ";")
				if len(names) != len(in.scope(summaryQuery{}).FiltersApplied.names()) {
					t.Errorf("%s has %v", field[0], names)
				}
			}
			if line[name] != want && name != "asOf" {
				t.Errorf("%s: the page has %q at %s, the file %q", name, want, field[0], line[name])
			}
		}
	}
}

// A line of a list equals the summary of its group or its run.
func TestLinesOfListsAreThoseOfTheirSummaries(t *testing.T) {
	t.Parallel()
	c, _ := newAssigned(t)
	in := SummaryInput{EvaluationVersionID: c.versions[0]}
	lines := slices.Concat(c.linesOfFile(t, in, ExportGroups), c.linesOfFile(t, in, ExportCohorts))
	if len(lines) != 2+3 {
		t.Fatalf("%d lines, want those of 2 groups and 3 runs", len(lines))
	}
	for _, line := range lines {
		one := in
		if line["groupId"] == "" {
			run := line["run_label"]
			one.RunLabel = &run
		} else {
			id, err := ids.Parse("group", line["groupId"])
			if err != nil {
				t.Fatal(err)
			}
			one.GroupID = &id
		}
		want := c.linesOfFile(t, one, ExportSummary)[0]
		for _, own := range []string{"groupLabel", "run_label_shown", "filtersApplied", "asOf"} {
			delete(want, own)
			delete(line, own)
		}
		if diff := cmp.Diff(want, line); diff != "" {
			t.Errorf("group %q, run %q (-summary +list):\n%s", line["groupId"], line["run_label"], diff)
		}
	}
}
