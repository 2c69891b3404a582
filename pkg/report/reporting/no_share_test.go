package reporting

import (
	"context"
	"encoding/csv"
	"strings"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/report/projection"
)

// Attempts at which nothing can be earned are counted, and are in no range: of everything, of a
// period that cuts days, of a run, and in files.
func TestAttemptsAtNothingAreInNoRange(t *testing.T) {
	t.Parallel()
	c := found(t, dbtest.Clone(t), 100)
	var nothing int64
	c.write(t, func(ctx context.Context, tx *db.Tx) error {
		rows, err := tx.Exec(ctx, "update submissions set score = 0, max_score = 0 where tenant_id = $1 and outcome_code = 'fail'", c.tenant)
		nothing = rows
		return err
	})
	c.project(t)
	run, from := "run 1", epoch.Add(1)
	for name, in := range map[string]SummaryInput{"all": {}, "of a period": {From: &from, To: &farAway}, "of a run": {RunLabel: &run}} {
		in.EvaluationVersionID = c.versions[0]
		got := report(t, c, c.analyst(c.orgs[0]), func(tx *db.Tx) (EvaluationSummary, error) { return Summary(t.Context(), tx, in) })
		for what, s := range map[string]struct {
			bars           []int64
			known, nothing int64
		}{
			"graded": {got.Scores.Histogram, got.Scores.ScoreKnownAttemptsN, got.Scores.NothingToEarnN},
			"scored": {got.ScoresProvisional.Histogram, got.ScoresProvisional.ScoreKnownAttemptsN, got.ScoresProvisional.NothingToEarnN},
		} {
			in := int64(0)
			for _, n := range s.bars {
				in += n
			}
			if s.nothing == 0 || in+s.nothing != s.known || name == "all" && s.nothing != nothing {
				t.Errorf("%s, %s: %d attempts in %v and %d at nothing, of %d", name, what, in, s.bars, s.nothing, s.known)
			}
		}
	}
	file := report(t, c, c.analyst(c.orgs[0]), func(tx *db.Tx) (string, error) {
		var to strings.Builder
		err := ExportSummary(t.Context(), tx, SummaryInput{EvaluationVersionID: c.versions[0]}, &to)
		return to.String(), err
	})
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(file, "\ufeff"))).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("the file: %v\n%s", err, file)
	}
	for i, name := range rows[0] {
		if name == "graded_90_100" && rows[1][i] != "20" || name == "nothingToEarnN" && rows[1][i] != Count(nothing) {
			t.Errorf("the file says %s %s", name, rows[1][i])
		}
	}
	r, err := projection.Verify(t.Context(), c.store, c.tenant)
	if err != nil || r.Differences != 0 {
		t.Errorf("the tables differ from a rebuild: %+v, %v", r.Tables, err)
	}
}
