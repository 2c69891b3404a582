package assignment_test

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/assignment"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func TestWhoMayRedeem(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	member, stranger := d.candidate(), d.candidate()
	personal := d.create("user_id", member.Actor.ID.String(), func(in *assignment.CreateInput) { in.WithToken = true })
	group := d.create("group_id", d.group(member).String())
	link := d.create("public_link", "")
	away := must(d, func(tx *db.Tx) (ids.ID, error) { return sample.OrgUnit(t, tx, "away").ID, nil })
	elsewhere := stranger
	elsewhere.OrgUnit = away
	foreigner := sample.As(sample.Tenant(t, d.store), ids.New(), capability.SessionsTake)
	for _, tt := range []struct {
		name   string
		redeem func() (assignment.Redemption, error)
		want   errs.Code
	}{
		{"another's", func() (assignment.Redemption, error) { return d.redeem(stranger, personal.ID) }, errs.NotFound},
		{"another's by token", func() (assignment.Redemption, error) { return d.redeemToken(stranger, personal.Token) }, errs.NotFound},
		{"one's own by token", func() (assignment.Redemption, error) { return d.redeemToken(member, personal.Token) }, ""},
		{"again", func() (assignment.Redemption, error) { return d.redeem(member, personal.ID) }, errs.AlreadyEnrolled},
		{"without membership", func() (assignment.Redemption, error) { return d.redeem(stranger, group.ID) }, errs.GroupMembershipRequired},
		{"with membership", func() (assignment.Redemption, error) { return d.redeem(member, group.ID) }, ""},
		{"link by its id", func() (assignment.Redemption, error) { return d.redeem(stranger, link.ID) }, errs.NotFound},
		{"link from another org unit", func() (assignment.Redemption, error) { return d.redeemToken(elsewhere, link.Token) }, errs.NotFound},
		{"link from another tenant", func() (assignment.Redemption, error) { return d.redeemToken(foreigner, link.Token) }, errs.NotFound},
		{"link", func() (assignment.Redemption, error) { return d.redeemToken(stranger, link.Token) }, ""},
		{"unknown token", func() (assignment.Redemption, error) { return d.redeemToken(stranger, "x") }, errs.NotFound},
		{"operator", func() (assignment.Redemption, error) { return d.redeem(d.operator, personal.ID) }, errs.Forbidden},
	} {
		_, err := tt.redeem()
		if code(err) != tt.want {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
	rotated := must(d, func(tx *db.Tx) (assignment.Rotated, error) { return assignment.RotateToken(t.Context(), tx, link.ID) })
	late := d.candidate()
	_, err := d.redeemToken(late, link.Token)
	wantCode(t, err, errs.NotFound)
	_, err = d.redeemToken(late, rotated.Token)
	wantCode(t, err, "")
	// Bytes show as hex in the text of a row.
	rows := func(what string) int {
		return d.count("assignments a where tenant_id = $1 and position($2 in a::text) > 0", what)
	}
	if rows(rotated.Token) != 0 || rows(fmt.Sprintf("%x", rotated.Token)) != 0 {
		t.Error("the token is stored as it is")
	}
	if rows(fmt.Sprintf("%x", sha256.Sum256([]byte(rotated.Token)))) != 1 {
		t.Error("the search does not even find the hash")
	}
}

// Candidates who redeem at once do not queue for the ledger.
func TestRedeemingDoesNotWaitForTheLedger(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	who := d.candidate()
	made := d.create("group_id", d.group(who).String())
	sample.Write(t, d.store, d.operator, func(tx *db.Tx) error {
		sample.HoldLedger(t, tx)
		_, err := d.redeem(who, made.ID)
		wantCode(t, err, "")
		return nil
	})
	if n := d.count("assignment_redemptions where tenant_id = $1 and assignment_id = $2 and user_id = $3", made.ID, who.Actor.ID); n != 1 {
		t.Errorf("%d redemptions, want 1", n)
	}
}

func TestTheWindowHoldsForRedemptionAndStart(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	who := d.candidate()
	made := d.create("user_id", who.Actor.ID.String())
	now := time.Now()
	for _, tt := range []struct {
		name  string
		patch assignment.Patch
		want  errs.Code
	}{
		{"not yet", assignment.Patch{ValidFrom: ptr(now.Add(time.Hour))}, errs.AssignmentNotOpen},
		{"over", assignment.Patch{ValidFrom: ptr(now.Add(-2 * time.Hour)), ValidUntil: ptr(now.Add(-time.Hour))}, errs.AssignmentNotOpen},
		{"closed", assignment.Patch{Status: ptr("closed"), Clear: []string{"validFrom", "validUntil"}}, errs.AssignmentNotOpen},
		{"open again", assignment.Patch{Status: ptr("active")}, ""},
	} {
		_, err := d.patch(made.ID, tt.patch)
		wantCode(t, err, "")
		_, err = d.redeem(who, made.ID)
		if code(err) != tt.want {
			t.Errorf("%s: redeem: got %v, want %q", tt.name, err, tt.want)
		}
		_, err = d.start(who, made.ID)
		if code(err) != tt.want {
			t.Errorf("%s: start: got %v, want %q", tt.name, err, tt.want)
		}
	}
}

func TestSessionAndSubmissionTakeOverTheAssignment(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	who := d.candidate()
	batch := ids.New()
	made := d.create("group_id", d.group(who).String(), labelled("spring"), func(in *assignment.CreateInput) { in.BatchID = &batch })
	_, err := d.redeem(who, made.ID)
	wantCode(t, err, "")
	s, err := d.start(who, made.ID)
	if err != nil || s.RunLabel == nil || *s.RunLabel != "spring" || s.AssignmentID == nil || *s.AssignmentID != made.ID {
		t.Fatalf("got %v, %v", s, err)
	}
	d.submit(who, s.ID)
	if n := d.count("submissions where tenant_id = $1 and id = $2 and assignment_id = $3 and batch_id = $4 and run_label = 'spring'", s.ID, made.ID, batch); n != 1 {
		t.Error("the submission does not hold assignment, batch and run label")
	}
	d.exec("delete from group_members where tenant_id = $1 and user_id = $2", who.Actor.ID)
	_, err = d.start(who, made.ID)
	wantCode(t, err, errs.GroupMembershipRequired)
	_, err = d.start(who, ids.New())
	wantCode(t, err, errs.NotFound)
}

// A member starts under the assignment of their group without redeeming it first, and a proctor
// starts for them: the start redeems it. A link that nobody redeemed lets in the people a proctor lets in.
func TestStartingRedeems(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	member, absent, guest, stranger := d.candidate(), d.candidate(), d.candidate(), d.candidate()
	proctor := sample.As(d.operator, d.candidate().Actor.ID, capability.SessionsProctor)
	group := d.create("group_id", d.group(member, absent).String(), labelled("spring"))
	link := d.create("public_link", "")
	startFor := func(who db.Scope, id ids.ID) error {
		s, err := do(d, proctor, func(tx *db.Tx) (session.Session, error) {
			return d.sessions.Start(t.Context(), tx, session.StartInput{EvaluationID: d.evaluation, UserID: &who.Actor.ID, AssignmentID: &id})
		})
		if err == nil && (s.UserID != who.Actor.ID || s.AssignmentID == nil || *s.AssignmentID != id) {
			t.Errorf("got a session of %s under %v", s.UserID, s.AssignmentID)
		}
		return err
	}
	for name, tt := range map[string]struct {
		err  error
		want errs.Code
	}{
		"member":                   {second(d.start(member, group.ID)), ""},
		"for a member":             {startFor(absent, group.ID), ""},
		"no member":                {second(d.start(stranger, group.ID)), errs.GroupMembershipRequired},
		"for no member":            {startFor(stranger, group.ID), errs.GroupMembershipRequired},
		"link without its token":   {second(d.start(guest, link.ID)), errs.AssignmentNotRedeemed},
		"for somebody by the link": {startFor(guest, link.ID), ""},
	} {
		if code(tt.err) != tt.want {
			t.Errorf("%s: got %v, want %q", name, tt.err, tt.want)
		}
	}
	for _, who := range []db.Scope{member, absent, guest} {
		if n := d.count("assignment_redemptions where tenant_id = $1 and user_id = $2", who.Actor.ID); n != 1 {
			t.Errorf("%d redemptions of somebody who started, want 1", n)
		}
	}
	_, err := d.redeem(member, group.ID)
	wantCode(t, err, errs.AlreadyEnrolled)
}

func second[V any](_ V, err error) error { return err }

func TestAttemptLimitAndCooloffOnRedeem(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{MaxAttemptsPerUser: ptr(2), CooloffSeconds: 3600})
	who := d.candidate()
	first := d.create("user_id", who.Actor.ID.String(), labelled("1"))
	second := d.create("user_id", who.Actor.ID.String(), labelled("2"))
	r, err := d.redeem(who, first.ID)
	if err != nil || r.AttemptsLeft == nil || *r.AttemptsLeft != 2 {
		t.Fatalf("got %+v, %v", r, err)
	}
	s, err := d.start(who, first.ID)
	wantCode(t, err, "")
	d.submit(who, s.ID)
	_, err = d.redeem(who, second.ID)
	wantCode(t, err, errs.CooloffActive)
	d.exec("update sessions set ended_at = later_by(ended_at, -7200) where tenant_id = $1")
	s, err = d.start(who, second.ID)
	wantCode(t, err, "")
	d.submit(who, s.ID)
	d.exec("update sessions set ended_at = later_by(ended_at, -7200) where tenant_id = $1")
	_, err = d.redeem(who, second.ID)
	wantCode(t, err, errs.AttemptLimitReached)
	_, err = d.override(second.ID, assignment.OverrideInput{UserID: who.Actor.ID, ExtraAttempts: ptr(1)})
	wantCode(t, err, "")
	_, err = d.redeem(who, second.ID)
	wantCode(t, err, "")
	s, err = d.start(who, second.ID)
	wantCode(t, err, "")
	d.submit(who, s.ID)
	d.exec("update sessions set ended_at = later_by(ended_at, -7200) where tenant_id = $1")
	_, err = d.start(who, second.ID)
	wantCode(t, err, errs.AttemptLimitReached)
}

