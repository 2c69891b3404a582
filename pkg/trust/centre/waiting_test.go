package centre

import (
	"slices"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/standing"
)

// queued is what waits for people about a tenant's submissions.
type queued struct {
	marking int
	reasons []string // of the one submission
	queue   []string // the reasons of its row in the queue of exceptions; nil without one
}

func (o *office) queued(m matter) (q queued) {
	o.Helper()
	for n := 1; n > 0; {
		sample.Write(o.T, o.store, db.System(m.operator.Tenant, "projector"), func(tx *db.Tx) error {
			var err error
			n, err = projection.ProjectBatch(o.Context(), tx, 100)
			return err
		})
	}
	sample.Write(o.T, o.store, sample.As(m.operator, ids.New(), capability.SubmissionsRead), func(tx *db.Tx) error {
		list, err := submission.ListWaiting(o.Context(), tx, submission.Filter{Awaits: submission.AwaitsMarking})
		if err != nil {
			return err
		}
		q.marking = list.Total
		var id ids.ID
		err = tx.QueryRow(o.Context(), "select id from submissions where tenant_id = $1", tx.Tenant()).Scan(&id)
		if err != nil {
			return err
		}
		all, err := standing.Read(o.Context(), tx, []ids.ID{id})
		if err != nil {
			return err
		}
		q.reasons = all[0].Blocks(tx.Now()).ProofReadiness.Reasons
		return tx.QueryRow(o.Context(), "select (select reasons from defensibility_exception_triage where tenant_id = $1 and submission_id = $2)", tx.Tenant(), id).Scan(&q.queue)
	})
	return q
}

// An essay that was erased waits for nobody's mark, and its submission says that something of the proof is gone. That of
// a person who is forgotten leaves the queues, since nobody may do anything about it any more.
func TestAnErasedEssayWaitsForNobody(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, jobType := range []string{compliance.Forget, compliance.RetentionSweep} {
		kind := o.kind(jobType)
		m := o.newPerson(kind)
		before := o.queued(m)
		if before.marking != 1 || !slices.Contains(before.reasons, "score_pending") || slices.Contains(before.reasons, "retention_expired") ||
			!slices.Equal(before.queue, before.reasons) {
			t.Errorf("%s: before: %+v", jobType, before)
		}
		done, err := o.Work(t.Context(), m.operator.Tenant, o.ask(m, kind).ID, nil)
		if err != nil || done.Counts["submission_items"] != 1 {
			t.Fatalf("%s: %+v, %v", jobType, done, err)
		}
		after := o.queued(m)
		if after.marking != 0 || slices.Contains(after.reasons, "score_pending") || !slices.Contains(after.reasons, "retention_expired") {
			t.Errorf("%s: after: %+v", jobType, after)
		}
		if jobType == compliance.Forget && after.queue != nil || jobType != compliance.Forget && !slices.Equal(after.queue, after.reasons) {
			t.Errorf("%s: the queue has %v", jobType, after.queue)
		}
	}
}
