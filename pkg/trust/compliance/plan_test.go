package compliance_test

import (
	"testing"

	"assess/models"
	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/trust/compliance"
)

// Jobs of others that ended in time, their files, and what the ledger tells of them.
const (
	crowdOfJobs = `insert into compliance_jobs (tenant_id, id, job_type, status, subject_id, requested_by, sla_due_at, created_at, stepped_at, completed_at)
		select $1, gen_random_uuid(), 'dsar_export', 'completed', gen_random_uuid(), 'system:crowd', at + interval '30 days', at, at, at
		from (select now() - interval '60 days' + g * interval '1 minute' as at from generate_series(1, 5000) g) g`
	crowdOfFiles = `insert into compliance_artifacts (tenant_id, job_id, name, media_type, size_bytes, sha256, created_at)
		select tenant_id, id, 'export.zip', 'application/zip', 1, repeat('0', 64), created_at from compliance_jobs where tenant_id = $1 and requested_by = 'system:crowd'`
	crowdOfEntries = `insert into compliance_ledger (tenant_id, id, event_type, subject_id, job_id, created_at)
		select $1, gen_random_uuid(), 'dsar_export.completed', subject_id, id, created_at from compliance_jobs where tenant_id = $1 and requested_by = 'system:crowd'`
)

// Among thousands of others, lists that find few jobs or entries look at few: whatever PostgreSQL knows of the
// tables, and however it plans.
func TestListsLookAtWhatTheyFind(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	d := newDeskIn(t, urls, counting(1))
	super := dbtest.Heap(t, urls)
	for _, sql := range []string{crowdOfJobs, crowdOfFiles, crowdOfEntries} {
		if _, err := super.Exec(t.Context(), sql, d.operator.Tenant); err != nil {
			t.Fatal(err)
		}
	}
	d.work(d.ask(compliance.Unlink))
	d.ask(compliance.Unlink)
	d.SLA = 0
	d.ask(compliance.Unlink) // its time is over at once
	const most = 60
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		err := d.Store.Read(t.Context(), d.officer, func(tx *db.Tx) error {
			plans.Force(t, tx)
			for name, c := range map[string]struct {
				compliance.JobFilter
				want int
			}{
				"of a person":        {compliance.JobFilter{SubjectID: d.person}, 3},
				"of a type":          {compliance.JobFilter{Type: compliance.Unlink}, 3},
				"that are open":      {compliance.JobFilter{Status: models.ComplianceQueued}, 2},
				"that failed":        {compliance.JobFilter{Status: models.ComplianceFailed}, 0},
				"whose time is over": {compliance.JobFilter{SLAState: "breached"}, 1},
				"at risk":            {compliance.JobFilter{SLAState: "at_risk"}, 0},
			} {
				dbtest.ByIndex(t, tx, "jobs "+name, most, func() error {
					list, err := compliance.ListJobs(t.Context(), tx, c.JobFilter)
					if list.Total != c.want {
						t.Errorf("jobs %s: %d, want %d", name, list.Total, c.want)
					}
					return err
				}, "compliance_jobs", "compliance_artifacts")
			}
			for name, f := range map[string]compliance.LedgerFilter{
				"of a person": {SubjectID: d.person},
				"of a type":   {EventType: "unlink.requested"},
			} {
				dbtest.ByIndex(t, tx, "entries "+name, most, func() error {
					list, err := compliance.ListLedger(t.Context(), tx, f)
					if list.Total < 3 {
						t.Errorf("entries %s: %d", name, list.Total)
					}
					return err
				}, "compliance_ledger")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}, urls)
}
