package reporting

import (
	"bytes"
	"context"
	"encoding/csv"
	"io"
	"strconv"
	"testing"

	"assess/pkg/kernel/db"
)

// A file says how fresh it is, as the page does.
func TestCSVFilesSayHowFreshTheyAre(t *testing.T) {
	t.Parallel()
	c := newCohort(t, 12)
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, `insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at)
			values ($1, 'session', $2, $3)`, c.tenant, c.questions[0], epoch)
		return err
	})
	in := SummaryInput{EvaluationVersionID: c.versions[0]}
	for name, export := range map[string]func(context.Context, *db.Tx, SummaryInput, io.Writer) error{
		"summary": ExportSummary, "cohorts": ExportCohorts,
	} {
		report(t, c, c.analyst(c.orgs[0]), func(tx *db.Tx) (any, error) {
			var file bytes.Buffer
			err := export(t.Context(), tx, in, &file)
			if err != nil {
				return nil, err
			}
			page, err := Summary(t.Context(), tx, in)
			if err != nil {
				return nil, err
			}
			lines, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(file.Bytes(), []byte("\ufeff")))).ReadAll()
			if err != nil || len(lines) < 2 {
				t.Fatalf("%s: %d lines, %v", name, len(lines), err)
			}
			for _, line := range lines[1:] {
				cells := map[string]string{}
				for i, column := range lines[0] {
					cells[column] = line[i]
				}
				if cells["asOf"] != "2026-03-01T12:00:00.000Z" || cells["projectionLagMs"] != strconv.FormatInt(page.ProjectionLagMs, 10) {
					t.Errorf("%s: as of %q, lag %q; the page says %+v", name, cells["asOf"], cells["projectionLagMs"], page.Freshness)
				}
			}
			return nil, nil
		})
	}
}

// Lists and files mark the rows whose medians wait for newer attempts, and the verdict on their
// times with them.
func TestRowsSayThatTheirMediansWait(t *testing.T) {
	t.Parallel()
	c := newCohort(t, 40)
	waiting := c.questions[2]
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, `update report_question_health_rollup set percentiles_stale = true
			where tenant_id = $1 and question_version_id = $2`, c.tenant, waiting)
		return err
	})
	list := report(t, c, c.analyst(c.orgs[0]), func(tx *db.Tx) (HealthList, error) { return ListHealth(t.Context(), tx, HealthFilter{}) })
	_, files := unzip(t, c.export(t, HealthFilter{}))
	for _, row := range list.Items {
		want := row.QuestionVersionID == waiting
		cell := lineOf(files["question_health_core.csv"], row.QuestionVersionID)["percentilesPending"]
		if row.Core.PercentilesPending != want || cell != strconv.FormatBool(want) {
			t.Errorf("%s: the list says %t and the file %q, want %t", row.QuestionVersionID, row.Core.PercentilesPending, cell, want)
		}
	}
}
