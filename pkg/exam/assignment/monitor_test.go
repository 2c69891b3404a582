package assignment_test

import (
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

func (d *desk) monitor(id ids.ID, state string) assignment.Monitor {
	d.Helper()
	return must(d, func(tx *db.Tx) (assignment.Monitor, error) {
		return assignment.Watch(d.Context(), tx, assignment.MonitorInput{ID: id, State: state})
	})
}

func (d *desk) state(id, user ids.ID) string {
	d.Helper()
	for _, i := range d.monitor(id, "").Items {
		if i.UserID == user {
			return i.State
		}
	}
	return "nobody"
}

func TestStatesOfAnInvitee(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	who, other := d.candidate(), d.candidate()
	made := d.create("group_id", d.group(who, other).String())
	user := who.Actor.ID
	step := func(want string) {
		t.Helper()
		if got := d.state(made.ID, user); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	step("not_started")
	_, err := d.redeem(who, made.ID)
	wantCode(t, err, "")
	step("not_started")
	s, err := d.start(who, made.ID)
	wantCode(t, err, "")
	step("in_progress")
	d.submit(who, s.ID)
	step("completed")
	_, err = d.override(made.ID, assignment.OverrideInput{UserID: user, ExtraAttempts: ptr(1)})
	wantCode(t, err, "")
	step("overridden")
	again, err := d.start(who, made.ID)
	wantCode(t, err, "")
	step("in_progress")
	d.submit(who, again.ID)
	step("completed")
	_, err = d.patch(made.ID, assignment.Patch{ValidUntil: ptr(time.Now().Add(-time.Minute))})
	wantCode(t, err, "")
	step("completed")
	if got := d.state(made.ID, other.Actor.ID); got != "expired" {
		t.Errorf("who never started: got %s, want expired", got)
	}
	want := map[string]int{"not_started": 0, "in_progress": 0, "completed": 1, "expired": 1, "overridden": 0}
	m := d.monitor(made.ID, "expired")
	if diff := cmp.Diff(want, m.Counts); diff != "" || m.Total != 1 || len(m.Items) != 1 || m.Items[0].UserID != other.Actor.ID {
		t.Errorf("filtered: %+v (-want +got):\n%s", m.List, diff)
	}
	for id, want := range map[ids.ID]string{user: "completed", other.Actor.ID: "nobody"} {
		d.exec("delete from group_members where tenant_id = $1 and user_id = $2", id)
		if got := d.state(made.ID, id); got != want {
			t.Errorf("after leaving the group: got %s, want %s", got, want)
		}
	}
}

func TestPublicLinkShowsWhoRedeemed(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	made := d.create("public_link", "")
	if m := d.monitor(made.ID, ""); m.Total != 0 || m.Items == nil {
		t.Errorf("nobody yet: got %+v", m)
	}
	who := d.candidate()
	_, err := d.redeemToken(who, made.Token)
	wantCode(t, err, "")
	if got := d.state(made.ID, who.Actor.ID); got != "not_started" {
		t.Errorf("got %s", got)
	}
}

// 10,000 members: 3,000 of them are done and 2,000 are at work.
func TestMonitorOfAGroupOfTenThousand(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	group := d.group()
	made := d.create("group_id", group.String())
	sample.ChangeAccess(t, d.store, d.operator, `with people as (
			insert into users (tenant_id, id, email, email_key, status, created_at, updated_at)
			select $1, gen_random_uuid(), n || '@many.test', n || '@many.test', 'active', now(), now() from generate_series(1, 10000) n
			returning id, email
		), here as (
			insert into user_org_units (tenant_id, user_id, org_unit_id) select $1, id, $3 from people returning true
		), members as (
			insert into group_members (tenant_id, group_id, user_id, org_unit_id, added_at) select $1, $2, id, $3, now() from people returning true
		)
		insert into sessions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_by, state, assignment_id,
			started_at, last_activity_at, ended_at, seed)
		select $1, gen_random_uuid(), $3, $4, e.published_id, p.id, 'system:test', case when n <= 3000 then 'submitted' else 'open' end, $5,
			now(), now(), case when n <= 3000 then now() end, 0
		from people p cross join lateral (select split_part(p.email, '@', 1)::int) as s (n), evaluations e
		where e.tenant_id = $1 and e.id = $4 and n <= 5000 returning true`, group, d.operator.OrgUnit, d.evaluation, made.ID)
	begin := time.Now()
	m := d.monitor(made.ID, "")
	t.Logf("monitor: %v", time.Since(begin))
	want := map[string]int{"not_started": 5000, "in_progress": 2000, "completed": 3000, "expired": 0, "overridden": 0}
	if diff := cmp.Diff(want, m.Counts); diff != "" || m.Total != 10_000 || len(m.Items) != db.DefaultLimit {
		t.Errorf("total %d, items %d (-want +got):\n%s", m.Total, len(m.Items), diff)
	}
}

func TestOverrideOfTimeReachesTheRunningSession(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{TimeLimitSeconds: ptr(600)})
	who := d.candidate()
	made := d.create("user_id", who.Actor.ID.String())
	s, err := d.start(who, made.ID)
	wantCode(t, err, "")
	for _, tt := range []struct{ give, extended, lasts int }{{300, 1, 900}, {300, 0, 900}, {60, 0, 900}, {900, 1, 1500}} {
		o, err := d.override(made.ID, assignment.OverrideInput{UserID: who.Actor.ID, ExtraTimeSeconds: ptr(tt.give)})
		wantCode(t, err, "")
		seconds := must(d, func(tx *db.Tx) (float64, error) {
			var n float64
			err := tx.QueryRow(t.Context(), "select extract(epoch from deadline_at - started_at)::float8 from sessions where tenant_id = $1 and id = $2", tx.Tenant(), s.ID).Scan(&n)
			return n, err
		})
		if o.SessionsExtended != tt.extended || int(seconds) != tt.lasts {
			t.Errorf("after %d: %d sessions extended, %v s; want %d and %d", tt.give, o.SessionsExtended, seconds, tt.extended, tt.lasts)
		}
	}
	must(d, func(tx *db.Tx) (session.Summary, error) {
		return d.sessions.Extend(t.Context(), tx, session.ExtendInput{EvaluationID: d.evaluation, SessionID: s.ID, ExtraTimeSeconds: 600, Reason: "fire alarm"})
	})
	o, err := d.override(made.ID, assignment.OverrideInput{UserID: who.Actor.ID, ExtraTimeSeconds: ptr(1000)})
	if n := d.count("sessions where tenant_id = $1 and deadline_at - started_at = interval '2200 seconds' and extra_time_seconds = 1600"); err != nil || o.SessionsExtended != 1 || n != 1 {
		t.Errorf("600 s of a proctor swallowed an override: %+v, %v", o, err)
	}
	d.exec("update sessions set deadline_at = now() - interval '1 second' where tenant_id = $1")
	o, err = d.override(made.ID, assignment.OverrideInput{UserID: who.Actor.ID, ExtraTimeSeconds: ptr(3600)})
	if err != nil || o.SessionsExtended != 0 {
		t.Errorf("a session whose time is over got more: %+v, %v", o, err)
	}
	d.submit(who, s.ID)
	next, err := d.start(who, made.ID)
	if err != nil || next.DeadlineAt.Sub(next.StartedAt) != (600+3600)*time.Second {
		t.Errorf("the next session lasts %v, %v", next.DeadlineAt.Sub(next.StartedAt), err)
	}
}

func TestOverrideGivesAnotherWindow(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	who := d.candidate()
	made := d.create("user_id", who.Actor.ID.String(), until(time.Now().Add(-time.Hour)))
	_, err := d.redeem(who, made.ID)
	wantCode(t, err, errs.AssignmentNotOpen)
	if got := d.state(made.ID, who.Actor.ID); got != "expired" {
		t.Errorf("got %s, want expired", got)
	}
	_, err = d.override(made.ID, assignment.OverrideInput{UserID: who.Actor.ID, ValidUntil: ptr(time.Now().Add(time.Hour))})
	wantCode(t, err, "")
	if got := d.state(made.ID, who.Actor.ID); got != "overridden" {
		t.Errorf("got %s, want overridden", got)
	}
	_, err = d.redeem(who, made.ID)
	wantCode(t, err, "")
}

func TestOverrideKeepsWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{TimeLimitSeconds: ptr(600)})
	who := d.candidate()
	from, until := time.Now().Add(-time.Hour).UTC().Truncate(time.Millisecond), time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
	made := d.create("user_id", who.Actor.ID.String())
	type want struct {
		seconds, attempts int
		from, until       *time.Time
	}
	for _, step := range []struct {
		in   assignment.OverrideInput
		want want
	}{
		{assignment.OverrideInput{ExtraTimeSeconds: ptr(300), ExtraAttempts: ptr(2)}, want{300, 2, nil, nil}},
		{assignment.OverrideInput{ValidFrom: &from, ValidUntil: &until}, want{300, 2, &from, &until}},
		{assignment.OverrideInput{ExtraAttempts: ptr(0)}, want{300, 0, &from, &until}},
		{assignment.OverrideInput{Clear: []string{"validFrom"}}, want{300, 0, nil, &until}},
	} {
		step.in.UserID = who.Actor.ID
		o, err := d.override(made.ID, step.in)
		wantCode(t, err, "")
		got := want{o.ExtraTimeSeconds, o.ExtraAttempts, o.ValidFrom, o.ValidUntil}
		if diff := cmp.Diff(step.want, got, cmp.AllowUnexported(want{})); diff != "" {
			t.Errorf("after %+v (-want +got):\n%s", step.in, diff)
		}
	}
	_, err := d.override(made.ID, assignment.OverrideInput{UserID: who.Actor.ID, ValidFrom: ptr(until.Add(time.Minute))})
	wantCode(t, err, errs.ValidationFailed)
}

func TestOverrideRefuses(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	who := d.candidate()
	made := d.create("user_id", who.Actor.ID.String())
	_, err := d.override(made.ID, assignment.OverrideInput{UserID: ids.New()})
	wantCode(t, err, errs.NotFound)
	_, err = d.override(made.ID, assignment.OverrideInput{UserID: who.Actor.ID, ExtraTimeSeconds: ptr(-1), ExtraAttempts: ptr(101)})
	if len(errs.Of(err).Fields) != 2 {
		t.Errorf("got %v, want two problems", err)
	}
	as := sample.As(d.operator, ids.New(), capability.AssignmentsManage)
	_, err = do(d, as, func(tx *db.Tx) (assignment.Override, error) {
		return assignment.SetOverride(t.Context(), tx, made.ID, assignment.OverrideInput{UserID: who.Actor.ID, Reason: "x"})
	})
	wantCode(t, err, errs.Forbidden)
}
