package pack_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/pack"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/review"
	"assess/pkg/exam/session"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// Whatever happened, lineage counts what a plain count of the submissions counts.
func TestLineageEqualsAPlainCount(t *testing.T) {
	t.Parallel()
	o, r1, r2 := twoVersions(t)
	desk := session.NewDesk()
	var taken []ids.ID
	candidate := do(o, o.school, func(_ context.Context, tx *db.Tx) (db.Scope, error) {
		return sample.As(o.school, sample.User(t, tx, capability.Candidate).ID, capability.SessionsTake), nil
	})
	installed := o.mustInstall(r1, pack.InstallInput{})
	all := o.head
	all.All = true
	for step := range 14 {
		switch {
		case step == 6:
			installed = o.mustInstall(r2, pack.InstallInput{})
		case step > 3 && rand.IntN(4) == 0:
			at := rand.IntN(len(taken))
			do(o, all, func(ctx context.Context, tx *db.Tx) (review.Result, error) {
				return review.Void(ctx, tx, review.Input{SubmissionID: taken[at], Comment: "by mistake"})
			})
			taken = append(taken[:at], taken[at+1:]...)
		default:
			e := installed.Evaluations[rand.IntN(2)]
			snapshot := o.frozen(o.school, e.InstalledEvaluationID).Snapshot
			taken = append(taken, do(o, candidate, func(_ context.Context, tx *db.Tx) (ids.ID, error) {
				return sample.Submission(t, tx, desk, *snapshot, `{"optionIds":["A"]}`).SubmissionID, nil
			}))
		}
	}
	for {
		n := do(o, all, func(ctx context.Context, tx *db.Tx) (int, error) { return projection.ProjectBatch(ctx, tx, 3) })
		if n == 0 {
			break
		}
	}
	for _, r := range []pack.Revision{r1, r2} {
		got := do(o, o.head, func(ctx context.Context, tx *db.Tx) (pack.Lineage, error) {
			return pack.GetLineage(ctx, tx, pack.LineageInput{RevisionInput: pack.RevisionInput{LibraryID: r.LibraryID, RevisionID: r.ID}})
		})
		want := pack.LineageSummary{InstallCount: 1}
		for _, i := range got.Installs {
			var submissions, linked int64
			do(o, all, func(ctx context.Context, tx *db.Tx) (int, error) {
				return 0, tx.QueryRow(ctx, `select count(*), count(*) filter (where evaluation_version_id = $2) from submissions
					where evaluation_id = $1 and status = 'completed'`, i.InstalledEvaluationID, i.InstalledEvaluationVersionID).Scan(&submissions, &linked)
			})
			if i.SubmissionCount != submissions || i.SnapshotLinkedCount != linked {
				t.Errorf("revision %d, item %d: %d and %d submissions, want %d and %d", r.RevisionNumber, i.Pos, i.SubmissionCount, i.SnapshotLinkedCount, submissions, linked)
			}
			want.SubmissionCount, want.SnapshotLinkedCount = want.SubmissionCount+submissions, want.SnapshotLinkedCount+linked
		}
		if diff := cmp.Diff(want, got.Summary); diff != "" || len(got.Installs) != 2 {
			t.Errorf("revision %d: %d installs\n%s", r.RevisionNumber, len(got.Installs), diff)
		}
	}
	detail := do(o, o.school, func(ctx context.Context, tx *db.Tx) (submission.Submission, error) {
		return submission.Get(ctx, tx, submission.GetInput{ID: taken[0]})
	})
	if detail.Pack == nil || detail.Pack.LibraryID != o.library || detail.Pack.EvaluationVersionID != detail.EvaluationVersionID {
		t.Errorf("the submission came with %+v", detail.Pack)
	}
}

// More submissions do not make lineage read more: it reads sums.
func TestLineageReadsNoSubmissions(t *testing.T) {
	t.Parallel()
	store := dbtest.Open(t, db.Options{URL: dbtest.Fresh(t).App})
	o := officeOn(t, store)
	o.furnish()
	r := o.publish()
	done := o.mustInstall(r, pack.InstallInput{})
	lineage := func() pack.Lineage {
		return do(o, o.head, func(ctx context.Context, tx *db.Tx) (pack.Lineage, error) {
			return pack.GetLineage(ctx, tx, pack.LineageInput{RevisionInput: pack.RevisionInput{LibraryID: r.LibraryID, RevisionID: r.ID}})
		})
	}
	for _, submissions := range []int64{10, 1_000_000} {
		do(o, o.school, func(ctx context.Context, tx *db.Tx) (int64, error) {
			e := done.Evaluations[0]
			return tx.Exec(ctx, `insert into report_evaluation_rollup (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, evaluation_id, completed_n)
				values ($1, $2, $3, 'all', '', $5, $4, $6), ($1, $2, $4, 'evaluation', '', $5, $4, $6)
				on conflict (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id) do update set completed_n = excluded.completed_n`,
				tx.Tenant(), o.school.OrgUnit, e.InstalledEvaluationVersionID, e.InstalledEvaluationID, ids.None, submissions)
		})
		if got := lineage().Summary; got.SubmissionCount != submissions || got.SnapshotLinkedCount != submissions {
			t.Errorf("%+v of %d submissions", got, submissions)
		}
	}
	theirs := do(o, o.school, func(ctx context.Context, tx *db.Tx) (pack.Lineage, error) {
		return pack.GetLineage(ctx, tx, pack.LineageInput{RevisionInput: pack.RevisionInput{LibraryID: r.LibraryID, RevisionID: r.ID}})
	})
	if theirs.Summary.InstallCount != 1 {
		t.Errorf("the school sees %+v of its own install", theirs.Summary)
	}
}
