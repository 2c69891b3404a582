package pack_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/pack"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/inventory"
	"assess/pkg/exam/review"
	"assess/pkg/exam/session"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// Whatever happened in two schools, in any order, lineage gives the same numbers as a
// plain count of the submissions.
func TestLineageEqualsAPlainCount(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprintf("history %d", seed), func(t *testing.T) {
			t.Parallel()
			o, r1, r2 := twoVersions(t)
			h := history{office: o, random: rand.New(rand.NewPCG(seed, 16)), desk: session.NewDesk(), revisions: []pack.Revision{r1, r2}}
			second := o.school
			sample.Write(t, o.store, h.all(), func(tx *db.Tx) error {
				second.OrgUnit = sample.OrgUnit(t, tx, "second").ID
				return nil
			})
			for _, scope := range []db.Scope{o.school, second} {
				candidate := do(o, scope, func(_ context.Context, tx *db.Tx) (db.Scope, error) {
					return sample.As(scope, sample.User(t, tx, capability.Candidate).ID, capability.SessionsTake), nil
				})
				h.schools = append(h.schools, &school{scope: scope, candidate: candidate})
			}
			for range 50 {
				h.step()
			}
			h.check()
		})
	}
}

// history has the events of a pack in two schools.
type history struct {
	*office
	random    *rand.Rand
	desk      *session.Desk
	revisions []pack.Revision
	schools   []*school
	taken     []ids.ID
}

// school has the evaluations that are installed, if any.
type school struct {
	scope, candidate db.Scope
	evaluations      []pack.InstalledEvaluation
}

func (h *history) all() db.Scope {
	all := h.head
	all.All = true
	return all
}

func (h *history) step() {
	h.t.Helper()
	s := h.schools[h.random.IntN(2)]
	switch n := h.random.IntN(10); {
	case n == 0 && len(s.evaluations) > 0:
		do(h.office, s.scope, func(ctx context.Context, tx *db.Tx) (pack.Uninstallation, error) {
			return pack.Uninstall(ctx, tx, pack.UninstallInput{ByLibrary: pack.ByLibrary{LibraryID: h.library}, OrgUnitID: s.scope.OrgUnit}, inventory.ArchiveEvaluations)
		})
		s.evaluations = nil
	case n == 1 && len(h.taken) > 0:
		at := h.random.IntN(len(h.taken))
		do(h.office, h.all(), func(ctx context.Context, tx *db.Tx) (review.Result, error) {
			return review.Void(ctx, tx, review.Input{SubmissionID: h.taken[at], Comment: "by mistake"})
		})
		h.taken = append(h.taken[:at], h.taken[at+1:]...)
	case n < 4 || len(s.evaluations) == 0:
		r := h.revisions[h.random.IntN(2)]
		done := do(h.office, s.scope, func(ctx context.Context, tx *db.Tx) (pack.Installation, error) {
			return pack.Install(ctx, tx, pack.InstallInput{RevisionInput: pack.ByRevision(r.LibraryID, r.ID), OrgUnitID: s.scope.OrgUnit})
		})
		s.evaluations = done.Evaluations
	default:
		snapshot := h.frozen(s.scope, s.evaluations[h.random.IntN(2)].InstalledEvaluationID).Snapshot
		h.taken = append(h.taken, do(h.office, s.candidate, func(_ context.Context, tx *db.Tx) (ids.ID, error) {
			return sample.Submission(h.t, tx, h.desk, *snapshot, `{"optionIds":["A"]}`).SubmissionID, nil
		}))
	}
}

// check projects the events and compares lineage with a plain count.
func (h *history) check() {
	h.t.Helper()
	for {
		n := do(h.office, h.all(), func(ctx context.Context, tx *db.Tx) (int, error) { return projection.ProjectBatch(ctx, tx, 3) })
		if n == 0 {
			break
		}
	}
	counted := int64(0)
	for _, r := range h.revisions {
		got := do(h.office, h.head, func(ctx context.Context, tx *db.Tx) (pack.Lineage, error) {
			return pack.GetLineage(ctx, tx, pack.LineageInput{RevisionInput: pack.ByRevision(r.LibraryID, r.ID)})
		})
		want, units := pack.LineageSummary{}, map[ids.ID]bool{}
		for _, i := range got.Installs {
			var submissions, linked int64
			do(h.office, h.all(), func(ctx context.Context, tx *db.Tx) (int, error) {
				return 0, tx.QueryRow(ctx, `select count(*), count(*) filter (where evaluation_version_id = $2) from submissions
					where tenant_id = $1 and evaluation_id = $3 and status = 'completed'`, tx.Tenant(), i.InstalledEvaluationVersionID, i.InstalledEvaluationID).Scan(&submissions, &linked)
			})
			if i.SubmissionCount != submissions || i.SnapshotLinkedCount != linked {
				h.t.Errorf("revision %d, item %d: %d and %d submissions, want %d and %d", r.RevisionNumber, i.Pos, i.SubmissionCount, i.SnapshotLinkedCount, submissions, linked)
			}
			want.SubmissionCount, want.SnapshotLinkedCount = want.SubmissionCount+submissions, want.SnapshotLinkedCount+linked
			units[i.OrgUnitID] = true
		}
		want.InstallCount = len(units)
		if diff := cmp.Diff(want, got.Summary); diff != "" || len(got.Installs) != 2*len(units) {
			h.t.Errorf("revision %d: %d installs\n%s", r.RevisionNumber, len(got.Installs), diff)
		}
		counted += want.SubmissionCount
	}
	if counted == 0 || len(h.taken) == 0 {
		h.t.Error("nothing was taken in this history")
	}
	for _, id := range h.taken {
		h.knows(id)
	}
}

// knows says whether a submission names the revision that it was taken in.
func (h *history) knows(id ids.ID) {
	h.t.Helper()
	detail := do(h.office, h.all(), func(ctx context.Context, tx *db.Tx) (submission.Submission, error) {
		return submission.Get(ctx, tx, submission.GetInput{ID: id})
	})
	if detail.Pack == nil || detail.Pack.LibraryID != h.library || detail.Pack.EvaluationVersionID != detail.EvaluationVersionID {
		h.t.Errorf("the submission came with %+v", detail.Pack)
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
	var reads map[string]dbtest.Reads
	lineage := func() pack.Lineage {
		return do(o, o.head, func(ctx context.Context, tx *db.Tx) (pack.Lineage, error) {
			var l pack.Lineage
			reads = dbtest.ReadsOf(t, tx, func() error {
				var err error
				l, err = pack.GetLineage(ctx, tx, pack.LineageInput{RevisionInput: pack.ByRevision(r.LibraryID, r.ID)})
				return err
			})
			return l, nil
		})
	}
	lineage() // the first call reads catalogues
	var few int64
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
		now := reads["report_evaluation_rollup"].Rows
		if few == 0 {
			few = now
		}
		if _, scanned := reads["submissions"]; scanned || now != few || now == 0 {
			t.Errorf("with %d submissions it reads %d rows of sums, and %v of submissions; before %d", submissions, now, reads["submissions"], few)
		}
	}
	theirs := do(o, o.school, func(ctx context.Context, tx *db.Tx) (pack.Lineage, error) {
		return pack.GetLineage(ctx, tx, pack.LineageInput{RevisionInput: pack.ByRevision(r.LibraryID, r.ID)})
	})
	if theirs.Summary.InstallCount != 1 {
		t.Errorf("the school sees %+v of its own install", theirs.Summary)
	}
}
