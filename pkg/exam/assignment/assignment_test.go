package assignment_test

import (
	"sync"
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

// desk is a tenant with a published evaluation.
type desk struct {
	*testing.T
	store      *db.Store
	operator   db.Scope
	evaluation ids.ID
	sessions   *session.Desk
	// app is where candidates go, if there is such a place.
	app string
}

func newDesk(t *testing.T, settings authoring.Settings) *desk {
	t.Helper()
	return newDeskIn(t, sample.Store(t), settings)
}

func newDeskIn(t *testing.T, store *db.Store, settings authoring.Settings) *desk {
	t.Helper()
	d := &desk{T: t, store: store, sessions: session.NewDesk()}
	d.operator = sample.Tenant(t, d.store)
	sample.Write(t, d.store, d.operator, func(tx *db.Tx) error {
		d.evaluation = sample.Published(t, tx, settings, sample.Choice("A")).EvaluationID
		return nil
	})
	return d
}

// do runs one operation in a transaction of its own.
func do[O any](d *desk, as db.Scope, op func(tx *db.Tx) (O, error)) (O, error) {
	var out O
	err := d.store.Write(d.Context(), as, func(tx *db.Tx) error {
		var err error
		out, err = op(tx)
		return err
	})
	return out, err
}

func must[O any](d *desk, op func(tx *db.Tx) (O, error)) O {
	d.Helper()
	out, err := do(d, d.operator, op)
	if err != nil {
		d.Fatal(err)
	}
	return out
}

// candidate makes a member of the org unit who may take sessions.
func (d *desk) candidate() db.Scope {
	d.Helper()
	user := must(d, func(tx *db.Tx) (ids.ID, error) { return sample.User(d.T, tx).ID, nil })
	return sample.As(d.operator, user, capability.SessionsTake)
}

// group makes a group with these members.
func (d *desk) group(members ...db.Scope) ids.ID {
	d.Helper()
	return must(d, func(tx *db.Tx) (ids.ID, error) {
		group := ids.New()
		_, err := tx.Exec(d.Context(), "insert into groups (tenant_id, id, org_unit_id, name, created_at, updated_at) values ($1, $2, $3, $4, $5, $5)",
			tx.Tenant(), group, tx.Scope().OrgUnit, group.String(), tx.Now())
		for _, m := range members {
			if err == nil {
				_, err = tx.Exec(d.Context(), "insert into group_members (tenant_id, group_id, user_id, org_unit_id, added_at) values ($1, $2, $3, $4, $5)",
					tx.Tenant(), group, m.Actor.ID, tx.Scope().OrgUnit, tx.Now())
			}
		}
		return group, err
	})
}

func (d *desk) exec(sql string, args ...any) {
	d.Helper()
	must(d, func(tx *db.Tx) (int64, error) {
		return tx.Exec(d.Context(), sql, append([]any{tx.Tenant()}, args...)...)
	})
}

func (d *desk) count(sql string, args ...any) int {
	d.Helper()
	return must(d, func(tx *db.Tx) (int, error) {
		var n int
		err := tx.QueryRow(d.Context(), "select count(*) from "+sql, append([]any{tx.Tenant()}, args...)...).Scan(&n)
		return n, err
	})
}

// change edits a call before it is made.
type change func(*assignment.CreateInput)

func (d *desk) tryCreate(as db.Scope, kind, ref string, changes ...change) (assignment.Created, error) {
	in := assignment.CreateInput{Type: kind, Ref: ref}
	in.EvaluationID = d.evaluation
	for _, c := range changes {
		c(&in)
	}
	return do(d, as, func(tx *db.Tx) (assignment.Created, error) { return assignment.Create(d.Context(), tx, in) })
}

func (d *desk) create(kind, ref string, changes ...change) assignment.Created {
	d.Helper()
	made, err := d.tryCreate(d.operator, kind, ref, changes...)
	if err != nil {
		d.Fatal(err)
	}
	return made
}

func (d *desk) redeem(as db.Scope, id ids.ID) (assignment.Redemption, error) {
	return do(d, as, func(tx *db.Tx) (assignment.Redemption, error) { return assignment.Redeem(d.Context(), tx, id) })
}

func (d *desk) redeemToken(as db.Scope, token string) (assignment.Redemption, error) {
	return do(d, as, func(tx *db.Tx) (assignment.Redemption, error) { return assignment.RedeemToken(d.Context(), tx, token) })
}

func (d *desk) start(as db.Scope, id ids.ID) (session.Session, error) {
	return do(d, as, func(tx *db.Tx) (session.Session, error) {
		return d.sessions.Start(d.Context(), tx, session.StartInput{EvaluationID: d.evaluation, AssignmentID: &id})
	})
}

func (d *desk) submit(as db.Scope, open ids.ID) {
	d.Helper()
	_, err := do(d, as, func(tx *db.Tx) (session.SubmitResult, error) {
		return d.sessions.Submit(d.Context(), tx, session.SubmitInput{EvaluationID: d.evaluation, SessionID: open})
	})
	if err != nil {
		d.Fatal(err)
	}
}

func (d *desk) patch(id ids.ID, p assignment.Patch) (assignment.Assignment, error) {
	return do(d, d.operator, func(tx *db.Tx) (assignment.Assignment, error) { return assignment.Update(d.Context(), tx, id, p) })
}

func (d *desk) override(id ids.ID, in assignment.OverrideInput) (assignment.Override, error) {
	in.Reason = "fire alarm"
	return do(d, d.operator, func(tx *db.Tx) (assignment.Override, error) { return assignment.SetOverride(d.Context(), tx, id, in) })
}

func code(err error) errs.Code {
	if err == nil {
		return ""
	}
	return errs.Of(err).Code
}

func wantCode(t *testing.T, err error, want errs.Code) {
	t.Helper()
	if got := code(err); got != want {
		t.Errorf("got %q (%v), want %q", got, err, want)
	}
}

func labelled(label string) change { return func(in *assignment.CreateInput) { in.RunLabel = label } }
func until(t time.Time) change     { return func(in *assignment.CreateInput) { in.ValidUntil = &t } }
func ptr[T any](v T) *T            { return &v }

// together runs n calls at the same moment.
func together(n int, call func(i int)) {
	var all sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-begin
			call(i)
		})
	}
	close(begin)
	all.Wait()
}

