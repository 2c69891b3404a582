package hold_test

import (
	"errors"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/hold"
)

// desk is a tenant with an officer, a person and an evaluation to take.
type desk struct {
	*testing.T
	store    *db.Store
	operator db.Scope
	officer  db.Scope
	person   db.Scope
	snapshot authoring.Snapshot
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	return newDeskIn(t, sample.Store(t))
}

func newDeskIn(t *testing.T, store *db.Store) *desk {
	t.Helper()
	d := &desk{T: t, store: store}
	d.operator = sample.Tenant(t, d.store)
	d.write(d.operator, func(tx *db.Tx) error {
		d.officer = sample.As(d.operator, sample.User(t, tx).ID, capability.ComplianceRead, capability.ComplianceManage, capability.ScopeAll)
		d.person = sample.As(d.operator, sample.User(t, tx).ID, capability.SessionsTake)
		d.snapshot = sample.Published(t, tx, authoring.Settings{}, sample.Choice("A"))
		return nil
	})
	return d
}

func (d *desk) subject() ids.ID { return d.person.Actor.ID }

func (d *desk) write(as db.Scope, fn func(*db.Tx) error) {
	d.Helper()
	sample.Write(d.T, d.store, as, fn)
}

func (d *desk) submit() ids.ID {
	d.Helper()
	var result session.SubmitResult
	d.write(d.person, func(tx *db.Tx) error {
		result = sample.Submission(d.T, tx, session.NewDesk(), d.snapshot, `{"optionIds":["A"]}`)
		return nil
	})
	return result.SubmissionID
}

func (d *desk) place(in hold.Input) (hold.Hold, error) {
	var h hold.Hold
	err := d.store.Write(d.Context(), d.officer, func(tx *db.Tx) error {
		var err error
		h, err = hold.Place(d.Context(), tx, in)
		return err
	})
	return h, err
}

func (d *desk) lift(in hold.Input) error {
	return d.store.Write(d.Context(), d.officer, func(tx *db.Tx) error {
		_, err := hold.Lift(d.Context(), tx, in)
		return err
	})
}

func (d *desk) ask(question func(*db.Tx) error) error {
	return d.store.Write(d.Context(), d.operator, question)
}

// flags gives restricted, held, and hold_flag of the submissions.
func (d *desk) flags(submissions ...ids.ID) []bool {
	d.Helper()
	all := make([]bool, 2+len(submissions))
	d.write(d.operator, func(tx *db.Tx) error {
		err := tx.QueryRow(d.Context(), "select restricted, held from users where tenant_id = $1 and id = $2", tx.Tenant(), d.subject()).Scan(&all[0], &all[1])
		for i, id := range submissions {
			err = errors.Join(err, tx.QueryRow(d.Context(), "select hold_flag from submissions where tenant_id = $1 and id = $2", tx.Tenant(), id).Scan(&all[2+i]))
		}
		return err
	})
	return all
}

func want(t *testing.T, err error, code errs.Code) {
	t.Helper()
	if code == "" && err != nil || code != "" && !errors.Is(err, code) {
		t.Fatalf("got %v, want %q", err, code)
	}
}

func wantFlags(t *testing.T, when string, got []bool, want ...bool) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s: restricted, held and the submissions' flags are %v, want %v", when, got, want)
		}
	}
}

