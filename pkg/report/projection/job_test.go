package projection

import (
	"context"
	"errors"
	"testing"

	"assess/models"
	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// ask queues a job over all org units.
func (w *world) ask(t *testing.T, in JobInput) Job {
	t.Helper()
	var queued Job
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		var err error
		queued, err = QueueProjection(ctx, tx, in)
		return err
	})
	return queued
}

// finish works on a job in pieces and gives how it ended, and in how many pieces.
func (w *world) finish(t *testing.T, j Job, size int) (Job, int) {
	t.Helper()
	for pieces := 1; ; pieces++ {
		done, err := runPiece(t.Context(), w.store, w.tenant, j.ID, size)
		if err != nil {
			t.Fatal(err)
		}
		if done.State == models.ReportJobCompleted {
			return done, pieces
		}
	}
}

// forget empties the outbox: the work in it is left to a job.
func (w *world) forget(t *testing.T) {
	t.Helper()
	w.exec(t, "delete from projection_outbox where tenant_id = $1", w.tenant)
}

func (w *world) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Exec(ctx, sql, args...)
		return err
	})
}

func (w *world) count(t *testing.T, sql string, args ...any) int {
	t.Helper()
	var n int
	w.write(t, func(ctx context.Context, tx *db.Tx) error { return tx.QueryRow(ctx, sql, args...).Scan(&n) })
	return n
}

const shownSQL = "select count(*)::int from report_submissions where tenant_id = $1"

// A job of each kind shows what it chooses, and nothing else.
func TestJobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newStore(t, dbtest.Clone(t)))
	all := submitted(t, w, 8)
	w.forget(t)
	if _, pieces := w.finish(t, w.ask(t, JobInput{Kind: KindSubmission, SubmissionIDs: []ids.ID{all[1].id, all[5].id}}), 1); pieces != 3 {
		t.Errorf("two submissions, one a piece, and a look that nothing is left: %d pieces", pieces)
	}
	if n := w.count(t, shownSQL, w.tenant); n != 2 {
		t.Errorf("two submissions were named, %d are shown", n)
	}
	from := epoch.AddDate(1, 0, 0)
	if done, _ := w.finish(t, w.ask(t, JobInput{Kind: KindRange, From: &from}), 3); done.Done != 0 || *done.Total != 0 {
		t.Errorf("nothing is that new: %+v", done)
	}
	if done, _ := w.finish(t, w.ask(t, JobInput{Kind: KindRange, To: &from}), 3); done.Done != 8 || *done.Total != 8 || done.FinishedAt == nil {
		t.Errorf("all of them: %+v", done)
	}
	w.exec(t, `insert into session_events (tenant_id, session_id, id, org_unit_id, event_type, occurred_at)
		select tenant_id, id, $2, org_unit_id, 'paste', started_at from sessions where tenant_id = $1 and id = $3`, w.tenant, ids.New(), all[3].id)
	if done, _ := w.finish(t, w.ask(t, JobInput{Kind: KindTelemetry}), 3); done.Done != 1 {
		t.Errorf("one has a late event: %+v", done)
	}
	if n := w.count(t, "select paste_n from submission_telemetry_summary where tenant_id = $1 and submission_id = $2", w.tenant, all[3].id); n != 1 {
		t.Errorf("the late event counts %d times", n)
	}
	remediation := ids.New()
	w.exec(t, `insert into remediations (tenant_id, id, org_unit_id, question_version_id, rule, reason, state, created_by, created_at, updated_at)
		values ($1, $2, $3, $4, 'full_credit', 'test', 'applied', 'test', $5, $5)`, w.tenant, remediation, all[4].version.org,
		all[4].version.questions[0].id, epoch)
	w.exec(t, `insert into remediation_submissions (tenant_id, remediation_id, submission_id, org_unit_id) values ($1, $2, $3, $4)`,
		w.tenant, remediation, all[4].id, all[4].version.org)
	if done, _ := w.finish(t, w.ask(t, JobInput{Kind: KindRemediation, RemediationID: &remediation}), 3); done.Done != 1 {
		t.Errorf("one was remediated: %+v", done)
	}
	if r := w.verify(t); r.Differences != 0 {
		t.Errorf("the tables differ from a rebuild: %+v", r.Tables)
	}
}

