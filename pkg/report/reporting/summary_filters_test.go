package reporting

import (
	"bytes"
	"encoding/csv"
	"testing"

	"assess/pkg/kernel/db"
)

// A file tells attempts without a run from attempts of all runs: both have an empty cell.
func TestFilesNameTheirFilters(t *testing.T) {
	t.Parallel()
	c := newCohort(t, 12)
	empty, run, from, to := "", "run 1", epoch, epoch.AddDate(1, 0, 0)
	in := SummaryInput{EvaluationVersionID: c.versions[0]}
	withoutRun, all := in, in
	withoutRun.RunLabel = &empty
	all.RunLabel, all.From, all.To, all.AllVersions, all.GroupID = &run, &from, &to, true, &c.orgs[0]
	for _, want := range []struct {
		in            SummaryInput
		names, run, n string
	}{{in, "", "", "12"}, {withoutRun, "run_label", "", "4"}, {all, "run_label;groupId;from;to;scope", "run 1", "0"}} {
		var file bytes.Buffer
		report(t, c, c.analyst(c.orgs[0]), func(tx *db.Tx) (any, error) { return nil, ExportSummary(t.Context(), tx, want.in, &file) })
		lines, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(file.Bytes(), []byte("\ufeff")))).ReadAll()
		if err != nil || len(lines) != 2 {
			t.Fatalf("%d lines, %v", len(lines), err)
		}
		cells := map[string]string{}
		for i, column := range lines[0] {
			cells[column] = lines[1][i]
		}
		if cells["filtersApplied"] != want.names || cells["run_label"] != want.run || cells["started"] != want.n {
			t.Errorf("filters %q, run %q, %s started; want %+v", cells["filtersApplied"], cells["run_label"], cells["started"], want)
		}
	}
}
