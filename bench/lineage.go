package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/author/pack"
	"assess/pkg/kernel/db"
)

const (
	// taken is how many submissions of an installed pack are counted, compared with fewTaken.
	taken, fewTaken = 1_000_000, 10
	lineageReads    = 200
	lineageGrowth   = 1.3
)

// takenSQL and takenSumsSQL write submissions of an installed evaluation, and their sums as the projector keeps them.
const (
	takenSQL = `
insert into submissions (tenant_id, id, org_unit_id, evaluation_id, evaluation_version_id, user_id, started_at, status, submitted_by,
	completion_method, completed_at, snapshot_hash, approval_status, score, max_score, outcome_code, outcome_label)
select $1, gen_random_uuid(), $2, $3, $4, gen_random_uuid(), now(), 'completed', 'user:bench', 'submitted', now(), v.snapshot_hash, 'not_required', 1, 1, 'pass', 'Pass'
from evaluation_versions v, generate_series(1, $5::int) where v.tenant_id = $1 and v.id = $4`
	takenSumsSQL = `
insert into report_evaluation_rollup (tenant_id, org_unit_id, evaluation_version_id, cut, run_label, group_id, evaluation_id, completed_n)
select $1, $2, c.version, c.cut, '', '00000000-0000-0000-0000-000000000000', $3, s.n
from (values ($3::uuid, 'evaluation'), ($4, 'all')) c (version, cut),
	(select count(*) as n from submissions where tenant_id = $1 and evaluation_id = $3) s`
)

// measureLineage reads who took a pack where a million submissions were taken with it, and in turns where ten were.
func (h *house) measureLineage(ctx context.Context) (result, error) {
	read := map[int]func() (time.Duration, error){}
	for _, n := range []int{fewTaken, taken} {
		p, err := h.writePack(ctx, fmt.Sprintf("taken-%d", n), packExam)
		if err != nil {
			return result{}, err
		}
		err = h.take(ctx, p, n)
		if err != nil {
			return result{}, err
		}
		read[n] = func() (time.Duration, error) {
			var l pack.Lineage
			start := time.Now()
			err := h.store.Read(ctx, p.head, func(tx *db.Tx) error {
				var err error
				l, err = pack.GetLineage(ctx, tx, pack.LineageInput{RevisionInput: pack.ByRevision(p.revision.LibraryID, p.revision.ID)})
				return err
			})
			took := time.Since(start)
			if err == nil && (l.Summary.SubmissionCount != int64(n) || l.Summary.SnapshotLinkedCount != int64(n)) {
				err = fmt.Errorf("lineage counts %+v, not %d", l.Summary, n)
			}
			return took, err
		}
	}
	err := h.calm(ctx)
	if err != nil {
		return result{}, err
	}
	times := map[int][]float64{}
	for i := range lineageReads + 10 {
		for n, one := range read {
			took, err := one()
			if err != nil {
				return result{}, err
			}
			if i >= 10 { // the first fill caches
				times[n] = append(times[n], float64(took.Microseconds())/1000)
			}
		}
	}
	ours, beside := median(times[taken]), median(times[fewTaken])
	return result{Name: fmt.Sprintf("lineage of a pack with %d submissions, beside one with %d", taken, fewTaken), Unit: "ms", Value: ours, Beside: beside,
		Ratio: ours / beside, AtMost: lineageGrowth}, nil
}

// take installs a pack and writes n submissions of its evaluation.
func (h *house) take(ctx context.Context, p packs, n int) error {
	school, err := h.school(ctx, p, "school")
	if err != nil {
		return err
	}
	var done pack.Installation
	err = h.store.Write(ctx, school, func(tx *db.Tx) error {
		var err error
		done, err = pack.Install(ctx, tx, pack.InstallInput{RevisionInput: pack.ByRevision(p.revision.LibraryID, p.revision.ID), OrgUnitID: school.OrgUnit})
		return err
	})
	if err != nil {
		return err
	}
	e := done.Evaluations[0]
	return pgx.BeginFunc(ctx, h.super, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "set local session_replication_role = replica") // as in load
		if err == nil {
			_, err = tx.Exec(ctx, takenSQL, uuid(school.Tenant), uuid(school.OrgUnit), uuid(e.InstalledEvaluationID), uuid(e.InstalledEvaluationVersionID), n)
		}
		if err == nil {
			_, err = tx.Exec(ctx, takenSumsSQL, uuid(school.Tenant), uuid(school.OrgUnit), uuid(e.InstalledEvaluationID), uuid(e.InstalledEvaluationVersionID))
		}
		return err
	})
}
