package exception_test

import (
	"errors"
	"testing"
	"time"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/assignment"
	"assess/pkg/exam/evidence"
	"assess/pkg/exam/programme"
	"assess/pkg/exam/review"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/exception"
	"assess/pkg/report/projection"
)

// office is a tenant with a candidate who fails and one who passes, and a person who looks after the
// queue.
type office struct {
	*testing.T
	store                   *db.Store
	boss, candidate, keeper db.Scope
	exam                    authoring.Snapshot
	engagement, requirement ids.ID
	failed, passed          ids.ID
}

func newOffice(t *testing.T) *office {
	t.Helper()
	store := sample.Store(t)
	o := &office{T: t, store: store, boss: sample.Tenant(t, store)}
	half, desk := 50.0, session.NewDesk()
	var task assignment.Created
	o.do(o.boss, func(tx *db.Tx) error {
		o.candidate = sample.As(o.boss, sample.User(t, tx).ID, capability.SessionsTake)
		o.keeper = sample.As(o.boss, sample.User(t, tx, capability.Reviewer).ID, capability.ExceptionsRead, capability.ExceptionsTriage)
		o.exam = sample.Published(t, tx, authoring.Settings{PassMarkPercent: &half}, sample.Choice("A"))
		e, err := programme.CreateEngagement(t.Context(), tx, programme.EngagementInput{Name: "Audit"})
		if err != nil {
			return err
		}
		r, err := programme.CreateRequirement(t.Context(), tx, programme.RequirementInput{Programme: "P", Name: "R", EvaluationID: o.exam.EvaluationID})
		if err != nil {
			return err
		}
		o.engagement, o.requirement = e.ID, r.ID
		in := assignment.CreateInput{Type: "user_id", Ref: o.candidate.Actor.ID.String()}
		in.EvaluationID, in.EngagementID = o.exam.EvaluationID, &e.ID
		task, err = assignment.Create(t.Context(), tx, in)
		return err
	})
	o.do(o.candidate, func(tx *db.Tx) error {
		open, err := desk.Start(t.Context(), tx, session.StartInput{EvaluationID: o.exam.EvaluationID, AssignmentID: &task.ID})
		if err != nil {
			return err
		}
		done, err := desk.Submit(t.Context(), tx, session.SubmitInput{EvaluationID: o.exam.EvaluationID, SessionID: open.ID})
		o.failed = done.SubmissionID
		return err
	})
	var other db.Scope
	o.do(o.boss, func(tx *db.Tx) error {
		other = sample.As(o.boss, sample.User(t, tx).ID, capability.SessionsTake)
		return nil
	})
	o.do(other, func(tx *db.Tx) error {
		o.passed = sample.Submission(t, tx, desk, o.exam, `{"optionIds":["A"]}`).SubmissionID
		return nil
	})
	o.project()
	return o
}

func (o *office) do(scope db.Scope, fn func(tx *db.Tx) error) {
	o.Helper()
	sample.Write(o, o.store, scope, fn)
}

func (o *office) project() {
	o.Helper()
	for n := 1; n > 0; {
		o.do(db.System(o.boss.Tenant, "projector"), func(tx *db.Tx) error {
			var err error
			n, err = projection.ProjectBatch(o.Context(), tx, 100)
			return err
		})
	}
}

func (o *office) list(f exception.Filter) []exception.Exception {
	o.Helper()
	var found db.List[exception.Exception]
	o.do(o.keeper, func(tx *db.Tx) error {
		var err error
		found, err = exception.List(o.Context(), tx, f)
		return err
	})
	if found.Total != len(found.Items) {
		o.Errorf("%d of %d", len(found.Items), found.Total)
	}
	return found.Items
}

func (o *office) triage(as db.Scope, id ids.ID, in exception.TriageInput) (exception.Exception, error) {
	var got exception.Exception
	err := o.store.Write(o.Context(), as, func(tx *db.Tx) error {
		var err error
		got, err = exception.Work(o.Context(), tx, id, in)
		return err
	})
	return got, err
}

// finding makes the projector look at a submission again, and leaves the issue there.
func (o *office) finding(id ids.ID, severity string) {
	o.Helper()
	o.do(o.boss, func(tx *db.Tx) error {
		_, err := evidence.Detect(o.Context(), tx, evidence.FindingInput{SubmissionID: id, Code: "X", Severity: severity})
		return err
	})
	o.project()
}

