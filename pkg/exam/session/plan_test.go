package session_test

import (
	"testing"
	"time"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// crowd is a room where thirty thousand people have taken exams before.
type crowd struct {
	*room
	urls             dbtest.URLs
	proctor, system  db.Scope
	assignment, user ids.ID
}

func newCrowd(t *testing.T) *crowd {
	t.Helper()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App})
	c := &crowd{urls: urls, room: newRoomIn(t, store, authoring.Settings{TimeLimitSeconds: ptr(600)}, sample.Choice("A")), assignment: ids.New(), user: ids.New()}
	c.proctor, c.system = c.person(capability.SessionsProctor), db.System(c.operator.Tenant, "test")
	super := dbtest.Heap(t, urls)
	// One in three hundred is closed, and so on; a thousand are open, half of them without a
	// deadline, and ten of each have nobody waiting for them.
	_, err := super.Exec(t.Context(), `
		insert into sessions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_by, state, assignment_id,
			run_label, started_at, deadline_at, last_activity_at, seed)
		select $1, gen_random_uuid(), $2, case when n % 4 > 0 then $3 else gen_random_uuid() end, case when n % 4 > 0 then $4 else gen_random_uuid() end,
			case when n % 1009 = 0 then $5 else gen_random_uuid() end, 'user:x',
			case when n % 40 = 1 then 'open' when n % 307 = 0 then 'closed' when n % 311 = 0 then 'abandoned' when n % 313 = 0 then 'expired' else 'submitted' end,
			case when n % 997 = 0 then $6::uuid end, case when n % 701 = 0 then 'spring' when n % 2 = 0 then 'autumn' end, now(),
			case when n % 80 = 1 then now() + case when n % 4000 = 1 then -1 else 1 end * interval '1 hour' end,
			now(), 1
		from generate_series(1, 40000) n`, c.operator.Tenant, c.operator.OrgUnit, c.snapshot.EvaluationID, c.snapshot.EvaluationVersionID, c.user, c.assignment)
	if err != nil {
		t.Fatal(err)
	}
	_, err = super.Exec(t.Context(), `update sessions set started_at = now() - interval '1 day', last_activity_at = now() - interval '1 day'
		where id in (select id from sessions where state = 'open' and deadline_at is null limit 10)`)
	if err != nil {
		t.Fatal(err)
	}
	_, err = super.Exec(t.Context(), "vacuum analyze")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// reads fails when the work looks at more than most sessions.
func (c *crowd) reads(what string, as db.Scope, most int64, do func(*db.Tx) error) {
	c.t.Helper()
	err := c.store.Write(c.t.Context(), as, func(tx *db.Tx) error {
		dbtest.ByIndex(c.t, tx, what, most, func() error { return do(tx) }, "sessions")
		return nil
	})
	if err != nil {
		c.t.Fatalf("%s: %v", what, err)
	}
}

// Every filter of the list is answered by an index: it reads only the sessions of the page, and
// of the person or the assignment.
func TestListsOfSessionsReadTheirPageAlone(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	mine := c.candidate
	mine.Actor.ID = c.user
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) { c.lists(t, plans, mine) }, c.urls)
}

func (c *crowd) lists(t *testing.T, plans dbtest.Plans, mine db.Scope) {
	for _, tt := range []struct {
		name string
		as   db.Scope
		f    session.Filter
	}{
		{"all", c.proctor, session.Filter{}},
		{"open", c.proctor, session.Filter{State: "open"}},
		{"submitted", c.proctor, session.Filter{State: "submitted"}},
		{"expired", c.proctor, session.Filter{State: "expired"}},
		{"closed", c.proctor, session.Filter{State: "closed"}},
		{"abandoned", c.proctor, session.Filter{State: "abandoned"}},
		{"of a run", c.proctor, session.Filter{RunLabel: ptr("spring")}},
		{"without a run", c.proctor, session.Filter{RunLabel: ptr("")}},
		{"closed in a run", c.proctor, session.Filter{RunLabel: ptr("autumn"), State: "closed"}},
		{"of a person", c.proctor, session.Filter{UserID: &c.user}},
		{"of an assignment", c.proctor, session.Filter{AssignmentID: &c.assignment}},
		{"one's own", mine, session.Filter{}},
	} {
		most := int64(500)
		if tt.f.State == "open" {
			most = 2500 // without statistics the thousand open ones are looked at, twice
		}
		c.reads(tt.name, tt.as, most, func(tx *db.Tx) error {
			plans.Force(t, tx)
			got, err := session.List(t.Context(), tx, c.snapshot.EvaluationID, tt.f)
			if err == nil && (got.Total < 20 || len(got.Items) != min(got.Total, 25)) {
				t.Errorf("%s: %d rows of %d", tt.name, len(got.Items), got.Total)
			}
			return err
		})
	}
}

