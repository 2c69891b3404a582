package remediation

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/job"
)

// laterSQL writes down which submissions an applied remediation is about that it has not seen. Nobody corrects their own: one
// of the person who applied it is not among them.
const laterSQL = `
insert into remediation_submissions (tenant_id, remediation_id, submission_id, org_unit_id, waiting)
select r.tenant_id, r.id, s.id, s.org_unit_id, true
from unnest($2::uuid[]) w (id)
cross join lateral (select id, org_unit_id, evaluation_version_id, 'user:' || user_id::text as taker from submissions s
	where s.tenant_id = $1 and s.id = w.id and s.status = 'completed' offset 0) s
cross join lateral (select tenant_id, id, question_version_id from remediations r
	where r.tenant_id = $1 and r.evaluation_version_id = s.evaluation_version_id and r.also_later
		and r.state in ('applying', 'applied') and r.started_by <> s.taker offset 0) r
cross join lateral (select from submission_items i
	where i.tenant_id = $1 and i.submission_id = s.id and i.question_version_id = r.question_version_id limit 1) i
order by r.id, s.id
on conflict do nothing
returning remediation_id`

// TakeUp makes applied remediations cover submissions that came later. The projector calls it with the submissions that it
// takes out of its outbox: by then everybody sees them, so either the projector sees that the remediation is applied, or
// the remediation sees the submission when applying begins. So no submit waits, and none is missed.
func TakeUp(ctx context.Context, tx *db.Tx, submissions []ids.ID) error {
	if len(submissions) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, laterSQL, tx.Tenant(), submissions)
	if err != nil {
		return fmt.Errorf("cover later submissions: %w", err)
	}
	covering, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return fmt.Errorf("cover later submissions: %w", err)
	}
	var jobs []river.JobArgs
	slices.SortFunc(covering, func(a, b ids.ID) int { return slices.Compare(a[:], b[:]) })
	for _, id := range slices.Compact(covering) {
		jobs = append(jobs, Job{Tenant: tx.Tenant(), Remediation: id})
	}
	if len(jobs) == 0 {
		return nil
	}
	return job.Insert(ctx, tx, jobs...)
}

// A submission voided meanwhile keeps its score. The range is for the index of waiting submissions; more may have come
// into it.
const (
	turnLaterSQL = `
update remediation_submissions m set waiting = false, active = true
where tenant_id = $1 and remediation_id = $2 and waiting and submission_id <= $3 and submission_id = any($4)
	and (select s.status from submissions s where s.tenant_id = $1 and s.id = m.submission_id) = 'completed'`

	doneLaterSQL = `
update remediation_submissions set waiting = false
where tenant_id = $1 and remediation_id = $2 and waiting and submission_id <= $3 and submission_id = any($4)`
)

// stepLater corrects the next submissions that came later, and says whether there were any. While the remediation is not
// in force, none waits: applying it again takes all that there are.
func (s *scorer) stepLater(ctx context.Context, tx *db.Tx, id ids.ID, size int) (models.Remediation, bool, error) {
	row, err := read(ctx, tx, id, true)
	if err != nil || underWay(row) {
		return row, true, err
	}
	if row.State != models.RemediationApplied {
		_, err = tx.Exec(ctx, "update remediation_submissions set waiting = false where tenant_id = $1 and remediation_id = $2 and waiting", tx.Tenant(), row.ID)
		if err != nil {
			err = fmt.Errorf("forget later submissions: %w", err)
		}
		return row, false, err
	}
	piece, err := collectIDs(ctx, tx, `
		select submission_id from remediation_submissions where tenant_id = $1 and remediation_id = $2 and waiting
		order by submission_id limit $3`, tx.Tenant(), row.ID, size)
	if err != nil || len(piece) == 0 {
		return row, false, err
	}
	err = holdSubmissions(ctx, tx, piece)
	if err != nil {
		return row, false, err
	}
	for _, turn := range []string{turnLaterSQL, doneLaterSQL} {
		_, err = tx.Exec(ctx, turn, tx.Tenant(), row.ID, piece[len(piece)-1], piece)
		if err != nil {
			return row, false, fmt.Errorf("turn later submissions: %w", err)
		}
	}
	changes, err := s.correct(ctx, tx, row, piece)
	if err != nil {
		return row, false, err
	}
	row.SubmissionsN, row.DoneN, row.ChangedN = row.SubmissionsN+len(piece), row.DoneN+len(piece), row.ChangedN+len(changes)
	_, err = tx.NewUpdate().Model(&row).Column("submissions_n", "done_n", "changed_n").WherePK().Exec(ctx)
	if err != nil {
		return row, false, fmt.Errorf("count later submissions: %w", err)
	}
	return row, true, queueKey(ctx, tx, row)
}

const openSQL = `
select count(*) from (select evaluation_id from evaluation_versions where tenant_id = $1 and id = $2 offset 0) v
cross join lateral (select from sessions s
	where s.tenant_id = $1 and s.evaluation_id = v.evaluation_id and s.evaluation_version_id = $2 and s.state = 'open' offset 0) s`

// countOpen says how many people still write the version that a remediation is about.
func countOpen(ctx context.Context, tx *db.Tx, row models.Remediation) (int, error) {
	if row.EvaluationVersionID == nil {
		return 0, nil
	}
	var n int
	err := tx.QueryRow(ctx, openSQL, tx.Tenant(), *row.EvaluationVersionID).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count open sessions: %w", err)
	}
	return n, nil
}
