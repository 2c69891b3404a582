package retention

import (
	"testing"

	"assess/config"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/evidence"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/policy"
	"assess/pkg/report/projection"
)

func (o *office) project() {
	o.Helper()
	for {
		n := 0
		sample.Write(o.T, o.store, db.System(o.operator.Tenant, "projector"), func(tx *db.Tx) error {
			var err error
			n, err = projection.ProjectBatch(o.Context(), tx, projection.BatchSize)
			return err
		})
		if n == 0 {
			return
		}
	}
}

// Whatever a sweep did, the reports are the same as a rebuild from the remaining records.
func TestFiguresAfterASweep(t *testing.T) {
	t.Parallel()
	for _, action := range []string{policy.Redact, policy.Delete} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t, sample.Store(t), action)
			for range 4 {
				person, submission := o.submit()
				o.write(func(tx *db.Tx) error {
					sample.Finding(t, tx, submission)
					_, err := tx.Exec(t.Context(), `insert into session_events (tenant_id, session_id, id, org_unit_id, event_type, occurred_at)
						values ($1, $2, $3, $4, 'focus_lost', $5)`, tx.Tenant(), submission, ids.New(), o.operator.OrgUnit, tx.Now())
					return err
				})
				// One that leads to no submission, and is over.
				o.abandoned(person)
			}
			held, _ := o.submit()
			o.hold(held)
			o.project()
			reported := func() int { return o.count("select count(*) from report_submissions where tenant_id = $1") }
			findings := func() int { return o.count("select count(*) from report_findings where tenant_id = $1") }
			starts := func() int { return o.count("select count(*) from report_session_starts where tenant_id = $1") }
			if reported() != 5 || findings() != 4 || starts() != 9 {
				t.Fatalf("before: %d submissions, %d findings, %d starts", reported(), findings(), starts())
			}
			for _, p := range o.sweep(3, nil).Policies {
				if p.Problem != "" {
					t.Errorf("%s: %v", p.Domain, p.Cause)
				}
			}
			o.project()
			want := map[string][3]int{policy.Redact: {5, 4, 9}, policy.Delete: {1, 0, 1}}[action]
			if got := [3]int{reported(), findings(), starts()}; got != want {
				t.Errorf("submissions, findings and starts in reports are %v, want %v", got, want)
			}
			report, err := projection.Verify(t.Context(), o.store, o.operator.Tenant)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range report.Tables {
				if c.Missing+c.Surplus+c.Different != 0 {
					t.Errorf("%+v", c)
				}
			}
		})
	}
}

// abandoned makes a session that ended without a submission.
func (o *office) abandoned(person ids.ID) {
	o.Helper()
	sample.Write(o.T, o.store, sample.As(o.operator, person, capability.SessionsTake), func(tx *db.Tx) error {
		open := sample.Session(o.T, tx, session.NewDesk(), o.snapshot.EvaluationID)
		_, err := tx.Exec(o.Context(), "update sessions set state = 'abandoned', ended_at = $3 where tenant_id = $1 and id = $2", tx.Tenant(), open.ID, tx.Now())
		return err
	})
}

// Files go by the policy of evidence, and keep their hash where they are redacted.
func TestFilesGoByThePolicyOfEvidence(t *testing.T) {
	t.Parallel()
	for action, left := range map[string]int{policy.Redact: 2, policy.Delete: 1} {
		o := newOffice(t, sample.Store(t), action)
		o.policies(action, "evidence")
		blobs, err := blob.Open(t.Context(), "file://"+t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = blobs.Close() })
		files := evidence.NewFiles(o.store, blobs, config.Default().Blob)
		_, first := o.submit()
		held, second := o.submit()
		sample.Evidence(t, o.store, o.operator, files, first)
		sample.Evidence(t, o.store, o.operator, files, second)
		o.hold(held)
		got := o.sweep(1, nil).of("evidence")
		if got.Counts["evidence"] != 1 || got.Held != 1 || got.Problem != "" {
			t.Errorf("%s: %+v", action, got)
		}
		if n := o.count("select count(*) from evidence where tenant_id = $1 and sha256 <> ''"); n != left {
			t.Errorf("%s: %d rows are left, want %d", action, n, left)
		}
		if n := o.count("select count(*) from evidence where tenant_id = $1 and held_sha256 is not null"); n != 1 {
			t.Errorf("%s: %d files are kept, want that of the held submission", action, n)
		}
	}
}
