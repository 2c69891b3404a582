package retention

import (
	"context"
	"testing"
	"time"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/people/hold"
	"assess/pkg/people/policy"
)

// office is a tenant with candidates whose submissions come under retention policies.
type office struct {
	*testing.T
	store    *db.Store
	operator db.Scope
	snapshot authoring.Snapshot
	// later is when everything that was made is over.
	later time.Time
}

func newOffice(t *testing.T, store *db.Store, action string) *office {
	t.Helper()
	o := &office{T: t, store: store, operator: sample.Tenant(t, store), later: time.Now().Add(100 * 24 * time.Hour)}
	essay := scoring.Key{QType: scoring.Essay, Weight: 1, ContributesToScore: true}
	o.write(func(tx *db.Tx) error {
		o.snapshot = sample.Published(t, tx, authoring.Settings{}, sample.Choice("A"), essay)
		return nil
	})
	o.policies(action, policy.Domains...)
	return o
}

func (o *office) write(fn func(*db.Tx) error) {
	o.Helper()
	sample.Write(o.T, o.store, o.operator, fn)
}

func (o *office) policies(action string, domains ...string) {
	o.Helper()
	in := policy.RetentionInput{Policies: []policy.Retention{}}
	for _, d := range domains {
		in.Policies = append(in.Policies, policy.Retention{Domain: d, Days: 30, Action: action})
	}
	o.write(func(tx *db.Tx) error {
		_, err := policy.SetRetention(o.Context(), tx, in)
		return err
	})
}

// submit makes a person and a submission of theirs.
func (o *office) submit() (person, submission ids.ID) {
	o.Helper()
	o.write(func(tx *db.Tx) error {
		person = sample.User(o.T, tx).ID
		return nil
	})
	sample.Write(o.T, o.store, sample.As(o.operator, person, capability.SessionsTake), func(tx *db.Tx) error {
		submission = sample.Submission(o.T, tx, session.NewDesk(), o.snapshot, `{"optionIds":["A"]}`, `{"text":"My name is Ada."}`).SubmissionID
		return nil
	})
	return person, submission
}

func (o *office) hold(person ids.ID) {
	o.Helper()
	o.write(func(tx *db.Tx) error {
		_, err := hold.Place(o.Context(), tx, hold.Input{SubjectID: person, Terms: hold.Terms{Kind: hold.Legal, ReasonCode: "litigation"}})
		return err
	})
}

func (o *office) count(sql string, args ...any) int {
	o.Helper()
	var n int
	o.write(func(tx *db.Tx) error {
		return tx.QueryRow(o.Context(), sql, append([]any{tx.Tenant()}, args...)...).Scan(&n)
	})
	return n
}

// sweep runs a sweep to its end, each piece in a transaction of its own, and records what it left.
func (o *office) sweep(size int, between func(s *Sweep)) Sweep {
	o.Helper()
	var s Sweep
	scope := db.System(o.operator.Tenant, "retention_sweep")
	sample.Write(o.T, o.store, scope, func(tx *db.Tx) error {
		var err error
		s, err = Begin(o.Context(), tx, o.later)
		return err
	})
	for done := false; !done; {
		sample.Write(o.T, o.store, scope, func(tx *db.Tx) error {
			var err error
			done, err = s.Step(o.Context(), tx, size)
			return err
		})
		if between != nil {
			between(&s)
		}
	}
	sample.Write(o.T, o.store, scope, func(tx *db.Tx) error { return s.record(o.Context(), tx, ids.New()) })
	return s
}

func (s Sweep) of(domain string) PolicySweep {
	for _, p := range s.Policies {
		if p.Domain == domain {
			return p
		}
	}
	return PolicySweep{}
}

const erasedTexts = `select count(*) from submission_items where tenant_id = $1 and response ->> 'text' = '[erased]'`

func TestRedactingTakesTextsAndLeavesScores(t *testing.T) {
	t.Parallel()
	o := newOffice(t, sample.Store(t), policy.Redact)
	for range 5 {
		o.submit()
	}
	held, _ := o.submit()
	o.hold(held)
	s := o.sweep(2, nil)
	got := s.of("submissions")
	if got.Counts["submission_items"] != 5 || got.Counts["submissions"] != 5 || got.Held != 1 || got.Problem != "" {
		t.Errorf("submissions: %+v", got)
	}
	if n := o.count(erasedTexts); n != 5 {
		t.Errorf("%d texts are erased, want 5", n)
	}
	if n := o.count("select count(*) from submission_items where tenant_id = $1 and response ->> 'text' like '%Ada%'"); n != 1 {
		t.Errorf("%d texts are left, want the held one", n)
	}
	if n := o.count("select count(*) from submission_items where tenant_id = $1 and response -> 'optionIds' ->> 0 = 'A' and score = 1"); n != 6 {
		t.Errorf("%d choices and their scores are left, want 6", n)
	}
	if n := o.count("select count(*) from session_answers where tenant_id = $1"); n != 2 {
		t.Errorf("%d saved answers are left, want those of the held person", n)
	}
	again := o.sweep(2, nil).of("submissions")
	if len(again.Counts) != 0 || again.Held != 1 {
		t.Errorf("a second sweep: %+v", again)
	}
	var list db.List[Incident]
	o.write(func(tx *db.Tx) error {
		var err error
		list, err = ListIncidents(t.Context(), tx, IncidentFilter{Domain: "submissions", Sort: "createdAt"})
		return err
	})
	if list.Total != 2 || list.Items[0].EventType != Blocked || list.Items[0].BlockedReason != string(errs.HoldActive) || list.Items[0].CandidateCount != 1 {
		t.Errorf("incidents: %+v", list)
	}
}

