package projection

import (
	"context"
	"fmt"
	"slices"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// startPlan says what happens to the session starts of a batch: those in fresh were just
// written, those in changed differ from their session.
type startPlan struct {
	fresh, changed []ids.ID
}

// startSource is report_session_starts as sessions, submissions and assignments make it. An
// attempt stands at its completion, or at its start as long as it has none: so whoever asks
// for a period never sees more completed attempts than there were. One that was voided had been
// completed, and stays where it was.
const startSource = `
select s.tenant_id, s.org_unit_id, s.id as session_id, s.evaluation_id, s.evaluation_version_id, s.user_id,
	coalesce(s.run_label, '') as run_label, s.started_at, s.state, s.assignment_id, case a.target_type when 'group_id' then a.target_ref::uuid end as group_id,
	coalesce(a.target_type in ('user_id', 'email'), false) as is_invited, coalesce(m.status = 'completed', false) as is_completed,
	coalesce(m.status = 'voided', false) as is_voided, coalesce(m.completed_at, s.started_at) as attempt_at
from sessions s
left join submissions m on m.tenant_id = s.tenant_id and m.id = s.id
left join assignments a on a.tenant_id = s.tenant_id and a.id = s.assignment_id
where s.tenant_id = $1 and s.id = any($2)`

// lockStartsSQL writes the missing rows and locks the others, in the order of their ids
// and in one pass. The sessions themselves are not locked: their candidates are saving
// answers.
const lockStartsSQL = `
insert into report_session_starts as r ` + startSource + ` order by s.id
on conflict (tenant_id, session_id) do update set state = excluded.state where false
returning session_id`

// dropEventsSQL deletes the raw events of sessions that ended without a submission (decisions,
// section 4). No report counts them. An ended session takes no further events.
const dropEventsSQL = `
delete from session_events e using sessions s
where e.tenant_id = $1 and e.session_id = any($2) and s.tenant_id = $1 and s.id = e.session_id and s.state in ('closed', 'abandoned')`

const changedStartsSQL = `
select session_id from (
	select * from report_session_starts where tenant_id = $1 and session_id = any($2)
	except all (` + startSource + `)) r`

// compareStarts locks the starts and deletes events that nothing needs any more. It looks only
// at rows that were there before for changes: a session may move on between the two
// statements, and what was just written is not counted yet and must not be taken back. The
// outbox row of the move comes later.
func compareStarts(ctx context.Context, tx *db.Tx, all []ids.ID) (startPlan, error) {
	fresh, err := startsOf(ctx, tx, lockStartsSQL, all)
	if err == nil {
		err = run(ctx, tx, all, dropEvents)
	}
	if err != nil {
		return startPlan{}, err
	}
	written := make(map[ids.ID]bool, len(fresh))
	for _, id := range fresh {
		written[id] = true
	}
	var before []ids.ID
	for _, id := range all {
		if !written[id] {
			before = append(before, id)
		}
	}
	changed, err := startsOf(ctx, tx, changedStartsSQL, before)
	return startPlan{fresh: fresh, changed: changed}, err
}

func startsOf(ctx context.Context, tx *db.Tx, sql string, subjects []ids.ID) ([]ids.ID, error) {
	if len(subjects) == 0 {
		return nil, nil
	}
	found, err := idsOf(ctx, tx, sql, subjects)
	if err != nil {
		return nil, fmt.Errorf("compare session starts: %w", err)
	}
	return found, nil
}

var (
	dropEvents  = []statement{{"drop events", dropEventsSQL}}
	countStarts = startCounting(chosen).merge()
	dropStarts  = []statement{{"drop starts", "delete from report_session_starts where tenant_id = $1 and session_id = any($2)"}}
	writeStarts = []statement{{"write starts", lockStartsSQL}}
)

func applyStarts(ctx context.Context, tx *db.Tx, p startPlan) error {
	left, err := leaving(ctx, tx, p.changed)
	if err != nil {
		return err
	}
	err = run(ctx, tx, p.changed, countStarts, out)
	if err != nil {
		return err
	}
	err = run(ctx, tx, p.changed, slices.Concat(sweepStarts, dropStarts, writeStarts))
	if err != nil {
		return err
	}
	all := sortedIDs(append(p.changed, p.fresh...))
	err = run(ctx, tx, all, countStarts, in)
	if err != nil {
		return err
	}
	return movePeople(ctx, tx, all, left)
}