// outcomes counts the codes of n calls at the same moment.
func outcomes(n int, call func(i int) error) map[errs.Code]int {
	got := make(chan errs.Code, n)
	together(n, func(i int) { got <- code(call(i)) })
	close(got)
	counts := map[errs.Code]int{}
	for c := range got {
		counts[c]++
	}
	return counts
}

func TestCreateNamesEveryBadTarget(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	member, group := d.candidate(), d.group()
	away := must(d, func(tx *db.Tx) (ids.ID, error) { return sample.OrgUnit(t, tx, "away").ID, nil })
	elsewhere := d.operator
	elsewhere.OrgUnit = away
	admin, err := do(d, elsewhere, func(tx *db.Tx) (string, error) { return sample.User(t, tx, capability.OrgAdmin).Email, nil })
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.tryCreate(d.operator, "", "", func(in *assignment.CreateInput) {
		in.Targets = []assignment.Target{{Type: "user_id", Ref: member.Actor.ID.String()}, {Type: "user_id", Ref: ids.New().String()},
			{Type: "group_id", Ref: ids.New().String()}, {Type: "email", Ref: admin}, {Type: "group_id", Ref: group.String()},
			{Type: "group_id", Ref: group.String()}, {Type: "public_link"}, {Type: "public_link"}, {Type: "email", Ref: "new@example.test"}}
	})
	got := map[string]string{}
	for _, f := range errs.Of(err).Fields {
		got[f.Path] = f.Code
	}
	want := map[string]string{"targets[1].target_ref": "unknown_user", "targets[2].target_ref": "unknown_group",
		"targets[3].target_ref": "not_invitable", "targets[5].target_ref": "duplicate_target"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	for name, in := range map[string]assignment.CreateInput{
		"nobody": {}, "both": {Type: "public_link", Targets: []assignment.Target{{Type: "public_link"}}}, "kind": {Type: "robot"},
		"reference of a link": {Type: "public_link", Ref: "x"}, "no id": {Type: "user_id", Ref: "x"}, "no address": {Type: "email", Ref: "x"},
	} {
		_, err := d.tryCreate(d.operator, in.Type, in.Ref, func(c *assignment.CreateInput) { c.Targets = in.Targets })
		if code(err) != errs.ValidationFailed {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if n := d.count("assignments where tenant_id = $1"); n != 0 {
		t.Errorf("refused calls left %d assignments", n)
	}
	if n := d.count("users where tenant_id = $1 and status = 'invited'"); n != 0 {
		t.Errorf("refused calls left %d invited users", n)
	}
}

func TestDuplicatesAreRefusedAllOrNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	a, b := d.candidate(), d.candidate()
	first := d.create("user_id", a.Actor.ID.String())
	d.create("user_id", a.Actor.ID.String(), labelled("another run"))
	_, err := d.tryCreate(d.operator, "", "", func(in *assignment.CreateInput) {
		in.Targets = []assignment.Target{{Type: "user_id", Ref: b.Actor.ID.String()}, {Type: "user_id", Ref: a.Actor.ID.String()}}
	})
	wantCode(t, err, errs.DuplicateAssignment)
	if diff := cmp.Diff([]int{1}, errs.Of(err).Details["targets"]); diff != "" {
		t.Error(diff)
	}
	if n := d.count("assignments where tenant_id = $1"); n != 2 {
		t.Errorf("got %d assignments, want 2", n)
	}
	_, err = d.patch(first.ID, assignment.Patch{Status: ptr("closed")})
	wantCode(t, err, "")
	d.create("user_id", a.Actor.ID.String())
	_, err = d.patch(first.ID, assignment.Patch{Status: ptr("active")})
	wantCode(t, err, errs.DuplicateAssignment)
}

func TestParallelCreatesMakeOneAssignment(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	email := "Ada." + ids.New().String() + "@example.test"
	got := outcomes(8, func(int) error { _, err := d.tryCreate(d.operator, "email", email); return err })
	if diff := cmp.Diff(map[errs.Code]int{"": 1, errs.DuplicateAssignment: 7}, got); diff != "" {
		t.Error(diff)
	}
}

func TestCreateNeedsAPublishedEvaluation(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	d.exec("update evaluations set status = 'archived' where tenant_id = $1")
	_, err := d.tryCreate(d.operator, "public_link", "")
	wantCode(t, err, errs.Archived)
	d.exec("update evaluations set status = 'draft', published_id = null where tenant_id = $1")
	_, err = d.tryCreate(d.operator, "public_link", "")
	wantCode(t, err, errs.NotPublished)
	d.evaluation = ids.New()
	_, err = d.tryCreate(d.operator, "public_link", "")
	wantCode(t, err, errs.NotFound)
}

func TestTenThousandTargetsInOneCall(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	made := d.create("", "", func(in *assignment.CreateInput) {
		for range 10_000 {
			in.Targets = append(in.Targets, assignment.Target{Type: "email", Ref: ids.New().String() + "@example.test"})
		}
		in.Invite = true
	})
	if n := d.count("assignments where tenant_id = $1 and batch_id = $2", *made.BatchID); n != 10_000 || len(made.Items) != 10_000 {
		t.Errorf("got %d assignments and %d items", n, len(made.Items))
	}
	if n := d.count("assignment_invitations where tenant_id = $1 and status = 'queued'"); n != 10_000 {
		t.Errorf("got %d invitations", n)
	}
	begin := time.Now()
	m := must(d, func(tx *db.Tx) (assignment.Monitor, error) {
		return assignment.Watch(t.Context(), tx, assignment.MonitorInput{ID: made.ID, Batch: true})
	})
	t.Logf("monitor of the batch: %v", time.Since(begin))
	if m.Counts["not_started"] != 10_000 || m.Total != 10_000 || m.Items[0].Email == "" || m.Items[0].Invitation != "queued" {
		t.Errorf("got %v, first %+v", m.Counts, m.Items[0])
	}
}

// Callers who may read users see addresses, in the record, the list and the monitor, except the addresses of people whose
// processing is restricted.
func TestAddressesShowOnlyToThoseWhoReadUsers(t *testing.T) {
	t.Parallel()
	d := newDesk(t, authoring.Settings{})
	made := d.create("email", "zzyzx@example.test")
	reads := []capability.Capability{capability.AssignmentsMonitor, capability.UsersRead}
	for _, tt := range []struct {
		holds      []capability.Capability
		restricted bool
		want       string
	}{
		{[]capability.Capability{capability.AssignmentsMonitor}, false, ""},
		{reads, false, "zzyzx@example.test"},
		{reads, true, ""},
	} {
		must(d, func(tx *db.Tx) (int64, error) {
			return tx.Exec(t.Context(), "update users set restricted = $2 where tenant_id = $1 and email = 'zzyzx@example.test'", tx.Tenant(), tt.restricted)
		})
		as := sample.As(d.operator, ids.New(), tt.holds...)
		one, err := do(d, as, func(tx *db.Tx) (assignment.Assignment, error) { return assignment.Get(t.Context(), tx, made.ID) })
		wantCode(t, err, "")
		m, err := do(d, as, func(tx *db.Tx) (assignment.Monitor, error) {
			return assignment.Watch(t.Context(), tx, assignment.MonitorInput{ID: made.ID})
		})
		wantCode(t, err, "")
		list, err := do(d, as, func(tx *db.Tx) (db.List[assignment.Assignment], error) {
			return assignment.List(t.Context(), tx, assignment.Filter{})
		})
		wantCode(t, err, "")
		if one.Email != tt.want || m.Items[0].Email != tt.want || list.Items[0].Email != tt.want {
			t.Errorf("with %v, restricted %t: got %q, %q and %q, want %q", tt.holds, tt.restricted, one.Email, m.Items[0].Email, list.Items[0].Email, tt.want)
		}
	}
	if n := d.count("ledger_events l where tenant_id = $1 and l::text like '%zzyzx%'"); n != 0 {
		t.Errorf("%d ledger events repeat the address", n)
	}
}
