package assignment_test

import (
	"testing"
	"time"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/exam/assignment"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func (d *desk) mine(as db.Scope) map[ids.ID]assignment.Mine {
	d.Helper()
	list, err := do(d, as, func(tx *db.Tx) (db.List[assignment.Mine], error) {
		return assignment.ListMine(d.Context(), tx, db.Page{})
	})
	if err != nil {
		d.Fatal(err)
	}
	found := map[ids.ID]assignment.Mine{}
	for _, m := range list.Items {
		found[m.AssignmentID] = m
	}
	if len(found) != list.Total {
		d.Errorf("%d rows of %d", len(found), list.Total)
	}
	return found
}

// The state of each of one's assignments matches the answer of a start.
func TestOwnAssignmentsSayWhatAStartWouldAnswer(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{TimeLimitSeconds: ptr(600), MaxAttemptsPerUser: ptr(3), CooloffSeconds: 60})
	ada, grace := d.candidate(), d.candidate()
	from := func(at time.Time) change { return func(in *assignment.CreateInput) { in.ValidFrom = &at } }
	to := func(label string, changes ...change) ids.ID {
		return d.create("user_id", ada.Actor.ID.String(), append(changes, labelled(label))...).ID
	}
	hour := time.Hour
	first := to("open")
	group := d.create("group_id", d.group(ada).String(), labelled("group")).ID
	link := d.create("public_link", "", labelled("link"))
	unknown := d.create("public_link", "", labelled("another link")).ID
	hers := d.create("user_id", grace.Actor.ID.String(), labelled("hers")).ID
	if _, err := d.redeemToken(ada, link.Token); err != nil {
		t.Fatal(err)
	}
	want := map[ids.ID]string{
		first: "open", group: "open", link.ID: "open",
		to("upcoming", from(time.Now().Add(hour))): "upcoming",
		to("ended", until(time.Now().Add(-hour))):  "ended",
	}
	closed := to("closed")
	want[closed] = "closed"
	if _, err := d.patch(closed, assignment.Patch{Status: ptr("closed")}); err != nil {
		t.Fatal(err)
	}
	longer := to("longer", until(time.Now().Add(-hour)))
	want[longer] = "open"
	if _, err := d.override(longer, assignment.OverrideInput{UserID: ada.Actor.ID, ValidUntil: ptr(time.Now().Add(hour)), ExtraTimeSeconds: ptr(60), ExtraAttempts: ptr(1)}); err != nil {
		t.Fatal(err)
	}
	d.hold(ada, want)
	behind, err := do(d, ada, func(tx *db.Tx) (db.List[assignment.Mine], error) {
		return assignment.ListMine(t.Context(), tx, db.Page{Page: 9})
	})
	if err != nil || len(behind.Items) != 0 || behind.Total != len(want) {
		t.Errorf("behind the end: %+v, %v", behind, err)
	}
	if got := d.mine(ada)[longer]; *got.TimeLimitSeconds != 660 || *got.AttemptsLeft != 4 || got.Title == "" {
		t.Errorf("with an override: %+v", got)
	}
	if found := d.mine(ada); found[hers].State != "" || found[unknown].State != "" {
		t.Error("she sees an assignment of somebody else, or a link that she does not hold")
	}

	open, err := d.start(ada, first)
	if err != nil {
		t.Fatal(err)
	}
	if got := d.mine(ada)[first]; got.State != "in_progress" || got.OpenSessionID == nil || *got.OpenSessionID != open.ID || got.AttemptsMade != 1 {
		t.Errorf("with an open session: %+v", got)
	}
	d.submit(ada, open.ID)
	for id, state := range want {
		if state == "open" {
			want[id] = "waiting"
		}
	}
	d.hold(ada, want)
	if got := d.mine(ada)[first]; got.AvailableAt == nil || time.Until(*got.AvailableAt) <= 0 {
		t.Errorf("while the cool-off runs: %+v", got)
	}
	for range 2 {
		d.exec("update sessions set ended_at = later_by(ended_at, -3600), started_at = later_by(started_at, -3600) where tenant_id = $1")
		again, err := d.start(ada, first)
		if err != nil {
			t.Fatal(err)
		}
		d.submit(ada, again.ID)
	}
	d.exec("update sessions set ended_at = later_by(ended_at, -3600), started_at = later_by(started_at, -3600) where tenant_id = $1")
	for id, state := range want {
		if state == "waiting" {
			want[id] = "used_up"
		}
	}
	want[longer] = "open"
	d.hold(ada, want)
	d.exec("update evaluations set status = $2 where tenant_id = $1", models.AuthoringArchived)
	if got := d.mine(ada)[longer].State; got != "unavailable" {
		t.Errorf("archived: %q", got)
	}
}

// hold compares states, and tries a start of each.
func (d *desk) hold(as db.Scope, want map[ids.ID]string) {
	d.Helper()
	codes := map[string]errs.Code{"open": "", "upcoming": errs.AssignmentNotOpen, "ended": errs.AssignmentNotOpen, "closed": errs.AssignmentNotOpen,
		"waiting": errs.CooloffActive, "used_up": errs.AttemptLimitReached}
	found := d.mine(as)
	if len(found) != len(want) {
		d.Errorf("%d assignments, want %d", len(found), len(want))
	}
	for id, state := range want {
		if got := found[id].State; got != state {
			d.Errorf("assignment %s is %q, want %q", *found[id].RunLabel, got, state)
		}
		err := d.store.DryRun(d.Context(), as, func(tx *db.Tx) error {
			_, err := d.sessions.Start(d.Context(), tx, session.StartInput{EvaluationID: d.evaluation, AssignmentID: &id})
			return err
		})
		wantCode(d.T, err, codes[state])
	}
}

func TestOwnAssignmentsNeedAPersonWhoTakesSessions(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	list := func(tx *db.Tx) (db.List[assignment.Mine], error) {
		return assignment.ListMine(t.Context(), tx, db.Page{})
	}
	_, err := do(d, d.operator, list)
	wantCode(t, err, errs.Forbidden)
	clerk := d.candidate()
	clerk.Capabilities = capability.NewSet(capability.UsersRead)
	_, err = do(d, clerk, list)
	wantCode(t, err, errs.Forbidden)
}
