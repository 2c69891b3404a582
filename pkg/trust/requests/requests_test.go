package requests

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"assess/models"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/compliance"
)

// desk is a tenant with two officers and a person.
type desk struct {
	*testing.T
	store                  *db.Store
	operator, olga, oswald db.Scope
	person                 ids.ID
	office                 *compliance.Centre
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	return newDeskIn(t, sample.Store(t))
}

func newDeskIn(t *testing.T, store *db.Store) *desk {
	t.Helper()
	d := &desk{T: t, store: store}
	d.operator = sample.Tenant(t, d.store)
	sample.Write(t, d.store, d.operator, func(tx *db.Tx) error {
		d.person = sample.User(t, tx).ID
		d.olga, d.oswald = d.officer(sample.User(t, tx).ID), d.officer(sample.User(t, tx).ID)
		return nil
	})
	d.office = &compliance.Centre{Store: d.store, Secret: sample.KeySecret, SLA: time.Hour, Ended: Ended, Kinds: []compliance.Kind{{
		Type: compliance.DSARExport, Subject: true, Check: func(context.Context, *db.Tx, compliance.Input) error { return nil },
		Steps: []compliance.Step{{Name: "one"}}}, {Type: compliance.Forget, Subject: true, Steps: []compliance.Step{{Name: "hold",
		Do: func(context.Context, *db.Tx, *compliance.Run) (bool, error) {
			return false, errs.New(errs.HoldActive, "held")
		}}}}}}
	return d
}

func (d *desk) officer(user ids.ID) db.Scope {
	return sample.As(d.operator, user, capability.ComplianceRead, capability.ComplianceManage, capability.ScopeAll)
}

// do runs an operation, which ends with a code or with none.
func (d *desk) do(as db.Scope, want errs.Code, fn func(*db.Tx) (Detail, error)) Detail {
	d.Helper()
	var got Detail
	err := d.store.Write(d.Context(), as, func(tx *db.Tx) error {
		var err error
		got, err = fn(tx)
		return err
	})
	if want == "" && err != nil || want != "" && !errors.Is(err, want) {
		d.Fatalf("got %v, want %q", err, want)
	}
	return got
}

func (d *desk) record(kind string, at time.Time) Detail {
	d.Helper()
	return d.do(d.olga, "", func(tx *db.Tx) (Detail, error) {
		if at.IsZero() {
			at = tx.Now()
		}
		return Record(d.Context(), tx, Input{Kind: kind, Channel: "letter", SubjectID: &d.person, ReceivedAt: &at})
	})
}

func (d *desk) verify(r Detail) Detail {
	d.Helper()
	return d.do(d.olga, "", func(tx *db.Tx) (Detail, error) {
		return Verify(d.Context(), tx, r.ID, Identification{Identity: "document"})
	})
}

func (d *desk) decide(as db.Scope, r Detail, decision, reason string, want errs.Code) Detail {
	d.Helper()
	return d.do(as, want, func(tx *db.Tx) (Detail, error) {
		return Decide(d.Context(), tx, r.ID, Decision{Decision: decision, ReasonCode: reason})
	})
}

func (d *desk) carryOut(r Detail, want errs.Code) Executed {
	d.Helper()
	var e Executed
	d.do(d.olga, want, func(tx *db.Tx) (Detail, error) {
		var err error
		e, err = CarryOut(d.Context(), tx, d.office, r.ID, Execution{})
		return e.Detail, err
	})
	return e
}

// history is what became of a request, and agrees with the ledger.
func (d *desk) history(r Detail) string {
	d.Helper()
	var told []string
	err := d.store.Read(d.Context(), d.olga, func(tx *db.Tx) error {
		now, err := Get(d.Context(), tx, r.ID)
		for _, c := range now.Changes {
			told = append(told, strings.TrimSpace(c.Change+" "+db.OrZero(c.Code)))
			var event, actor string
			err = errors.Join(err, tx.QueryRow(d.Context(), "select event_type, actor from ledger_events where tenant_id = $1 and id = $2 and payload ->> 'requestId' = $3",
				tx.Tenant(), c.EventID, r.ID.String()).Scan(&event, &actor))
			if event != "request."+c.Change || actor != c.Actor {
				d.Errorf("change %d is %s by %s, and its event %s by %s", c.Number, c.Change, c.Actor, event, actor)
			}
		}
		return err
	})
	if err != nil {
		d.Fatal(err)
	}
	return strings.Join(told, ", ")
}

func TestARequestGoesToItsAnswer(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	r := d.verify(d.record(Access, time.Time{}))
	d.carryOut(r, errs.WrongRequestState)
	d.decide(d.olga, r, Granted, "", "")
	e := d.carryOut(r, "")
	d.carryOut(r, errs.WrongRequestState)
	d.do(d.olga, errs.WrongRequestState, func(tx *db.Tx) (Detail, error) { return Withdraw(t.Context(), tx, r.ID) })
	d.do(d.olga, errs.WrongRequestState, func(tx *db.Tx) (Detail, error) { return Answer(t.Context(), tx, r.ID) })
	if e.Job.RequestID == nil || *e.Job.RequestID != r.ID || !e.Job.SLADueAt.Equal(r.SLADueAt) {
		t.Errorf("the job is not that of the request: %+v", e.Job)
	}
	if _, err := d.office.Work(t.Context(), d.operator.Tenant, e.Job.ID, nil); err != nil {
		t.Fatal(err)
	}
	got := d.do(d.olga, "", func(tx *db.Tx) (Detail, error) { return Answer(t.Context(), tx, r.ID) })
	if got.State != Answered || got.SLAState != onTrack || got.Jobs[0].Status != models.ComplianceCompleted {
		t.Errorf("in the end: %+v", got)
	}
	if h := d.history(r); h != "received, verified document, decided granted, started, carried_out completed, answered" {
		t.Errorf("the history is %s", h)
	}
}