func TestLiftingUndoesWhatPlacingDid(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	early := d.submit()
	restriction := hold.Input{SubjectID: d.subject(), Terms: hold.Terms{ReasonCode: "accuracy_contested"}}
	suit := hold.Input{SubjectID: d.subject(), Terms: hold.Terms{Kind: hold.Legal, ReasonCode: "litigation"}}
	one := hold.Input{SubjectID: d.subject(), Terms: hold.Terms{Kind: hold.Legal, ReasonCode: "appeal", SubmissionID: &early}}

	_, err := d.place(one)
	want(t, err, "")
	other := d.submit()
	wantFlags(t, "one submission", d.flags(early, other), false, false, true, false)
	_, err = d.place(suit)
	want(t, err, "")
	later := d.submit()
	wantFlags(t, "a legal hold", d.flags(early, other, later), false, true, true, true, true)
	_, err = d.place(restriction)
	want(t, err, "")
	wantFlags(t, "and a restriction", d.flags(early, other, later), true, true, true, true, true)
	want(t, d.lift(suit), "")
	wantFlags(t, "the restriction stays", d.flags(early, other, later), true, true, true, true, true)
	want(t, d.lift(hold.Input{SubjectID: d.subject()}), "")
	wantFlags(t, "that of one submission stays", d.flags(early, other, later), false, false, true, false, false)
	want(t, d.lift(one), "")
	wantFlags(t, "nothing stays", d.flags(early, other, later), false, false, false, false, false)

	var list db.List[hold.Hold]
	d.write(d.officer, func(tx *db.Tx) error {
		list, err = hold.List(t.Context(), tx, hold.Filter{State: "lifted", SubjectID: &restriction.SubjectID, Page: db.Page{Limit: 2}})
		return err
	})
	if list.Total != 3 || len(list.Items) != 2 || list.Items[0].ReasonCode != "accuracy_contested" || *list.Items[0].LiftedBy != d.officer.Actor.String() {
		t.Errorf("lifted holds: %+v", list)
	}
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	first, second := d.submit(), d.submit()
	use := func() error { return d.ask(func(tx *db.Tx) error { return hold.Use(t.Context(), tx, d.subject()) }) }
	erase := func() error { return d.ask(func(tx *db.Tx) error { return hold.Erase(t.Context(), tx, d.subject()) }) }
	eraseOne := func(id ids.ID) error {
		return d.ask(func(tx *db.Tx) error { return hold.EraseSubmission(t.Context(), tx, id) })
	}
	check := func(when string, wantUse, wantErase, wantFirst, wantSecond errs.Code) {
		t.Helper()
		t.Log(when)
		want(t, use(), wantUse)
		want(t, erase(), wantErase)
		want(t, eraseOne(first), wantFirst)
		want(t, eraseOne(second), wantSecond)
	}
	check("nothing", "", "", "", "")
	for _, c := range []struct {
		in                        hold.Input
		use, erase, first, second errs.Code
	}{
		{hold.Input{Terms: hold.Terms{Kind: hold.Legal, ReasonCode: "audit", SubmissionID: &first}}, "", errs.HoldActive, errs.HoldActive, ""},
		{hold.Input{Terms: hold.Terms{Kind: hold.Legal, ReasonCode: "audit"}}, "", errs.HoldActive, errs.HoldActive, errs.HoldActive},
		{hold.Input{Terms: hold.Terms{ReasonCode: "objection_pending"}}, errs.ProcessingRestricted, errs.HoldActive, errs.HoldActive, errs.HoldActive},
	} {
		c.in.SubjectID = d.subject()
		_, err := d.place(c.in)
		want(t, err, "")
		check(c.in.Kind+" hold", c.use, c.erase, c.first, c.second)
		want(t, d.lift(c.in), "")
		check("lifted", "", "", "", "")
	}
	want(t, d.ask(func(tx *db.Tx) error { return hold.Erase(t.Context(), tx, ids.New()) }), errs.NotFound)
	want(t, eraseOne(ids.New()), errs.NotFound)
}