// The jobs find expired and idle sessions without a look at the others, and end each by its key.
func TestJobsReadWhatTheyEndAlone(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	found := func(query string, args ...any) []ids.ID {
		var all []ids.ID
		c.reads(query, c.system, 20, func(tx *db.Tx) error {
			rows, err := tx.Query(t.Context(), query, args...)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var id ids.ID
				if err := rows.Scan(&id); err != nil {
					return err
				}
				all = append(all, id)
			}
			return rows.Err()
		})
		return all
	}
	if over := found("select session from overdue_sessions(now(), 500)"); len(over) != 10 {
		t.Errorf("%d sessions are over, want 10", len(over))
	}
	idle := found("select session from idle_sessions($1, 500)", time.Now().Add(-time.Hour))
	if len(idle) != 10 {
		t.Errorf("%d sessions are idle, want 10", len(idle))
	}
	c.reads("abandonment", c.system, 30, func(tx *db.Tx) error {
		n, err := session.Abandon(t.Context(), tx, idle, tx.Now().Add(-time.Hour))
		if n != 10 {
			t.Errorf("%d sessions abandoned, want 10", n)
		}
		return err
	})
	open := c.start(c.candidate)
	c.overrun(open.ID)
	c.reads("expiry", c.system, 10, func(tx *db.Tx) error {
		done, err := c.desk.Expire(t.Context(), tx, open.ID)
		if !done {
			t.Error("the session did not expire")
		}
		return err
	})
}

// Among forty thousand sessions, and half as many answers and submissions, everything that a
// candidate does looks at a few rows: their own.
func TestTakingReadsOnesOwnAttemptAlone(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	first := c.start(c.candidate)
	if _, err := c.save(c.candidate, first.ID, answer(c.item(0), 1, `{"optionIds":["A"]}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.submit(c.candidate, first.ID, nil); err != nil {
		t.Fatal(err)
	}
	super := dbtest.Heap(t, c.urls)
	for _, copied := range []string{
		`create temp table many as select gen_random_uuid() as id, gen_random_uuid() as person from generate_series(1, 20000)`,
		`insert into submissions select copy.* from many m, (select s as row from submissions s limit 1) s,
			jsonb_populate_record(s.row, jsonb_build_object('id', m.id, 'user_id', m.person)) copy`,
		`insert into submission_items select copy.* from many m, (select i as row from submission_items i limit 1) i,
			jsonb_populate_record(i.row, jsonb_build_object('submission_id', m.id)) copy`,
		`insert into session_answers select copy.* from many m, (select a as row from session_answers a limit 1) a,
			jsonb_populate_record(a.row, jsonb_build_object('session_id', m.id)) copy`,
		`insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at)
			select s.tenant_id, 'submission', m.id, now() from many m, (select tenant_id from submissions limit 1) s`,
	} {
		if _, err := super.Exec(t.Context(), copied); err != nil {
			t.Fatalf("%s: %v", copied, err)
		}
	}
	dbtest.EachPlan(t, c.take, c.urls)
}

// take leads somebody new through the exam and checks what each step reads.
func (c *crowd) take(t *testing.T, plans dbtest.Plans) {
	as := c.person(capability.SessionsTake)
	step := func(what string, do func(*db.Tx) error) {
		t.Helper()
		err := c.store.Write(t.Context(), as, func(tx *db.Tx) error {
			plans.Force(t, tx)
			dbtest.ByIndex(t, tx, what, 20, func() error { return do(tx) },
				"sessions", "session_answers", "submissions", "submission_items", "projection_outbox")
			return nil
		})
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	evaluation := c.snapshot.EvaluationID
	var open ids.ID
	step("start", func(tx *db.Tx) error {
		s, err := c.desk.Start(t.Context(), tx, session.StartInput{EvaluationID: evaluation})
		open = s.ID
		return err
	})
	step("save", func(tx *db.Tx) error {
		_, err := c.desk.Save(t.Context(), tx, session.SaveInput{EvaluationID: evaluation, SessionID: open,
			Answers: []session.Answer{answer(c.item(0), 1, `{"optionIds":["A"]}`)}})
		return err
	})
	step("resume", func(tx *db.Tx) error {
		_, err := c.desk.Get(t.Context(), tx, session.GetInput{EvaluationID: evaluation, SessionID: open})
		return err
	})
	step("submit", func(tx *db.Tx) error {
		_, err := c.desk.Submit(t.Context(), tx, session.SubmitInput{EvaluationID: evaluation, SessionID: open})
		return err
	})
}

// The figure for operators is counted among the thousand that are open.
func TestOpenSessionsAreCountedByIndex(t *testing.T) {
	t.Parallel()
	c := newCrowd(t)
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		c.reads("count of open sessions", c.system, 2000, func(tx *db.Tx) error {
			plans.Force(t, tx)
			n, err := session.CountOpen(t.Context(), tx)
			if n != 1000 {
				t.Errorf("got %d, want 1000", n)
			}
			return err
		})
	}, c.urls)
}