// A forget that a hold prevents leaves the request where it was, for a later try.
func TestAHoldLeavesTheRequestDecided(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	r := d.decide(d.olga, d.verify(d.record(Erasure, time.Time{})), Granted, "", "")
	for range 2 {
		e := d.carryOut(r, "")
		if _, err := d.office.Work(t.Context(), d.operator.Tenant, e.Job.ID, nil); err != nil {
			t.Fatal(err)
		}
	}
	if h := d.history(r); !strings.HasSuffix(h, "decided granted, started, job_ended blocked, started, job_ended blocked") {
		t.Errorf("the history is %s", h)
	}
}

func TestWhoDecides(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	r := d.record(Rectification, time.Time{})
	d.decide(d.olga, r, Granted, "", errs.WrongRequestState)
	d.decide(d.olga, r, Refused, "nothing_held", errs.WrongRequestState)
	r = d.verify(r)
	for _, bad := range []Decision{{}, {Decision: "maybe"}, {Decision: Refused}, {Decision: Partly}, {Decision: Granted, ReasonCode: "excessive"}, {Decision: Refused, ReasonCode: "no"}} {
		d.decide(d.olga, r, bad.Decision, bad.ReasonCode, errs.ValidationFailed)
	}
	own := sample.As(d.operator, d.person, capability.ComplianceManage, capability.ScopeAll)
	d.decide(own, r, Granted, "", errs.FourEyesRequired)
	d.decide(sample.As(d.operator, d.person, capability.ComplianceRead), r, Granted, "", errs.Forbidden)
	d.decide(sample.As(d.operator, ids.New(), capability.ComplianceManage), r, Granted, "", errs.Forbidden)
	d.decide(d.olga, r, Partly, "data_accurate", "")
	if e := d.carryOut(r, ""); e.Job != nil || e.State != CarriedOut {
		t.Errorf("by hand: %+v", e)
	}
	stranger := newDesk(t)
	stranger.decide(stranger.olga, r, Granted, "", errs.NotFound)
}

// Nobody knows whose request it is: that is reason enough to refuse it.
func TestRefusedForWantOfIdentity(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	r := d.do(d.olga, "", func(tx *db.Tx) (Detail, error) {
		return Record(t.Context(), tx, Input{Kind: Access, Channel: "mail"})
	})
	d.do(d.olga, errs.ValidationFailed, func(tx *db.Tx) (Detail, error) {
		return Verify(t.Context(), tx, r.ID, Identification{Identity: "document"})
	})
	d.do(d.olga, "", func(tx *db.Tx) (Detail, error) { return AskIdentity(t.Context(), tx, r.ID) })
	r = d.decide(d.olga, r, Refused, "identity_not_proven", "")
	d.carryOut(r, errs.WrongRequestState)
	r = d.do(d.olga, "", func(tx *db.Tx) (Detail, error) { return Answer(t.Context(), tx, r.ID) })
	if r.State != Answered || r.SubjectID != nil {
		t.Errorf("%+v", r)
	}
}

// Notes are sealed in the table, and go with the end of the request.
func TestNotesGoWithTheAnswer(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	r := d.record(Access, time.Time{})
	notes := func(as db.Scope, want errs.Code) NoteList {
		t.Helper()
		var list NoteList
		err := d.store.Read(t.Context(), as, func(tx *db.Tx) error {
			var err error
			list, err = Notes(t.Context(), tx, sample.KeySecret, r.ID)
			return err
		})
		if want == "" && err != nil || want != "" && !errors.Is(err, want) {
			t.Fatalf("got %v, want %q", err, want)
		}
		return list
	}
	sample.Write(t, d.store, d.olga, func(tx *db.Tx) error {
		_, err := AddNote(t.Context(), tx, sample.KeySecret, r.ID, NoteInput{Text: "Mara rang twice."})
		if err != nil {
			return err
		}
		var plain bool
		err = tx.QueryRow(t.Context(), "select position('Mara'::bytea in sealed) > 0 from compliance_request_notes where tenant_id = $1", tx.Tenant()).Scan(&plain)
		if plain {
			t.Error("the note is there to be read")
		}
		return err
	})
	if list := notes(d.oswald, ""); len(list.Items) != 1 || list.Items[0].Text != "Mara rang twice." {
		t.Errorf("the notes are %+v", list)
	}
	notes(sample.As(d.operator, d.person, capability.ComplianceManage, capability.ScopeAll), errs.FourEyesRequired)
	d.do(d.olga, "", func(tx *db.Tx) (Detail, error) { return Withdraw(t.Context(), tx, r.ID) })
	if list := notes(d.olga, ""); len(list.Items) != 0 {
		t.Errorf("after the end there are %+v", list)
	}
}
