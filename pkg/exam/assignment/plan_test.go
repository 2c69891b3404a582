package assignment_test

import (
	"errors"
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/exam/assignment"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Among twenty thousand assignments of a tenant, each with a session, a redemption, an
// invitation and an override, the monitor of one looks only at the people of this one, and somebody
// who redeems or starts one only at their own.
func TestTheMonitorReadsItsInviteesAlone(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App})
	d := newDeskIn(t, store, authoring.Settings{})
	var class []db.Scope
	for range 5 {
		class = append(class, d.candidate())
	}
	person, group, link := d.create("user_id", class[0].Actor.ID.String()), d.create("group_id", d.group(class...).String()), d.create("public_link", "")
	if _, err := d.redeemToken(class[1], link.Token); err != nil {
		t.Fatal(err)
	}
	if _, err := d.redeem(class[2], group.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := d.start(class[2], group.ID); err != nil {
		t.Fatal(err)
	}
	d.multitude(urls, group.ID, class[2].Actor.ID)
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		d.watch(t, plans, person.ID, group.ID, link.ID)
		d.take(t, plans, class[2], "a list of one's own", func(tx *db.Tx) error {
			_, err := assignment.ListMine(t.Context(), tx, db.Page{})
			return err
		})
		for name, as := range map[string]db.Scope{"the file for Safe Exam Browser, of a group": class[3], "of a link": class[1]} {
			d.take(t, plans, as, name, func(tx *db.Tx) error {
				id := group.ID
				if as.Actor == class[1].Actor {
					id = link.ID
				}
				_, err := assignment.SEBSettings(t.Context(), tx, id, "https://app.example.org/")
				if errs.Of(err).Code == errs.Conflict { // it was found, and needs no such browser
					return nil
				}
				return err
			})
		}
		d.take(t, plans, class[3], "a redemption by id", func(tx *db.Tx) error {
			_, err := assignment.Redeem(t.Context(), tx, group.ID)
			return err
		})
		d.take(t, plans, class[4], "a redemption by token", func(tx *db.Tx) error {
			_, err := assignment.RedeemToken(t.Context(), tx, link.Token)
			return err
		})
		d.take(t, plans, d.operator, "a page of an export", func(tx *db.Tx) error {
			page, err := assignment.ExportPage(t.Context(), tx, d.operator.OrgUnit, ids.None, 10)
			if len(page) != 10 {
				t.Errorf("a page has %d assignments, want 10", len(page))
			}
			return err
		})
		d.take(t, plans, class[0], "a start", func(tx *db.Tx) error {
			_, err := d.sessions.Start(t.Context(), tx, session.StartInput{EvaluationID: d.evaluation, AssignmentID: &person.ID})
			return err
		})
	}, urls)
}

// take does what a candidate does, and undoes it for the next plans.
func (d *desk) take(t *testing.T, plans dbtest.Plans, as db.Scope, what string, work func(tx *db.Tx) error) {
	t.Helper()
	undo := errors.New("undo")
	err := d.store.Write(t.Context(), as, func(tx *db.Tx) error {
		plans.Force(t, tx)
		dbtest.ByIndex(t, tx, what, 20, func() error { return work(tx) }, crowded...)
		return undo
	})
	if !errors.Is(err, undo) {
		t.Errorf("%s: %v", what, err)
	}
}

// crowded are the tables that multitude fills.
var crowded = []string{"assignments", "sessions", "assignment_redemptions", "assignment_overrides", "assignment_invitations", "group_members", "users"}

// watch looks at assignments in every way, and invites the group's members.
func (d *desk) watch(t *testing.T, plans dbtest.Plans, person, group, link ids.ID) {
	t.Helper()
	err := d.store.Write(t.Context(), d.operator, func(tx *db.Tx) error {
		plans.Force(t, tx)
		dbtest.ByIndex(t, tx, "an invitation", 60, func() error {
			done, err := assignment.Invite(t.Context(), tx, group, assignment.InviteInput{Resend: true})
			if done.Invitees != 5 {
				t.Errorf("%d invitees, want 5", done.Invitees)
			}
			return err
		}, crowded...)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	for name, c := range map[string]struct {
		in   assignment.MonitorInput
		want int
	}{
		"of a person": {assignment.MonitorInput{ID: person}, 1}, "of a group": {assignment.MonitorInput{ID: group}, 5},
		"of a public link": {assignment.MonitorInput{ID: link}, 1},
		"in a state":       {assignment.MonitorInput{ID: group, State: "in_progress"}, 1},
		"of a batch":       {assignment.MonitorInput{ID: group, Batch: true}, 5},
	} {
		err := d.store.Read(t.Context(), d.operator, func(tx *db.Tx) error {
			plans.Force(t, tx)
			dbtest.ByIndex(t, tx, "the monitor "+name, 60, func() error {
				m, err := assignment.Watch(t.Context(), tx, c.in)
				if len(m.Items) != c.want || m.Total != c.want {
					t.Errorf("%s: %d of %d invitees, want %d", name, len(m.Items), m.Total, c.want)
				}
				return err
			}, crowded...)
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// multitude copies an assignment of a group, the session in it and the people that are there,
// twenty thousand times.
func (d *desk) multitude(urls dbtest.URLs, of, user ids.ID) {
	d.Helper()
	super := dbtest.Heap(d.T, urls)
	for _, insert := range []string{
		`create temp table many as select gen_random_uuid() as id, gen_random_uuid() as person, gen_random_uuid() as team from generate_series(1, 20000)`,
		`insert into users select copy.* from many m, users u, jsonb_populate_record(u, jsonb_build_object('id', m.person, 'email_key', m.person, 'email', m.person)) copy
			where u.id = '` + user.String() + `'`,
		`insert into assignments select copy.* from many m, assignments a, jsonb_populate_record(a, jsonb_build_object('id', m.id, 'target_ref', m.team, 'batch_id', m.team)) copy
			where a.id = '` + of.String() + `'`,
		`insert into group_members select copy.* from many m, (select * from group_members limit 1) g,
			jsonb_populate_record(null::group_members, to_jsonb(g) || jsonb_build_object('group_id', m.team, 'user_id', m.person)) copy`,
		`insert into sessions select copy.* from many m, sessions s, jsonb_populate_record(s, jsonb_build_object('id', m.id, 'assignment_id', m.id, 'user_id', m.person)) copy
			where s.assignment_id = '` + of.String() + `'`,
		`insert into assignment_redemptions select copy.* from many m, (select * from assignment_redemptions limit 1) r,
			jsonb_populate_record(null::assignment_redemptions, to_jsonb(r) || jsonb_build_object('assignment_id', m.id, 'user_id', m.person)) copy`,
		`insert into assignment_overrides (tenant_id, assignment_id, user_id, org_unit_id, extra_time_seconds, extra_attempts, reason, created_by, created_at, updated_at)
			select a.tenant_id, a.id, m.person, a.org_unit_id, 60, 0, '', a.created_by, a.created_at, a.created_at from many m join assignments a on a.id = m.id`,
		`insert into assignment_invitations (tenant_id, assignment_id, user_id, org_unit_id, status, sending, queued_at)
			select a.tenant_id, a.id, m.person, a.org_unit_id, 'queued', 1, a.created_at from many m join assignments a on a.id = m.id`,
	} {
		if _, err := super.Exec(d.Context(), insert); err != nil {
			d.Fatalf("%s: %v", insert, err)
		}
	}
}
