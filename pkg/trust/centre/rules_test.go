package centre

import (
	"errors"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/requests"
)

// Where a tenant has rules for erasures, nobody is forgotten without a request; a rehearsal is, and what a backup forgot.
func TestRulesForErasuresHaveNoWayRound(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	m := o.newPerson(o.kind(compliance.Forget))
	forget := func(again bool) error {
		return o.store.Write(t.Context(), m.operator, func(tx *db.Tx) error {
			_, err := o.Create(t.Context(), tx, compliance.Input{Type: compliance.Forget, SubjectID: m.person, Again: again})
			return err
		})
	}
	sample.Write(t, o.store, m.operator, func(tx *db.Tx) error {
		_, err := requests.SetRules(t.Context(), tx, requests.RulesInput{WaitDays: 3})
		return err
	})
	if err := forget(false); !errors.Is(err, errs.RequestRequired) {
		t.Errorf("without a request: %v", err)
	}
	sample.Write(t, o.store, m.operator, func(tx *db.Tx) error {
		_, err := o.Preview(t.Context(), tx, m.input(o.kind(compliance.Forget)))
		return err
	})
	if err := forget(true); err != nil {
		t.Errorf("again: %v", err)
	}
}