func TestTriageSurvivesRefreshes(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	queue := o.list(exception.Filter{})
	if len(queue) != 1 || queue[0].SubmissionID != o.failed || queue[0].State != "open" || queue[0].ReadinessState != "not_met" || queue[0].Reasons[0] != "outcome_fail" ||
		o.exam.Title == "" || queue[0].EvaluationTitle != o.exam.Title {
		t.Fatalf("%+v", queue)
	}
	later := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
	owner := o.keeper.Actor.ID
	got, err := o.triage(o.keeper, o.failed, exception.TriageInput{State: "resolved", OwnerUserID: &owner, SuppressedUntil: &later, UpdatedAt: &queue[0].UpdatedAt})
	if err != nil || got.State != "resolved" || got.EvaluationTitle != o.exam.Title || *got.OwnerUserID != owner || !got.SuppressedUntil.Equal(later) {
		t.Fatalf("%+v, %v", got, err)
	}
	_, err = o.triage(o.keeper, o.failed, exception.TriageInput{State: "open", UpdatedAt: &queue[0].UpdatedAt})
	if !errors.Is(err, errs.StaleUpdate) {
		t.Errorf("a stale write: %v", err)
	}
	if left := o.list(exception.Filter{}); len(left) > 0 {
		t.Errorf("a resolved row is in the queue: %+v", left)
	}
	o.finding(o.failed, "minor")
	if left := o.list(exception.Filter{}); len(left) > 0 {
		t.Errorf("a suppressed row is in the queue: %+v", left)
	}
	is := o.list(exception.Filter{IncludeSuppressed: true, OwnerUserID: owner})
	if len(is) != 1 || is[0].State != "open" || *is[0].OwnerUserID != owner || !is[0].SuppressedUntil.Equal(later) || !is[0].FirstSeenAt.Equal(*queue[0].FirstSeenAt) {
		t.Errorf("the next look at it leaves %+v", is)
	}
	o.do(o.boss, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update defensibility_exception_triage set suppressed_until = now() - interval '1 second' where tenant_id = $1 and submission_id = $2", tx.Tenant(), o.failed)
		return err
	})
	if left := o.list(exception.Filter{}); len(left) != 1 {
		t.Errorf("its suppression is over, and the queue has %+v", left)
	}
}

// A ready submission is in no list; one that was not ready is resolved when the issue is cleared.
func TestClearedIssueIsResolved(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.finding(o.passed, "major")
	if n := len(o.list(exception.Filter{})); n != 2 {
		t.Fatalf("%d rows, not 2", n)
	}
	if only := o.list(exception.Filter{Reason: "integrity_flag_major"}); len(only) != 1 || only[0].SubmissionID != o.passed {
		t.Errorf("by reason: %+v", only)
	}
	o.do(o.boss, func(tx *db.Tx) error {
		found, err := evidence.ListFindings(t.Context(), tx, o.passed, evidence.FindingFilter{})
		if err != nil {
			return err
		}
		claim := sample.Case(t, tx, evidence.Claims, o.passed, found.Items[0].ID)
		_, err = tx.Exec(t.Context(), "update submission_cases set raised_by = 'operator:somebody' where tenant_id = $1 and id = $2", tx.Tenant(), claim.ID)
		if err != nil {
			return err
		}
		_, err = evidence.Reject(t.Context(), tx, evidence.Claims, evidence.DecideInput{ID: claim.ID, Comment: "looked at"})
		return err
	})
	o.do(o.boss, func(tx *db.Tx) error {
		queued, err := projection.QueueRefresh(t.Context(), tx, projection.RefreshInput{})
		if err == nil && queued.Kind != "exceptions" {
			err = errors.New("the refresh is of another kind")
		}
		return err
	})
	var job ids.ID
	o.do(o.boss, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select id from report_jobs where tenant_id = $1", tx.Tenant()).Scan(&job)
	})
	for {
		done, err := projection.RunPiece(t.Context(), o.store, o.boss.Tenant, job)
		if err != nil {
			t.Fatal(err)
		}
		if done.State == "completed" {
			break
		}
	}
	cleared := o.list(exception.Filter{State: "resolved"})
	if len(cleared) != 1 || cleared[0].SubmissionID != o.passed || cleared[0].ReadinessState != "met" || len(cleared[0].Reasons) > 0 {
		t.Errorf("cleared: %+v", cleared)
	}
	_, err := o.triage(o.keeper, o.passed, exception.TriageInput{State: "open"})
	if !errors.Is(err, errs.Conflict) {
		t.Errorf("a cleared issue opens: %v", err)
	}
}

