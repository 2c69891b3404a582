package assignment_test

import (
	"testing"
	"time"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/assignment"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// People who both hand out and take exams cannot give themselves more time, more attempts or
// another window, by any route; somebody else can.
func TestNobodyChangesTheTermsOfTheirOwnExam(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{TimeLimitSeconds: ptr(600), MaxAttemptsPerUser: ptr(1)})
	everything := []capability.Capability{capability.SessionsTake, capability.SessionsProctor, capability.AssignmentsCreate,
		capability.AssignmentsManage, capability.AssignmentsOverride, capability.UsersRead, capability.UsersManage}
	self := sample.As(d.operator, d.candidate().Actor.ID, everything...)
	other := sample.As(d.operator, d.candidate().Actor.ID, everything...)
	late := time.Now().Add(24 * time.Hour)
	group := d.group(self)
	named := d.create("user_id", self.Actor.ID.String(), labelled("named"), until(time.Now().Add(-time.Hour)))
	grouped := d.create("group_id", group.String(), labelled("grouped"))
	link := d.create("public_link", "", labelled("link"))
	if _, err := d.redeemToken(self, link.Token); err != nil {
		t.Fatal(err)
	}
	for _, id := range []ids.ID{grouped.ID, link.ID} {
		if _, err := d.patch(id, assignment.Patch{Status: ptr("closed")}); err != nil {
			t.Fatal(err)
		}
	}
	override := func(in assignment.OverrideInput) func(*db.Tx) error {
		in.UserID, in.Reason = self.Actor.ID, "because"
		return func(tx *db.Tx) error {
			_, err := assignment.SetOverride(t.Context(), tx, named.ID, in)
			return err
		}
	}
	patch := func(id ids.ID, p assignment.Patch) func(*db.Tx) error {
		return func(tx *db.Tx) error {
			_, err := assignment.Update(t.Context(), tx, id, p)
			return err
		}
	}
	handOut := func(kind, ref string) func(*db.Tx) error {
		return func(tx *db.Tx) error {
			_, err := assignment.Create(t.Context(), tx, assignment.CreateInput{Terms: assignment.Terms{EvaluationID: d.evaluation, RunLabel: "more"},
				Targets: []assignment.Target{{Type: kind, Ref: ref}}})
			return err
		}
	}
	schedule := func(tx *db.Tx) error {
		in := d.daily("group_id", group.String())
		_, err := assignment.CreateSchedule(t.Context(), tx, in)
		return err
	}
	handedOut := must(d, func(tx *db.Tx) (assignment.Schedule, error) {
		return assignment.CreateSchedule(t.Context(), tx, d.daily("group_id", group.String()))
	})
	paused := must(d, func(tx *db.Tx) (assignment.Schedule, error) {
		mine, err := assignment.CreateSchedule(t.Context(), tx, d.daily("user_id", self.Actor.ID.String()))
		if err != nil {
			return mine, err
		}
		return assignment.UpdateSchedule(t.Context(), tx, mine.ID, assignment.SchedulePatch{Status: ptr("paused")})
	})
	reschedule := func(id ids.ID, p assignment.SchedulePatch) func(*db.Tx) error {
		return func(tx *db.Tx) error {
			_, err := assignment.UpdateSchedule(t.Context(), tx, id, p)
			return err
		}
	}
	for name, act := range map[string]func(*db.Tx) error{
		"scheduled otherwise":  reschedule(handedOut.ID, assignment.SchedulePatch{Rule: ptr("FREQ=WEEKLY")}),
		"scheduled for longer": reschedule(handedOut.ID, assignment.SchedulePatch{WindowSeconds: ptr(7200)}),
		"scheduled earlier":    reschedule(handedOut.ID, assignment.SchedulePatch{StartsAt: &late}),
		"scheduled again":      reschedule(paused.ID, assignment.SchedulePatch{Status: ptr("active")}),
		"more time":            override(assignment.OverrideInput{ExtraTimeSeconds: ptr(600)}),
		"more attempts":        override(assignment.OverrideInput{ExtraAttempts: ptr(1)}),
		"another window":       override(assignment.OverrideInput{ValidUntil: &late}),
		"window of their own":  patch(named.ID, assignment.Patch{ValidUntil: &late}),
		"no window":            patch(named.ID, assignment.Patch{Clear: []string{"validUntil"}}),
		"group opened again":   patch(grouped.ID, assignment.Patch{Status: ptr("active")}),
		"link opened again":    patch(link.ID, assignment.Patch{Status: ptr("active")}),
		"handed out again":     handOut("user_id", self.Actor.ID.String()),
		"handed out to groups": handOut("group_id", group.String()),
		"scheduled":            schedule,
	} {
		wantCode(t, d.store.DryRun(t.Context(), self, act), errs.FourEyesRequired)
		if err := d.store.DryRun(t.Context(), other, act); err != nil {
			t.Errorf("%s by somebody else: %v", name, err)
		}
		if err := d.store.DryRun(t.Context(), d.operator, act); err != nil {
			t.Errorf("%s by an operator: %v", name, err)
		}
	}
	wantCode(t, d.store.DryRun(t.Context(), self, patch(named.ID, assignment.Patch{Status: ptr("closed")})), "")
	wantCode(t, d.store.DryRun(t.Context(), self, reschedule(handedOut.ID, assignment.SchedulePatch{Status: ptr("paused"), Invite: ptr(true)})), "")
	wantCode(t, d.store.DryRun(t.Context(), self, handOut("user_id", other.Actor.ID.String())), "")
}

// Nor do they by a file.
func TestNobodyImportsAnotherWindowForThemselves(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	self := sample.As(d.operator, d.candidate().Actor.ID, capability.AssignmentsCreate, capability.AssignmentsManage)
	d.create("user_id", self.Actor.ID.String(), labelled("once"))
	var external string
	d.exec("update evaluations set external_id = 'E' where tenant_id = $1 and id = $2", d.evaluation)
	must(d, func(tx *db.Tx) (any, error) {
		return nil, tx.QueryRow(t.Context(), "select email from users where tenant_id = $1 and id = $2", tx.Tenant(), self.Actor.ID).Scan(&external)
	})
	late := time.Now().Add(24 * time.Hour)
	for name, tt := range map[string]struct {
		label string
		until *time.Time
		want  string
	}{"as it is": {"once", nil, ""}, "another window": {"once", &late, "four_eyes_required"}, "again": {"twice", nil, "four_eyes_required"}} {
		rows := []assignment.ImportRow{{Evaluation: "E", Target: assignment.Target{Type: models.TargetEmail, Ref: external}, RunLabel: tt.label, ValidUntil: tt.until}}
		if name != "again" {
			rows[0].Type = models.TargetUser
		}
		checks, err := do(d, self, func(tx *db.Tx) ([]assignment.ImportCheck, error) {
			return assignment.CheckImport(t.Context(), tx, rows, map[assignment.Slot]bool{})
		})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, p := range checks[0].Problems {
			got += p.Code
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}
