package centre

import (
	"slices"
	"strings"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/trust/compliance"
)

func (o *office) kind(jobType string) compliance.Kind {
	return o.Kinds[slices.IndexFunc(o.Kinds, func(k compliance.Kind) bool { return k.Type == jobType })]
}

// told gives the event types of a tenant's compliance ledger, the oldest first.
func (o *office) told(m matter) string {
	o.Helper()
	var types []string
	sample.Write(o.T, o.store, m.operator, func(tx *db.Tx) error {
		list, err := compliance.ListLedger(o.Context(), tx, compliance.LedgerFilter{Page: db.Page{Page: 1, Limit: 50}})
		for _, e := range slices.Backward(list.Items) {
			types = append(types, e.EventType)
		}
		return err
	})
	return strings.Join(types, " ")
}

// A hold that is requested while a forget is queued comes first, no matter who works on which job: a hold on the whole
// person or on a submission, and also once an earlier job keeps the forget waiting.
func TestAHoldComesBeforeAForgetThatIsQueued(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, kind := range []string{"legal", "processing"} {
		m := o.newPerson(o.kind(compliance.Restrict))
		forget := o.ask(m, o.kind(compliance.Forget))
		var placed compliance.Job
		sample.Write(t, o.store, m.operator, func(tx *db.Tx) error {
			in := m.input(o.kind(compliance.Restrict))
			if kind == "processing" {
				in.Arguments = []byte(`{"action":"place","reason_code":"accuracy_contested"}`)
			}
			var err error
			placed, err = o.Create(t.Context(), tx, in)
			return err
		})
		worked := make(chan error, 4)
		for n := range cap(worked) {
			job := []compliance.Job{forget, placed}[n%2]
			go func() {
				_, err := o.Work(o.Context(), m.operator.Tenant, job.ID, nil)
				worked <- err
			}()
		}
		for range cap(worked) {
			if err := <-worked; err != nil {
				t.Error(err)
			}
		}
		done, err := o.Work(t.Context(), m.operator.Tenant, forget.ID, nil)
		if err != nil || !done.Blocked || db.OrZero(done.BlockedReason) != "hold_active" {
			t.Errorf("%s: the forget: %+v, %v", kind, done, err)
		}
		m.job = forget
		end := o.end(m, done)[0]
		if !strings.HasPrefix(end, "1 named, 1 restricted, held or erasing, 1 open holds, 1 org units, 1 roles, 1 texts") {
			t.Errorf("%s: %s", kind, end)
		}
		if got := o.told(m); got != "forget.requested restrict.requested restrict.completed forget.blocked" {
			t.Errorf("%s: the ledger tells %s", kind, got)
		}
	}
}
