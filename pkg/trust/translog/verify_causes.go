package translog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// statesSQL reads the states of some submissions in order, with the number of the event that a state
// names and the job of an erasure since the state before. An event that is not about the submission,
// or causes no state, is none.
const statesSQL = `
select l.submission_id, l.batch, l.n, l.erased or l.state_hash is null, l.since, e.seq, g.job
from unnest($2::uuid[]) as wanted (id)
cross join lateral (select s.*, row_number() over earlier as n,
		coalesce(max(s.cause) over (earlier rows between unbounded preceding and 1 preceding), 0) as since
	from ledger_states s where s.tenant_id = $1 and s.submission_id = wanted.id
	window earlier as (order by s.batch, s.position) offset 0) l
left join lateral (select o.seq from ledger_events o where o.tenant_id = $1 and o.seq = l.cause
	and o.subject_id = wanted.id and o.event_type = any($3) offset 0) e on true
left join lateral (select o.payload ->> 'jobId' as job from ledger_events o where o.tenant_id = $1 and o.subject_id = wanted.id
	and o.seq > l.since and o.seq <= l.cause and o.event_type = $4 order by o.seq desc limit 1) g on true
order by wanted.id, l.batch, l.position`

// stateCause is a state with its number among the states of its submission, and its cause.
type stateCause struct {
	submission ids.ID
	batch, n   int64
	erased     bool
	since      int64
	cause      *int64
	job        *string
}

// verifyCauses asks of each state after the first for the event that caused it, which none before it
// named, and of each erasure for its job. jobs keeps what was found out about jobs.
func verifyCauses(ctx context.Context, tx *db.Tx, r *Report, piece []ids.ID, jobs map[string]bool) error {
	rows, err := tx.Query(ctx, statesSQL, tx.Tenant(), piece, causing, ErasedEvent)
	if err != nil {
		return fmt.Errorf("look for the causes of states: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (stateCause, error) {
		var s stateCause
		err := row.Scan(&s.submission, &s.batch, &s.n, &s.erased, &s.since, &s.cause, &s.job)
		return s, err
	})
	if err != nil {
		return fmt.Errorf("look for the causes of states: %w", err)
	}
	for _, s := range all {
		if s.n > 1 && (s.cause == nil || *s.cause <= s.since) {
			r.submission(StateWithoutCause, s.submission, "submission %s was changed, and no event says why: its state in batch %d has no cause", s.submission, s.batch)
			continue
		}
		if !s.erased {
			continue
		}
		holds, err := isErasing(ctx, tx, s.job, jobs)
		if err != nil {
			return err
		}
		if !holds {
			r.submission(ErasureWithoutJob, s.submission, "submission %s was erased or deleted, and no job of the ledger did it", s.submission)
		}
	}
	return nil
}

// jobSQL finds the job of an erasure in the compliance ledger, and its event.
const jobSQL = `
select exists (select from compliance_ledger l
	cross join lateral (select from ledger_events e where e.tenant_id = $1 and e.subject_id = coalesce(l.subject_id, $1) and e.id = l.id
		and e.event_type = l.event_type limit 1) e
	where l.tenant_id = $1 and l.job_id::text = $2)`

// isErasing says that the ledger has a job.
func isErasing(ctx context.Context, tx *db.Tx, job *string, known map[string]bool) (bool, error) {
	if job == nil {
		return false, nil
	}
	holds, asked := known[*job]
	if asked {
		return holds, nil
	}
	err := tx.QueryRow(ctx, jobSQL, tx.Tenant(), *job).Scan(&holds)
	if err != nil {
		return false, fmt.Errorf("look for the job of an erasure: %w", err)
	}
	known[*job] = holds
	return holds, nil
}
