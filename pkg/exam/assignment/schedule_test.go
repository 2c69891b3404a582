package assignment_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/assignment"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func (d *desk) daily(kind string, refs ...string) assignment.ScheduleInput {
	return assignment.ScheduleInput{EvaluationID: d.evaluation, TargetType: kind, TargetRefs: refs,
		Timing: assignment.Timing{Rule: "FREQ=DAILY", TimeZone: "Europe/Berlin", StartsAt: time.Now().Add(time.Hour), RunLabel: "run {date} {time}"}}
}

func (d *desk) schedule(refs []string, changes ...func(*assignment.ScheduleInput)) assignment.Schedule {
	d.Helper()
	in := d.daily("user_id", refs...)
	for _, c := range changes {
		c(&in)
	}
	return must(d, func(tx *db.Tx) (assignment.Schedule, error) { return assignment.CreateSchedule(d.Context(), tx, in) })
}

// backdate lets a schedule look as if the service had stood still since then.
func (d *desk) backdate(id ids.ID, since time.Duration) {
	d.Helper()
	d.exec("update assignment_schedules set starts_at = later_by(starts_at, $3), next_at = later_by(next_at, $3) where tenant_id = $1 and id = $2", id, -since.Seconds())
}

func (d *desk) run(id ids.ID) (int, error) {
	return do(d, db.System(d.operator.Tenant, "schedule"), func(tx *db.Tx) (int, error) { return assignment.RunSchedule(d.Context(), tx, id) })
}

func (d *desk) read(id ids.ID) assignment.Schedule {
	d.Helper()
	return must(d, func(tx *db.Tx) (assignment.Schedule, error) { return assignment.GetSchedule(d.Context(), tx, id) })
}

func TestEachRunHappensOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	a, b := d.candidate(), d.candidate()
	s := d.schedule([]string{a.Actor.ID.String(), b.Actor.ID.String()}, func(in *assignment.ScheduleInput) { in.WindowSeconds = ptr(30 * 24 * 3600) })
	if n, err := d.run(s.ID); n != 0 || err != nil {
		t.Errorf("before its time: %d runs, %v", n, err)
	}
	d.backdate(s.ID, 48*time.Hour)
	var runs [4]int
	together(4, func(i int) {
		var err error
		runs[i], err = d.run(s.ID)
		if err != nil {
			t.Error(err)
		}
	})
	if runs[0]+runs[1]+runs[2]+runs[3] != 2 {
		t.Errorf("four processes made %v runs, want 2 in all", runs)
	}
	if n := d.count("assignments where tenant_id = $1 and schedule_id = $2", s.ID); n != 4 {
		t.Errorf("got %d assignments, want 4", n)
	}
	got := d.read(s.ID)
	if len(got.Past) != 2 || got.Past[0].Created != 2 || got.Past[0].BatchID == got.Past[1].BatchID || got.NextAt == nil || !got.NextAt.After(time.Now()) {
		t.Errorf("got %+v", got)
	}
	ofRun := func(label string) db.List[assignment.Assignment] {
		return must(d, func(tx *db.Tx) (db.List[assignment.Assignment], error) {
			return assignment.List(t.Context(), tx, assignment.Filter{RunLabel: &label})
		})
	}
	plain := d.create("user_id", d.candidate().Actor.ID.String())
	if without := ofRun(""); without.Total != 1 || without.Items[0].ID != plain.ID {
		t.Errorf("assignments without a run: %+v", without.Items)
	}
	list := ofRun(got.Past[0].RunLabel)
	if list.Total != 2 || !list.Items[0].ValidFrom.Equal(got.Past[0].At) || list.Items[0].ValidUntil.Sub(*list.Items[0].ValidFrom) != 30*24*time.Hour {
		t.Errorf("assignments of a run: %+v", list.Items)
	}
}

func TestCatchingUpIsBounded(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	who := d.candidate().Actor.ID.String()
	open := d.schedule([]string{who})
	d.backdate(open.ID, 100*24*time.Hour)
	if n, err := d.run(open.ID); n != 10 || err != nil {
		t.Errorf("got %d runs, %v; want the newest 10", n, err)
	}
	brief := d.schedule([]string{d.candidate().Actor.ID.String()}, func(in *assignment.ScheduleInput) { in.WindowSeconds = ptr(3600) })
	d.backdate(brief.ID, 72*time.Hour)
	if n, err := d.run(brief.ID); n != 3 || err != nil {
		t.Errorf("got %d runs, %v", n, err)
	}
	for _, run := range d.read(brief.ID).Past {
		if run.Problem != "missed" || run.Created != 0 {
			t.Errorf("a run whose window is over: %+v", run)
		}
	}
}

