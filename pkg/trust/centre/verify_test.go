package centre

import (
	"testing"

	"assess/models"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/assignment"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/people/policy"
	"assess/pkg/report/projection"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/translog"
)

// verifies checks the log against the tables, before and after the log takes up what happened, and the reports against
// the submissions.
func (o *office) verifies(tenant db.Scope, after string) {
	o.Helper()
	for n := 1; n > 0; {
		sample.Write(o.T, o.store, db.System(tenant.Tenant, "projector"), func(tx *db.Tx) error {
			var err error
			n, err = projection.ProjectBatch(o.Context(), tx, 100)
			return err
		})
	}
	log := &translog.Service{Store: o.store, Secret: sample.KeySecret, Origin: "assess.example.org"}
	for range 2 {
		err := o.store.Read(o.Context(), tenant, func(tx *db.Tx) error {
			report, err := translog.Verify(o.Context(), tx, translog.VerifyInput{})
			if err == nil && !report.Sound() {
				o.Errorf("after %s: the log: %+v", after, report.Findings)
			}
			return err
		})
		if err == nil {
			_, err = log.Sequence(o.Context(), tenant.Tenant)
		}
		if err != nil {
			o.Fatal(err)
		}
	}
	compared, err := projection.Verify(o.Context(), o.store, tenant.Tenant)
	if err != nil || compared.Differences != 0 {
		o.Errorf("after %s: the reports: %+v, %v", after, compared, err)
	}
}

// everything makes records about a submission, each of a kind that the log watches, an open attempt and an assignment.
func (s *shelved) everything() {
	s.Helper()
	submission := s.submit()
	s.attach(submission, "a letter", false)
	sample.Write(s.T, s.store, sample.As(s.operator, s.person, capability.SessionsTake), func(tx *db.Tx) error {
		sample.Session(s.T, tx, session.NewDesk(), s.exam.EvaluationID)
		return nil
	})
	sample.Write(s.T, s.store, s.operator, func(tx *db.Tx) error {
		sample.Finding(s.T, tx, submission)
		_, err := assignment.Create(s.Context(), tx, assignment.CreateInput{Terms: assignment.Terms{EvaluationID: s.exam.EvaluationID}, Type: "user_id", Ref: s.person.String()})
		return err
	})
}

// The log and the reports verify after every job that may erase, whatever it erases and however.
func TestLogAndReportsVerifyAfterEveryJob(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	heap := dbtest.Heap(t, o.urls)
	for _, kind := range o.Kinds {
		domains := []string{"submissions"}
		if kind.Type == compliance.RetentionSweep {
			domains = policy.Domains
		}
		for _, domain := range domains {
			for _, action := range []string{policy.Redact, policy.Delete} {
				s := o.newShelved(domain, action)
				s.everything()
				m := matter{operator: s.operator, person: s.person}
				name := kind.Type
				if kind.Type == compliance.RetentionSweep {
					name += " that may " + action + " " + domain
				}
				o.verifies(m.operator, "nothing before "+name)
				if kind.Type == compliance.PrivacyPack {
					o.export(m)
				}
				job := o.ask(m, kind)
				// A sweep takes what was over when it was started. Nothing else reads this moment.
				if _, err := heap.Exec(t.Context(), "update compliance_jobs set created_at = created_at + interval '9 years' where tenant_id = $1 and id = $2",
					m.operator.Tenant, job.ID); err != nil {
					t.Fatal(err)
				}
				done, err := o.Work(t.Context(), m.operator.Tenant, job.ID, nil)
				if err != nil || done.Status != models.ComplianceCompleted {
					t.Fatalf("%s: %+v, %v", name, done, err)
				}
				if kind.Type == compliance.RetentionSweep && len(done.Counts) == 0 && domain != "exports" && domain != "telemetry" {
					t.Errorf("%s took nothing", name)
				}
				o.verifies(m.operator, name)
			}
		}
	}
}