func TestDeletingTakesEverythingThatRefersToASubmission(t *testing.T) {
	t.Parallel()
	o := newOffice(t, sample.Store(t), policy.Delete)
	for range 5 {
		o.submit()
	}
	held, kept := o.submit()
	o.hold(held)
	got := o.sweep(2, nil).of("submissions")
	if got.Counts["submissions"] != 5 || got.Held != 1 || got.Problem != "" {
		t.Errorf("submissions: %+v", got)
	}
	for _, table := range []string{"submissions", "submission_items", "sessions", "session_answers"} {
		want := map[string]int{"submissions": 1, "submission_items": 2, "sessions": 1, "session_answers": 2}[table]
		if n := o.count("select count(*) from " + table + " where tenant_id = $1"); n != want {
			t.Errorf("%d rows in %s, want %d", n, table, want)
		}
	}
	if n := o.count("select count(*) from submissions where tenant_id = $1 and id = $2 and hold_flag", kept); n != 1 {
		t.Error("the held submission is gone")
	}
}

// A policy that goes on, and one that was taken back, apply to submissions submitted under them.
func TestSubmissionsGoByThePolicyThatTheyTook(t *testing.T) {
	t.Parallel()
	o := newOffice(t, sample.Store(t), policy.Redact)
	_, first := o.submit()
	o.policies(policy.Delete, "submissions")
	_, second := o.submit()
	o.policies(policy.Delete)
	_, third := o.submit()
	s := o.sweep(10, nil)
	if len(s.Policies) != 2 {
		t.Fatalf("policies: %+v", s.Policies)
	}
	left := func(id ids.ID) int {
		return o.count("select count(*) from submissions where tenant_id = $1 and id = $2", id)
	}
	if left(first) != 1 || left(second) != 0 || left(third) != 1 || o.count(erasedTexts) != 1 {
		t.Errorf("left are %d, %d, %d and %d erased texts; want 1, 0, 1 and 1", left(first), left(second), left(third), o.count(erasedTexts))
	}
}

// A hold that is placed while a sweep is on its way keeps everything that it has not come to.
func TestHoldBetweenSearchAndErasing(t *testing.T) {
	t.Parallel()
	o := newOffice(t, sample.Store(t), policy.Delete)
	o.submit()
	person, _ := o.submit()
	scope := db.System(o.operator.Tenant, "retention_sweep")

	// The sweep has looked, and waits for the hold.
	var s Sweep
	var over <-chan error
	o.write(func(tx *db.Tx) error {
		_, err := hold.Place(t.Context(), tx, hold.Input{SubjectID: person, Terms: hold.Terms{Kind: hold.Legal, ReasonCode: "audit"}})
		over = sample.Blocked(t, tx, func() error {
			return o.store.Write(context.WithoutCancel(t.Context()), scope, func(tx *db.Tx) error {
				var err error
				s, err = Begin(t.Context(), tx, o.later)
				if err == nil {
					_, err = s.Step(t.Context(), tx, 10)
				}
				return err
			})
		})
		return err
	})
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	got := s.of("submissions")
	if got.Held != 1 || got.Counts["submissions"] != 1 || o.count("select count(*) from submissions where tenant_id = $1") != 1 {
		t.Errorf("submissions: %+v", got)
	}
}

// A process that dies between two pieces leaves the rest for the next one; several at once share it.
func TestSweepsAtOnceAndAfterACrash(t *testing.T) {
	t.Parallel()
	o := newOffice(t, sample.Store(t), policy.Delete)
	const all = 24
	for range all {
		o.submit()
	}
	scope := db.System(o.operator.Tenant, "retention_sweep")
	var crashed Sweep
	o.write(func(tx *db.Tx) (err error) {
		crashed, err = Begin(t.Context(), tx, o.later)
		return err
	})
	sample.Write(t, o.store, scope, func(tx *db.Tx) error {
		_, err := crashed.Step(t.Context(), tx, 5)
		return err
	})
	if n := o.count("select count(*) from submissions where tenant_id = $1"); n != all-5 {
		t.Fatalf("%d submissions after a piece", n)
	}
	swept := make(chan int64, 3)
	for range 3 {
		go func() { swept <- o.sweep(4, nil).of("submissions").Counts["submissions"] }()
	}
	var n int64
	for range 3 {
		n += <-swept
	}
	if left := o.count("select count(*) from submissions where tenant_id = $1"); n != all-5 || left != 0 {
		t.Errorf("three sweeps deleted %d, and %d are left", n, left)
	}
}

// An error of one policy is an incident without its message, and the others are carried out.
func TestAPolicyThatFailsIsAnIncident(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	o := newOffice(t, dbtest.Open(t, db.Options{URL: urls.App}), policy.Delete)
	o.submit()
	_, err := dbtest.Heap(t, urls).Exec(t.Context(), "revoke delete on submissions from assess_app")
	if err != nil {
		t.Fatal(err)
	}
	s := o.sweep(10, nil)
	got := s.of("submissions")
	if got.Problem != string(errs.Internal) || len(got.Counts) != 0 || s.of("sessions").Problem != "" || s.of("sessions").Counts["session_answers"] != 2 {
		t.Errorf("sweep: %+v", s)
	}
	if n := o.count("select count(*) from retention_incidents where tenant_id = $1 and event_type = 'retention.failed' and blocked_reason = 'internal_error'"); n != 1 {
		t.Errorf("%d incidents", n)
	}
}