func TestTriageIsChecked(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	past, nobody := time.Now().Add(-time.Hour), ids.New()
	for name, in := range map[string]exception.TriageInput{"nothing": {}, "state": {State: "closed"}, "past": {SuppressedUntil: &past}, "nobody": {OwnerUserID: &nobody},
		"clear": {Clear: []string{"note"}}, "both": {OwnerUserID: &o.keeper.Actor.ID, Clear: []string{"ownerUserId"}}} {
		if _, err := o.triage(o.keeper, o.failed, in); !errors.Is(err, errs.ValidationFailed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var elsewhere, everywhere ids.ID
	o.do(o.boss, func(tx *db.Tx) error {
		elsewhere, everywhere = sample.User(t, tx, capability.Reviewer).ID, sample.User(t, tx, capability.TenantAdmin).ID
		return nil
	})
	sample.ChangeAccess(t, o.store, o.boss, "delete from user_org_units where tenant_id = $1 and user_id = any($2)", []ids.ID{elsewhere, everywhere})
	for _, in := range []exception.TriageInput{{OwnerUserID: &o.candidate.Actor.ID}, {OwnerUserID: &elsewhere}} {
		_, err := o.triage(o.keeper, o.failed, in)
		if !errors.Is(err, errs.ValidationFailed) || errs.Of(err).Fields[0].Code != "not_allowed" {
			t.Errorf("somebody who may not see it looks after an exception: %v", err)
		}
	}
	if _, err := o.triage(o.keeper, o.failed, exception.TriageInput{OwnerUserID: &everywhere}); err != nil {
		t.Errorf("somebody who sees all org units: %v", err)
	}
	own := sample.As(o.boss, o.candidate.Actor.ID, capability.ExceptionsTriage)
	if _, err := o.triage(own, o.failed, exception.TriageInput{State: "resolved"}); !errors.Is(err, errs.FourEyesRequired) {
		t.Errorf("somebody resolves the exception about their own submission: %v", err)
	}
	if _, err := o.triage(o.keeper, ids.New(), exception.TriageInput{State: "resolved"}); !errors.Is(err, errs.NotFound) {
		t.Errorf("another submission: %v", err)
	}
	reader := sample.As(o.boss, o.keeper.Actor.ID, capability.ExceptionsRead)
	if _, err := o.triage(reader, o.failed, exception.TriageInput{State: "resolved"}); !errors.Is(err, errs.Forbidden) {
		t.Errorf("a reader triages: %v", err)
	}
}

// Counts of engagements and requirements, and a triage of their own that opens again.
func TestRollups(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	one := func(kind exception.Kind, f exception.Filter) exception.Rollup {
		t.Helper()
		var found db.List[exception.Rollup]
		o.do(o.keeper, func(tx *db.Tx) error {
			var err error
			found, err = exception.ListRollups(t.Context(), tx, kind, f)
			return err
		})
		if len(found.Items) == 0 {
			return exception.Rollup{}
		}
		return found.Items[0]
	}
	counts := func(r exception.Rollup) [3]int64 {
		return [3]int64{r.ActiveSubmissionCount, r.BlockedSubmissionCount, r.NeedsReviewSubmissionCount}
	}
	if r := one(exception.Engagements, exception.Filter{}); r.ID != o.engagement || counts(r) != [3]int64{1, 1, 0} || r.State != "open" || r.ReadinessState != "not_met" {
		t.Errorf("%+v", r)
	}
	if r := one(exception.Requirements, exception.Filter{}); r.ID != o.requirement || counts(r) != [3]int64{2, 1, 0} {
		t.Errorf("%+v", r)
	}
	o.do(o.keeper, func(tx *db.Tx) error {
		_, err := exception.WorkRollup(t.Context(), tx, exception.Engagements, o.engagement, exception.TriageInput{State: "resolved"})
		return err
	})
	if r := one(exception.Engagements, exception.Filter{}); r.ID != ids.None {
		t.Errorf("resolved: %+v", r)
	}
	o.finding(o.failed, "major")
	if r := one(exception.Engagements, exception.Filter{}); r.State != "open" {
		t.Errorf("after the next look: %+v", r)
	}
	o.do(o.boss, func(tx *db.Tx) error {
		_, err := review.Void(t.Context(), tx, review.Input{SubmissionID: o.failed, Comment: "copied"})
		return err
	})
	o.project()
	if r := one(exception.Requirements, exception.Filter{State: "resolved"}); counts(r) != [3]int64{1, 0, 0} || r.ReadinessState != "met" {
		t.Errorf("voided: %+v", r)
	}
}
