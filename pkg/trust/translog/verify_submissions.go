package translog

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// submissionPiece is how many submissions are hashed at a time.
const submissionPiece = 500

func decode(payload []byte, into any) error {
	err := json.Unmarshal(payload, into)
	if err != nil {
		return fmt.Errorf("read what an event says: %w", err)
	}
	return nil
}

// verifySubmissions compares every submission with the state that the log took up last.
// Submissions that wait to be taken up are left out: the service changed them in the last minute.
func verifySubmissions(ctx context.Context, tx *db.Tx, r *Report) error {
	for after := ids.None; ; {
		piece, err := idsAfter(ctx, tx, "select id from submissions where tenant_id = $1 and id > $2 order by id limit $3", after)
		if err == nil && len(piece) > 0 {
			err = verifyStates(ctx, tx, r, piece)
		}
		if err == nil && len(piece) > 0 {
			err = verifyHeld(ctx, tx, r, piece)
		}
		if err != nil {
			return err
		}
		if len(piece) < submissionPiece {
			break
		}
		after = piece[len(piece)-1]
	}
	return verifyGone(ctx, tx, r)
}

func idsAfter(ctx context.Context, tx *db.Tx, sql string, after ids.ID) ([]ids.ID, error) {
	rows, err := tx.Query(ctx, sql, tx.Tenant(), after, submissionPiece)
	if err != nil {
		return nil, fmt.Errorf("list submissions: %w", err)
	}
	piece, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return nil, fmt.Errorf("list submissions: %w", err)
	}
	return piece, nil
}

func verifyStates(ctx context.Context, tx *db.Tx, r *Report, piece []ids.ID) error {
	now, err := statesOf(ctx, tx, piece)
	if err != nil {
		return err
	}
	known, err := lastStates(ctx, tx, piece)
	if err != nil {
		return err
	}
	var strange []ids.ID
	for _, id := range piece {
		r.Submissions++
		if last, taken := known[id]; !taken || !now[id].same(last) {
			strange = append(strange, id)
		}
	}
	waiting, err := waitingOf(ctx, tx, waitingSQL, strange)
	if err != nil {
		return err
	}
	for _, id := range strange {
		last, taken := known[id]
		switch {
		case waiting[id]:
		case !taken:
			r.submission(SubmissionAdded, id, "submission %s was not handed in: the log never had it", id)
		case !equal(last.Execution, now[id].Execution):
			tellExecution(r, id)
		case last.StateHash == nil:
			r.submission(SubmissionAdded, id, "submission %s was deleted, and is there again", id)
		default:
			r.submission(SubmissionChanged, id, "submission %s is not as the log has it: scores, outcome, status, approval, retention or answers were changed", id)
		}
	}
	return nil
}

func tellExecution(r *Report, id ids.ID) {
	r.record(RecordChanged, "submission_executions", record{subject: id}, "reasons", "what was said of submission %s when it was handed in is not as the log has it", id)
}

// unseenSQL finds which of some submissions the projector has not seen, waitingSQL which the log will take up.
const (
	unseenSQL  = "select subject_id from projection_outbox where tenant_id = $1 and kind = 'submission' and subject_id = any($2)"
	waitingSQL = `
select submission_id from ledger_states_due where tenant_id = $1 and submission_id = any($2)
union ` + unseenSQL
)

func waitingOf(ctx context.Context, tx *db.Tx, sql string, strange []ids.ID) (map[ids.ID]bool, error) {
	waiting := map[ids.ID]bool{}
	if len(strange) == 0 {
		return waiting, nil
	}
	rows, err := tx.Query(ctx, sql, tx.Tenant(), strange)
	if err != nil {
		return nil, fmt.Errorf("look for what waits: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return nil, fmt.Errorf("look for what waits: %w", err)
	}
	for _, id := range all {
		waiting[id] = true
	}
	return waiting, nil
}

// knownSQL walks over the submissions that the log has, one probe of the index each.
const knownSQL = `
with recursive known (id, n) as (
	(select submission_id, 1 from ledger_states where tenant_id = $1 and submission_id > $2 order by submission_id limit 1)
	union all
	select (select s.submission_id from ledger_states s where s.tenant_id = $1 and s.submission_id > k.id order by s.submission_id limit 1), k.n + 1
	from known k where k.id is not null and k.n < $3
)
select id from known where id is not null`

const goneSQL = `
select wanted.id from unnest($2::uuid[]) as wanted (id)
where not exists (select from submissions s where s.tenant_id = $1 and s.id = wanted.id)`

// verifyGone misses submissions that the log has, unless it also has that they were deleted, and
// checks the cause of each state on the way.
func verifyGone(ctx context.Context, tx *db.Tx, r *Report) error {
	jobs := map[string]bool{}
	for after := ids.None; ; {
		piece, err := idsAfter(ctx, tx, knownSQL, after)
		if err != nil || len(piece) == 0 {
			return err
		}
		rows, err := tx.Query(ctx, goneSQL, tx.Tenant(), piece)
		if err != nil {
			return fmt.Errorf("look for submissions that are gone: %w", err)
		}
		gone, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
		if err != nil {
			return fmt.Errorf("look for submissions that are gone: %w", err)
		}
		err = tellGone(ctx, tx, r, gone)
		if err == nil {
			err = verifyCauses(ctx, tx, r, piece, jobs)
		}
		if err != nil {
			return err
		}
		after = piece[len(piece)-1]
	}
}

func tellGone(ctx context.Context, tx *db.Tx, r *Report, gone []ids.ID) error {
	if len(gone) == 0 {
		return nil
	}
	known, err := lastStates(ctx, tx, gone)
	if err != nil {
		return err
	}
	waiting, err := waitingOf(ctx, tx, waitingSQL, gone)
	if err != nil {
		return err
	}
	executions, err := executionsOf(ctx, tx, gone)
	if err != nil {
		return err
	}
	for _, id := range gone {
		if !equal(known[id].Execution, executions[id]) && !waiting[id] {
			tellExecution(r, id)
		}
		if known[id].StateHash != nil && !waiting[id] {
			r.submission(SubmissionMissing, id, "submission %s is gone, and the log does not say that it was deleted", id)
		}
	}
	return nil
}
