package skills_test

import (
	"testing"

	"assess/models"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/report/projection"
)

// No table of skills tells who somebody is: not when figures are derived, and not while counts wait.
func TestTablesOfSkillsNameNobody(t *testing.T) {
	t.Parallel()
	c := newClass(t, [][]bool{{true, false}, {true, true}, {false, false}, {true, false}, {true, true}, {false, true}})
	c.do(`update users set name = 'zzyzx', email = 'zzyzx-' || id || '@example.org', email_key = 'zzyzx-' || id || '@example.org',
		metadata = jsonb_build_object('zzyzx', 'zzyzx') where tenant_id = $1`)
	c.group(c.people...)
	c.settle()
	searched := map[string]bool{}
	search := func() {
		sample.Write(t, c.store, c.operator, func(tx *db.Tx) error {
			for _, table := range []string{"report_skill_targets", "report_skill_matched", "report_skill_matches", "report_skill_facts", "report_skill_submissions",
				"report_skill_rollups", "report_skill_cells", "report_skill_stale"} {
				var rows, marked int
				err := tx.QueryRow(t.Context(), "select count(*), count(*) filter (where r::text ilike '%zzyzx%') from "+table+" r where tenant_id = $1", tx.Tenant()).Scan(&rows, &marked)
				if err != nil {
					return err
				}
				if marked > 0 {
					t.Errorf("%s tells who somebody is", table)
				}
				searched[table] = searched[table] || rows > 0
			}
			return nil
		})
	}
	search()
	// A recalculation leaves counts to be derived again.
	var job projection.Job
	sample.Write(t, c.store, c.operator, func(tx *db.Tx) error {
		var err error
		job, err = projection.QueueRecalculation(t.Context(), tx, projection.RecalculateInput{})
		return err
	})
	for job.State != models.ReportJobCompleted {
		var err error
		job, err = projection.RunPiece(t.Context(), c.store, c.operator.Tenant, job.ID)
		if err != nil {
			t.Fatal(err)
		}
	}
	search()
	for table, is := range searched {
		if !is {
			t.Errorf("%s is empty: the search proves nothing", table)
		}
	}
}