func TestARunThatCannotHandOutSaysWhy(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	who := d.candidate().Actor.ID
	s := d.schedule([]string{who.String()})
	step := func(want string) {
		t.Helper()
		d.backdate(s.ID, 23*time.Hour)
		n, err := d.run(s.ID)
		if past := d.read(s.ID).Past; err != nil || n != 1 || past[0].Problem != want && past[len(past)-1].Problem != want {
			t.Errorf("got %d runs, %v, %+v; want %q", n, err, past, want)
		}
	}
	d.exec("update evaluations set status = 'archived' where tenant_id = $1")
	step("archived")
	d.exec("update evaluations set status = 'published' where tenant_id = $1")
	sample.ChangeAccess(d, d.store, d.operator, "update users set status = 'deactivated' where tenant_id = $1 and id = $2", who)
	step("no_targets")
}

// Whatever the change, a run that was due before it happens, once, by the old schedule.
func TestAChangeKeepsTheRunThatIsDue(t *testing.T) {
	t.Parallel()
	for name, patch := range map[string]assignment.SchedulePatch{
		"invite": {Invite: ptr(true)}, "pause": {Status: ptr("paused")}, "rule": {Rule: ptr("FREQ=WEEKLY")},
		"label": {RunLabel: ptr("other {date} {time}")}, "zone": {TimeZone: ptr("UTC")}, "start": {StartsAt: ptr(time.Now().Add(time.Hour))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, authoring.Settings{})
			s := d.schedule([]string{d.candidate().Actor.ID.String()})
			d.backdate(s.ID, 2*time.Hour)
			manager := sample.As(d.operator, ids.New(), capability.AssignmentsManage)
			manager.OrgUnit, manager.All = d.operator.OrgUnit, false
			got, err := do(d, manager, func(tx *db.Tx) (assignment.Schedule, error) {
				return assignment.UpdateSchedule(t.Context(), tx, s.ID, patch)
			})
			wantCode(t, err, "")
			if len(got.Past) != 1 || got.Past[0].Created != 1 || !strings.HasPrefix(got.Past[0].RunLabel, "run ") || !got.Past[0].At.Before(time.Now()) {
				t.Errorf("past runs %+v, want the one that was due", got.Past)
			}
			if n, err := d.run(s.ID); n != 0 || err != nil {
				t.Errorf("got %d runs more, %v", n, err)
			}
			if isPaused := name == "pause"; (got.NextAt == nil) != isPaused || !isPaused && !got.NextAt.After(time.Now()) {
				t.Errorf("next at %v", got.NextAt)
			}
		})
	}
}

func TestPauseChangeAndDelete(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	s := d.schedule([]string{d.candidate().Actor.ID.String()})
	update := func(p assignment.SchedulePatch) (assignment.Schedule, error) {
		return do(d, d.operator, func(tx *db.Tx) (assignment.Schedule, error) {
			return assignment.UpdateSchedule(t.Context(), tx, s.ID, p)
		})
	}
	got, err := update(assignment.SchedulePatch{UpdatedAt: &s.UpdatedAt, Status: ptr("paused")})
	if err != nil || got.NextAt != nil || got.Status != "paused" {
		t.Fatalf("got %+v, %v", got, err)
	}
	_, err = update(assignment.SchedulePatch{UpdatedAt: &s.UpdatedAt, Status: ptr("active")})
	wantCode(t, err, errs.StaleUpdate)
	got, err = update(assignment.SchedulePatch{Status: ptr("active"), Rule: ptr("FREQ=WEEKLY;COUNT=3")})
	if err != nil || got.NextAt == nil || len(got.Coming) != 3 {
		t.Fatalf("got %+v, %v", got, err)
	}
	_, err = update(assignment.SchedulePatch{RunLabel: ptr("always the same"), Status: ptr("ended"), WindowSeconds: ptr(1)})
	var codes []string
	for _, f := range errs.Of(err).Fields {
		codes = append(codes, f.Path)
	}
	if diff := cmp.Diff([]string{"status", "run_label", "windowSeconds"}, codes); diff != "" {
		t.Error(diff)
	}
	d.backdate(s.ID, 24*time.Hour)
	_, err = d.run(s.ID)
	wantCode(t, err, "")
	err = d.store.Write(t.Context(), d.operator, func(tx *db.Tx) error { return assignment.DeleteSchedule(t.Context(), tx, s.ID) })
	wantCode(t, err, "")
	if n := d.count("assignments where tenant_id = $1 and schedule_id is null"); n != 1 {
		t.Errorf("%d assignments outlived their schedule, want 1", n)
	}
}