func TestWhatCannotBePlacedOrLifted(t *testing.T) {
	t.Parallel()
	d, foreign := newDesk(t), newDesk(t)
	mine, theirs := d.submit(), foreign.submit()
	placed := hold.Input{SubjectID: d.subject(), Terms: hold.Terms{Kind: hold.Legal, ReasonCode: "audit"}}
	_, err := d.place(placed)
	want(t, err, "")
	_, err = d.place(hold.Input{SubjectID: d.subject(), Terms: hold.Terms{Kind: hold.Legal, ReasonCode: "appeal"}})
	want(t, err, "")
	with := func(change func(*hold.Input)) hold.Input {
		in := hold.Input{SubjectID: d.subject(), Terms: hold.Terms{Kind: hold.Legal, ReasonCode: "investigation"}}
		change(&in)
		return in
	}
	for _, c := range []struct {
		name        string
		in          hold.Input
		place, lift errs.Code
	}{
		{"unknown subject", with(func(in *hold.Input) { in.SubjectID = ids.New() }), errs.NotFound, errs.NotFound},
		{"another tenant's", with(func(in *hold.Input) { in.SubjectID = foreign.subject() }), errs.NotFound, errs.NotFound},
		{"another tenant's submission", with(func(in *hold.Input) { in.SubmissionID = &theirs }), errs.NotFound, errs.NotFound},
		{"somebody else's submission", with(func(in *hold.Input) { in.SubjectID, in.SubmissionID = d.operatorUser(), &mine }), errs.NotFound, errs.NotFound},
		{"unknown kind", with(func(in *hold.Input) { in.Kind = "forever" }), errs.ValidationFailed, errs.ValidationFailed},
		{"reason of the other kind", with(func(in *hold.Input) { in.ReasonCode = "objection_pending" }), errs.ValidationFailed, errs.ValidationFailed},
		{"restriction of one submission", with(func(in *hold.Input) { in.Kind, in.ReasonCode, in.SubmissionID = "", "objection_pending", &mine }), errs.ValidationFailed, errs.ValidationFailed},
		{"no reason", with(func(in *hold.Input) { in.ReasonCode = "" }), errs.ValidationFailed, errs.ValidationFailed},
		{"oneself", with(func(in *hold.Input) { in.SubjectID = d.officer.Actor.ID }), errs.FourEyesRequired, errs.FourEyesRequired},
		{"never placed", with(func(*hold.Input) {}), "", ""},
	} {
		if c.name == "never placed" {
			want(t, d.lift(c.in), errs.HoldNotPlaced)
			continue
		}
		_, err := d.place(c.in)
		t.Log(c.name)
		want(t, err, c.place)
		want(t, d.lift(c.in), c.lift)
	}
	_, err = d.place(placed)
	want(t, err, errs.HoldExists)
	want(t, d.lift(placed), "")
	want(t, d.lift(placed), errs.HoldNotPlaced)
	wantFlags(t, "in the end", d.flags(mine), false, true, true)
	// Somebody who may only read, or works in another org unit, changes nothing.
	reader := sample.As(d.operator, ids.New(), capability.ComplianceRead)
	elsewhere := sample.As(d.operator, ids.New(), capability.ComplianceManage, capability.ComplianceRead)
	d.write(d.operator, func(tx *db.Tx) error {
		elsewhere.OrgUnit = sample.OrgUnit(t, tx, "other").ID
		return nil
	})
	for as, code := range map[*db.Scope]errs.Code{&reader: errs.Forbidden, &elsewhere: errs.UserOutOfReach} {
		err := d.store.Write(t.Context(), *as, func(tx *db.Tx) error {
			_, err := hold.Place(t.Context(), tx, placed)
			return err
		})
		want(t, err, code)
	}
	err = d.store.Read(t.Context(), elsewhere, func(tx *db.Tx) error {
		list, err := hold.List(t.Context(), tx, hold.Filter{})
		if list.Total != 0 {
			t.Errorf("holds of people elsewhere: %+v", list)
		}
		return err
	})
	want(t, err, "")
}

// operatorUser is a person who has no submission.
func (d *desk) operatorUser() ids.ID {
	var id ids.ID
	d.write(d.operator, func(tx *db.Tx) error {
		id = sample.User(d.T, tx).ID
		return nil
	})
	return id
}
