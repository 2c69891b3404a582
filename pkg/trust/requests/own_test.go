package requests

import (
	"errors"
	"strings"
	"testing"
	"time"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// mara is the person, who has just signed in where proven is true.
func (d *desk) mara(proven bool) db.Scope {
	d.Helper()
	scope := sample.As(d.operator, d.person)
	if proven {
		scope.Proof = ids.New()
		sample.Write(d.T, d.store, d.operator, func(tx *db.Tx) error {
			_, err := tx.Exec(d.Context(), "insert into step_up_proofs (tenant_id, id, user_id, method, created_at, expires_at) values ($1, $2, $3, 'magic_link', $4, $5)",
				tx.Tenant(), scope.Proof, d.person, tx.Now(), tx.Now().Add(time.Minute))
			return err
		})
	}
	return scope
}

func (d *desk) own(as db.Scope, want errs.Code, fn func(*db.Tx) (Own, error)) Own {
	d.Helper()
	var got Own
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

func (d *desk) ask(kind string, want errs.Code) Own {
	d.Helper()
	return d.own(d.mara(true), want, func(tx *db.Tx) (Own, error) { return Ask(d.Context(), tx, OwnInput{Kind: kind}) })
}

func (d *desk) rules(as db.Scope, input RulesInput, want errs.Code) {
	d.Helper()
	err := d.store.Write(d.Context(), as, func(tx *db.Tx) error {
		_, err := SetRules(d.Context(), tx, input)
		return err
	})
	if want == "" && err != nil || want != "" && !errors.Is(err, want) {
		d.Fatalf("got %v, want %q", err, want)
	}
}

func TestPeopleAskForThemselves(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ask := func(as db.Scope, want errs.Code) {
		t.Helper()
		d.own(as, want, func(tx *db.Tx) (Own, error) { return Ask(t.Context(), tx, OwnInput{Kind: Access}) })
	}
	ask(d.mara(false), errs.StepUpRequired)
	ask(d.operator, errs.Forbidden)
	d.ask("", errs.ValidationFailed)
	d.ask("everything", errs.ValidationFailed)
	r := d.ask(Access, "")
	if r.State != Verified || !r.MayWithdraw || r.MayContest || r.SLAState != onTrack {
		t.Errorf("asked: %+v", r)
	}
	d.ask(Access, errs.RequestOpen)
	d.ask(Erasure, "")
	// Nobody else sees or ends it, also not an officer in their own name.
	for _, as := range []db.Scope{d.olga, newDesk(t).olga} {
		d.own(as, errs.NotFound, func(tx *db.Tx) (Own, error) { return GetOwn(t.Context(), tx, r.ID) })
		d.own(as, errs.NotFound, func(tx *db.Tx) (Own, error) { return WithdrawOwn(t.Context(), tx, r.ID) })
		d.own(as, errs.NotFound, func(tx *db.Tx) (Own, error) { return Contest(t.Context(), tx, r.ID) })
	}
	d.own(d.mara(false), "", func(tx *db.Tx) (Own, error) { return WithdrawOwn(t.Context(), tx, r.ID) })
	d.own(d.mara(false), errs.WrongRequestState, func(tx *db.Tx) (Own, error) { return WithdrawOwn(t.Context(), tx, r.ID) })
	d.ask(Access, "")
	err := d.store.Read(t.Context(), d.mara(false), func(tx *db.Tx) error {
		list, err := ListOwn(t.Context(), tx, db.Page{Limit: 2})
		if list.Total != 3 || len(list.Items) != 2 {
			t.Errorf("one's own requests: %+v", list)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A refusal is contested once, and somebody other than the one who refused decides; the time begins anew.
func TestARefusalIsContested(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	r := Detail{Request: Request{ID: d.ask(Erasure, "").ID}}
	contest := func(want errs.Code) Own {
		t.Helper()
		return d.own(d.mara(false), want, func(tx *db.Tx) (Own, error) { return Contest(t.Context(), tx, r.ID) })
	}
	contest(errs.WrongRequestState)
	d.decide(d.olga, r, Refused, "legal_obligation", "")
	d.do(d.olga, "", func(tx *db.Tx) (Detail, error) { return Answer(t.Context(), tx, r.ID) })
	refused := d.own(d.mara(false), "", func(tx *db.Tx) (Own, error) { return GetOwn(t.Context(), tx, r.ID) })
	if !refused.MayContest || refused.Reason == nil || !strings.Contains(*refused.Reason, "law") {
		t.Errorf("refused: %+v", refused)
	}
	if again := contest(""); again.State != Verified || again.EndedAt != nil || again.Decision != nil {
		t.Errorf("contested: %+v", again)
	}
	contest(errs.WrongRequestState)
	d.decide(d.olga, r, Refused, "legal_obligation", errs.FourEyesRequired)
	d.decide(d.oswald, r, Refused, "legal_obligation", "")
	contest(errs.WrongRequestState)
	if h := d.history(r); h != "received, verified step_up, decided legal_obligation, answered, contested, decided legal_obligation" {
		t.Errorf("the history is %s", h)
	}
}

// Where nobody could tell whose the request was, that is open again.
func TestAnIdentityIsContested(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	r := d.decide(d.olga, d.record(Access, time.Time{}), Refused, "identity_not_proven", "")
	if got := d.own(d.mara(false), "", func(tx *db.Tx) (Own, error) { return Contest(t.Context(), tx, r.ID) }); got.State != Received {
		t.Errorf("contested: %+v", got)
	}
}

func TestTwoPeopleAndSomeDays(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.rules(d.olga, RulesInput{TwoPeople: true, WaitDays: 29}, errs.ValidationFailed)
	d.rules(d.mara(false), RulesInput{TwoPeople: true, WaitDays: 7}, errs.Forbidden)
	d.rules(d.olga, RulesInput{TwoPeople: true, WaitDays: 7}, "")
	d.rules(d.olga, RulesInput{TwoPeople: true, WaitDays: 8}, "")
	d.rules(d.olga, RulesInput{TwoPeople: true, WaitDays: 7}, errs.StepUpRequired)
	d.rules(d.olga, RulesInput{TwoPeople: false, WaitDays: 8}, errs.StepUpRequired)

	r := d.verify(d.record(Erasure, time.Time{}))
	d.decide(d.olga, r, Granted, "", errs.FourEyesRequired)
	d.decide(d.olga, d.verify(d.record(Access, time.Time{})), Granted, "", "")
	granted := d.decide(d.oswald, r, Granted, "", "")
	if granted.NotBefore == nil || granted.NotBefore.Sub(*granted.DecidedAt) != 8*24*time.Hour {
		t.Errorf("granted: %+v", granted)
	}
	d.carryOut(r, errs.RequestWaiting)
	sample.Write(t, d.store, d.operator, func(tx *db.Tx) error { // the days go by
		_, err := tx.Exec(t.Context(), "update compliance_requests set not_before = now() - interval '1 second' where tenant_id = $1 and id = $2", tx.Tenant(), r.ID)
		return err
	})
	d.carryOut(r, "")

	other := d.verify(d.record(Erasure, time.Time{}))
	d.decide(d.oswald, other, Granted, "", "")
	d.own(d.mara(false), "", func(tx *db.Tx) (Own, error) { return WithdrawOwn(t.Context(), tx, other.ID) })
	d.carryOut(other, errs.WrongRequestState)
}
