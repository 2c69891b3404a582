package hold_test

import (
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/hold"
)

func TestHoldAgainstErasing(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	in := hold.Input{SubjectID: d.subject(), Terms: hold.Terms{Kind: hold.Legal, ReasonCode: "litigation"}}
	erase := func() error { return d.ask(func(tx *db.Tx) error { return hold.Erase(t.Context(), tx, d.subject()) }) }

	// The erasing comes first: the hold waits until all of it is done.
	var placed <-chan error
	d.write(d.operator, func(tx *db.Tx) error {
		want(t, hold.Erase(t.Context(), tx, d.subject()), "")
		placed = sample.Blocked(t, tx, func() error { _, err := d.place(in); return err })
		_, err := tx.Exec(t.Context(), "update users set name = 'erased' where tenant_id = $1 and id = $2", tx.Tenant(), d.subject())
		return err
	})
	want(t, <-placed, "")
	want(t, d.lift(in), "")

	// The hold comes first: the erasing waits for it, and does nothing.
	var erased <-chan error
	d.write(d.officer, func(tx *db.Tx) error {
		_, err := hold.Place(t.Context(), tx, in)
		erased = sample.Blocked(t, tx, erase)
		return err
	})
	want(t, <-erased, errs.HoldActive)
	want(t, d.lift(in), "")

	// Between two transactions of one erasing no hold is placed, and afterwards it is.
	want(t, d.ask(func(tx *db.Tx) error { return hold.StartErasing(t.Context(), tx, d.subject()) }), "")
	_, err := d.place(in)
	want(t, err, errs.ErasingUnderWay)
	want(t, d.ask(func(tx *db.Tx) error { return hold.StopErasing(t.Context(), tx, d.subject()) }), "")
	_, err = d.place(in)
	want(t, err, "")
	want(t, d.ask(func(tx *db.Tx) error { return hold.StartErasing(t.Context(), tx, d.subject()) }), errs.HoldActive)
}

func TestNoSubmissionEscapesTheHoldThatIsPlacedMeanwhile(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	in := hold.Input{SubjectID: d.subject(), Terms: hold.Terms{Kind: hold.Legal, ReasonCode: "litigation"}}
	taking := session.NewDesk()
	open := func() (id ids.ID) {
		d.write(d.person, func(tx *db.Tx) error {
			id = sample.Session(t, tx, taking, d.snapshot.EvaluationID).ID
			return nil
		})
		return id
	}
	submit := func(tx *db.Tx, id ids.ID) error {
		_, err := taking.Submit(t.Context(), tx, session.SubmitInput{EvaluationID: d.snapshot.EvaluationID, SessionID: id})
		return err
	}

	// The submit waits for the hold.
	first := open()
	var over <-chan error
	d.write(d.officer, func(tx *db.Tx) error {
		_, err := hold.Place(t.Context(), tx, in)
		over = sample.Blocked(t, tx, func() error {
			return d.store.Write(t.Context(), d.person, func(tx *db.Tx) error { return submit(tx, first) })
		})
		return err
	})
	want(t, <-over, "")
	wantFlags(t, "the hold was first", d.flags(first), false, true, true)
	want(t, d.lift(in), "")

	// The hold waits for the submit.
	second := open()
	d.write(d.person, func(tx *db.Tx) error {
		err := submit(tx, second)
		over = sample.Blocked(t, tx, func() error { _, err := d.place(in); return err })
		return err
	})
	want(t, <-over, "")
	wantFlags(t, "the submit was first", d.flags(first, second), false, true, true, true)
}