// Submissions that the projector takes out of its outbox are covered once by the remediations of their version that are
// applied, and a job is queued to correct them.
func TestLaterSubmissionsAreCovered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newStore(t, dbtest.Clone(t)))
	v := w.versions[0]
	asked := v.questions[0]
	made := map[string]ids.ID{}
	for state, later := range map[string]bool{"draft": true, "applying": true, "applied": true, "reverted": true, "failed": true, "of its time": false} {
		made[state] = ids.New()
		as := state
		if !later {
			as = "applied"
		}
		w.exec(t, `insert into remediations (tenant_id, id, org_unit_id, evaluation_version_id, question_version_id, rule, reason, state, also_later, created_by, started_by, created_at, updated_at)
			values ($1, $2, $3, $4, $5, 'full_credit', 'test', $6, $7, 'test', 'user:x', $8, $8)`, w.tenant, made[state], v.org, v.id, asked.id, as, later, epoch)
	}
	w.take(t, v, 3, answer{question: asked, options: []string{"B"}, status: "SCORED"})
	for range 2 {
		w.drain(t, 2)
		for state, id := range made {
			want := 0
			if state == "applying" || state == "applied" {
				want = 3
			}
			if got := w.count(t, "select count(*) from remediation_submissions where tenant_id = $1 and remediation_id = $2 and waiting", w.tenant, id); got != want {
				t.Errorf("%s: covers %d, want %d", state, got, want)
			}
			jobs := w.count(t, "select count(*) from river.river_job where kind = 'remediation' and args ->> 'remediation' = $1", id.String())
			if (jobs > 0) != (want > 0) || jobs > want {
				t.Errorf("%s: %d jobs", state, jobs)
			}
		}
		w.exec(t, `insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at)
			select tenant_id, 'submission', id, now() from submissions where tenant_id = $1`, w.tenant)
	}
}

// A job goes on where it was interrupted, no matter which worker runs it, and a finished one stays finished.
func TestJobsGoOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newStore(t, dbtest.Clone(t)))
	submitted(t, w, 6)
	w.forget(t)
	to := epoch.AddDate(1, 0, 0)
	j := w.ask(t, JobInput{Kind: KindRange, To: &to})
	first, err := runPiece(t.Context(), w.store, w.tenant, j.ID, 4)
	if err != nil || first.Done != 4 || first.State != models.ReportJobRunning {
		t.Fatalf("first piece: %+v, %v", first, err)
	}
	if n := w.count(t, shownSQL, w.tenant); n != 4 {
		t.Errorf("%d are shown after the first piece, want 4", n)
	}
	err = failJob(t.Context(), w.store, w.tenant, j.ID, errs.New(errs.DatabaseFull, "full"))
	if err != nil {
		t.Fatal(err)
	}
	second, pieces := w.finish(t, j, 4)
	if pieces != 1 || second.Done != 6 || second.ErrorCode != nil {
		t.Errorf("the rest: %+v in %d pieces", second, pieces)
	}
	again, _ := w.finish(t, j, 4)
	if again.Done != 6 {
		t.Errorf("a finished job did more: %+v", again)
	}
}

