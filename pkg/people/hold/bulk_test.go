package hold_test

import (
	"testing"
	"time"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/hold"
)

// Several people are held for one matter in a call, looked at on a day, and let go in a call; holds for another reason stay.
func TestAMatterHoldsSeveralPeople(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var other ids.ID
	d.write(d.operator, func(tx *db.Tx) error {
		other = sample.User(t, tx).ID
		return nil
	})
	submission := d.submit()
	day := time.Now().Add(time.Hour)
	place := func(input hold.ManyInput, code errs.Code) hold.Many {
		t.Helper()
		var got hold.Many
		err := d.store.Write(t.Context(), d.officer, func(tx *db.Tx) error {
			var err error
			got, err = hold.PlaceMany(t.Context(), tx, input)
			return err
		})
		want(t, err, code)
		return got
	}
	matter := hold.Case{Matter: "2026-014", ReviewAt: &day}
	place(hold.ManyInput{ReasonCode: "litigation", Case: matter}, errs.ValidationFailed)
	place(hold.ManyInput{SubjectIDs: []ids.ID{other, other}, ReasonCode: "litigation", Case: matter}, errs.ValidationFailed)
	place(hold.ManyInput{SubjectIDs: []ids.ID{other}, ReasonCode: "litigation", Case: hold.Case{Matter: "Mara Quist"}}, errs.ValidationFailed)
	got := place(hold.ManyInput{SubjectIDs: []ids.ID{d.subject(), other, d.officer.Actor.ID, ids.New()}, ReasonCode: "litigation", Case: matter}, "")
	if got.Changed != 2 || got.Failed != 2 {
		t.Fatalf("placed: %+v", got)
	}
	if again := place(hold.ManyInput{SubjectIDs: []ids.ID{other}, ReasonCode: "litigation", Case: matter}, ""); again.Results[0].Code != errs.HoldExists {
		t.Errorf("again: %+v", again)
	}
	// Another matter for the same reason is another hold.
	place(hold.ManyInput{SubjectIDs: []ids.ID{d.subject()}, ReasonCode: "litigation", Case: hold.Case{Matter: "2026-020"}}, "")
	list := func(f hold.Filter) db.List[hold.Hold] {
		t.Helper()
		var got db.List[hold.Hold]
		err := d.store.Read(t.Context(), d.officer, func(tx *db.Tx) error {
			var err error
			got, err = hold.List(t.Context(), tx, f)
			return err
		})
		want(t, err, "")
		return got
	}
	if n := list(hold.Filter{Review: true}).Total; n != 0 {
		t.Errorf("%d holds are due before their day", n)
	}
	d.write(d.operator, func(tx *db.Tx) error { // the day comes
		_, err := tx.Exec(t.Context(), "update holds set review_at = now() - interval '1 second' where tenant_id = $1 and review_at is not null", tx.Tenant())
		return err
	})
	due := list(hold.Filter{Review: true, Matter: "2026-014"})
	if due.Total != 2 {
		t.Fatalf("due are %+v", due)
	}
	review := func(at time.Time, code errs.Code) {
		t.Helper()
		want(t, d.store.Write(t.Context(), d.officer, func(tx *db.Tx) error {
			_, err := hold.Review(t.Context(), tx, due.Items[0].ID, hold.ReviewInput{ReviewAt: at})
			return err
		}), code)
	}
	review(time.Now().Add(-time.Hour), errs.ValidationFailed)
	elsewhere := d.officer // of another org unit only
	elsewhere.All = false
	d.write(d.operator, func(tx *db.Tx) error {
		elsewhere.OrgUnit = sample.OrgUnit(t, tx, "elsewhere").ID
		return nil
	})
	want(t, d.store.Write(t.Context(), elsewhere, func(tx *db.Tx) error {
		_, err := hold.Review(t.Context(), tx, due.Items[0].ID, hold.ReviewInput{ReviewAt: time.Now().Add(time.Hour)})
		return err
	}), errs.NotFound)
	want(t, d.store.Write(t.Context(), elsewhere, func(tx *db.Tx) error {
		_, err := hold.LiftMany(t.Context(), tx, hold.LiftInput{Matter: "2026-014"})
		return err
	}), errs.HoldNotPlaced)
	review(time.Now().Add(24*time.Hour), "")
	if n := list(hold.Filter{Review: true}).Total; n != 1 {
		t.Errorf("%d holds are due after one was looked at", n)
	}
	lift := func(input hold.LiftInput, code errs.Code) hold.Many {
		t.Helper()
		var got hold.Many
		err := d.store.Write(t.Context(), d.officer, func(tx *db.Tx) error {
			var err error
			got, err = hold.LiftMany(t.Context(), tx, input)
			return err
		})
		want(t, err, code)
		return got
	}
	lift(hold.LiftInput{}, errs.ValidationFailed)
	lift(hold.LiftInput{Matter: "no-such"}, errs.HoldNotPlaced)
	if got := lift(hold.LiftInput{Matter: "2026-014"}, ""); got.Changed != 2 || got.Failed != 0 || got.More {
		t.Errorf("lifted: %+v", got)
	}
	review(time.Now().Add(time.Hour), errs.HoldNotPlaced)
	if flags := d.flags(submission); flags[0] || !flags[1] || !flags[2] {
		t.Errorf("the other matter still holds: %v", flags)
	}
	lift(hold.LiftInput{Matter: "2026-020", SubjectIDs: []ids.ID{d.subject()}}, "")
	if flags := d.flags(submission); flags[1] || flags[2] {
		t.Errorf("nothing holds any more: %v", flags)
	}
}