// Each redemption keeps an attempt: of several at once for the last one, one succeeds.
func TestParallelRedemptionsOfTheLastAttempt(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{MaxAttemptsPerUser: ptr(1)})
	who := d.candidate()
	var made []assignment.Created
	for _, label := range []string{"1", "2", "3", "4", "5", "6"} {
		made = append(made, d.create("user_id", who.Actor.ID.String(), labelled(label)))
	}
	got := outcomes(6, func(i int) error { _, err := d.redeem(who, made[i].ID); return err })
	if diff := cmp.Diff(map[errs.Code]int{"": 1, errs.AttemptLimitReached: 5}, got); diff != "" {
		t.Error(diff)
	}
	again := d.candidate()
	one := d.create("user_id", again.Actor.ID.String())
	got = outcomes(6, func(int) error { _, err := d.redeem(again, one.ID); return err })
	if diff := cmp.Diff(map[errs.Code]int{"": 1, errs.AlreadyEnrolled: 5}, got); diff != "" {
		t.Error(diff)
	}
}

// The first to come wins. A redemption that meets a change of something it needs waits, and then
// goes by what it finds; a change that meets a redemption waits for that.
func TestRedemptionBesideLeavingTheGroup(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	leave := func(tx *db.Tx, who db.Scope) error {
		_, err := tx.Exec(t.Context(), "delete from group_members where tenant_id = $1 and user_id = $2", tx.Tenant(), who.Actor.ID)
		return err
	}
	late := d.candidate()
	made := d.create("group_id", d.group(late).String())
	var other <-chan error
	sample.Write(t, d.store, d.operator, func(tx *db.Tx) error {
		err := leave(tx, late)
		other = sample.Blocked(t, tx, func() error { _, err := d.redeem(late, made.ID); return err })
		return err
	})
	wantCode(t, <-other, errs.GroupMembershipRequired)

	early := d.candidate()
	made = d.create("group_id", d.group(early).String())
	sample.Write(t, d.store, early, func(tx *db.Tx) error {
		_, err := assignment.Redeem(t.Context(), tx, made.ID)
		other = sample.Blocked(t, tx, func() error {
			return d.store.Write(t.Context(), d.operator, func(tx *db.Tx) error { return leave(tx, early) })
		})
		return err
	})
	wantCode(t, <-other, "")
	_, err := d.start(early, made.ID)
	wantCode(t, err, errs.GroupMembershipRequired)
}

func TestClosingBesideRedeeming(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	shut := assignment.Patch{Status: ptr("closed")}
	late := d.candidate()
	made := d.create("user_id", late.Actor.ID.String())
	var other <-chan error
	sample.Write(t, d.store, d.operator, func(tx *db.Tx) error {
		_, err := assignment.Update(t.Context(), tx, made.ID, shut)
		other = sample.Blocked(t, tx, func() error { _, err := d.redeem(late, made.ID); return err })
		return err
	})
	wantCode(t, <-other, errs.AssignmentNotOpen)

	early := d.candidate()
	made = d.create("user_id", early.Actor.ID.String())
	sample.Write(t, d.store, early, func(tx *db.Tx) error {
		_, err := assignment.Redeem(t.Context(), tx, made.ID)
		other = sample.Blocked(t, tx, func() error { _, err := d.patch(made.ID, shut); return err })
		return err
	})
	wantCode(t, <-other, "")
	_, err := d.start(early, made.ID)
	wantCode(t, err, errs.AssignmentNotOpen)
}