// A job ends when nothing is left of its range, no matter how many came since they were counted.
func TestJobsEndWithTheirLastSubject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newStore(t, dbtest.Clone(t)))
	submitted(t, w, 6)
	to := epoch.AddDate(1, 0, 0)
	j := w.ask(t, JobInput{Kind: KindRange, To: &to})
	first, err := runPiece(t.Context(), w.store, w.tenant, j.ID, 4)
	if err != nil || *first.Total != 6 {
		t.Fatalf("first piece: %+v, %v", first, err)
	}
	submitted(t, w, 4)
	w.forget(t)
	done, _ := w.finish(t, j, 4)
	if done.Done != 10 || *done.Total != 10 {
		t.Errorf("the job ended as %+v, want 10 of 10", done)
	}
	if n := w.count(t, shownSQL, w.tenant); n != 10 {
		t.Errorf("%d are shown, want 10", n)
	}
}

// While a tenant is being rebuilt the periodic job does not touch it: the rebuild computes the percentiles itself.
func TestPercentilesWaitForRebuilds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newStore(t, dbtest.Clone(t)))
	submitted(t, w, 3)
	w.drain(t, 10)
	recompute := func() int {
		n, err := RecomputeAll(t.Context(), w.store, w.tenant)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		err := ownProjection(ctx, tx)
		if n := recompute(); n != 0 {
			t.Errorf("%d questions were visited beside a rebuild", n)
		}
		return err
	})
	if n := recompute(); n == 0 {
		t.Error("nothing was left for after the rebuild")
	}
}

// A job waits while the tenant is being rebuilt.
func TestJobsWaitForRebuilds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newStore(t, dbtest.Clone(t)))
	to := epoch.AddDate(1, 0, 0)
	j := w.ask(t, JobInput{Kind: KindRange, To: &to})
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		err := ownProjection(ctx, tx)
		if err != nil {
			return err
		}
		_, err = RunPiece(ctx, w.store, w.tenant, j.ID)
		if !errors.Is(err, errs.Conflict) || !errors.Is(err, errBusy) {
			t.Errorf("got %v, want conflict", err)
		}
		return nil
	})
}

func TestPercentileJobs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newStore(t, dbtest.Clone(t)))
	submitted(t, w, 6)
	w.drain(t, 100)
	var j Job
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		var err error
		j, err = QueuePercentiles(ctx, tx)
		return err
	})
	stale := "select count(*)::int from report_question_health_rollup where tenant_id = $1 and percentiles_stale"
	before := w.count(t, stale, w.tenant)
	done, _ := w.finish(t, j, 1)
	if int(done.Done) != before || before == 0 || w.count(t, stale, w.tenant) != 0 {
		t.Errorf("%d were stale, %d done, %d left", before, done.Done, w.count(t, stale, w.tenant))
	}
}

// Jobs of another org unit do not exist.
func TestJobsBelongToTheirOrgUnit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newStore(t, dbtest.Clone(t)))
	to := epoch.AddDate(1, 0, 0)
	inUnit := func(unit ids.ID, fn func(*db.Tx) error) error {
		scope := db.System(w.tenant, "test")
		scope.All, scope.OrgUnit = false, unit
		return w.store.Write(t.Context(), scope, fn)
	}
	w.versions = w.versions[1:] // of two org units
	submitted(t, w, 8)
	w.forget(t)
	var j Job
	err := inUnit(w.orgs[0], func(tx *db.Tx) error {
		var err error
		j, err = QueueProjection(t.Context(), tx, JobInput{Kind: KindRange, To: &to})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	w.finish(t, j, 100)
	if n := w.count(t, "select count(*)::int from report_submissions where tenant_id = $1 and org_unit_id <> $2", w.tenant, w.orgs[0]); n != 0 {
		t.Errorf("%d submissions of another org unit were projected", n)
	}
	for unit, want := range map[ids.ID]int{w.orgs[0]: 1, w.orgs[1]: 0} {
		err := inUnit(unit, func(tx *db.Tx) error {
			list, err := ListJobs(t.Context(), tx, db.Page{})
			if err != nil || list.Total != want {
				t.Errorf("%d jobs, %v; want %d", list.Total, err, want)
			}
			_, err = GetJob(t.Context(), tx, j.ID)
			if errors.Is(err, errs.NotFound) != (want == 0) {
				t.Errorf("got %v", err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
