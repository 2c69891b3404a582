package projection

import (
	"context"
	"fmt"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// startPlan says what happens to the session starts of a batch: fresh were just written, changed
// differ from their session.
type startPlan struct {
	fresh, changed []ids.ID
}

// dropEventsSQL deletes the raw events of sessions that ended without a submission (decisions,
// section 4). No report counts them. An ended session takes no further events.
var dropEventsSQL = fill(`
delete from session_events e using {{sessions}} s
where e.tenant_id = $1 and e.session_id = any($2) and s.id = e.session_id and s.state in ('closed', 'abandoned')`)

// lockDeletedStartsSQL locks the starts of deleted sessions, so that only one of two batches takes them
// out.
const lockDeletedStartsSQL = `
select r.session_id from (select id from unnest($2::uuid[]) n (id) order by id offset 0) n
cross join lateral (select session_id from report_session_starts where tenant_id = $1 and session_id = n.id
	and not exists (select from sessions s where s.tenant_id = $1 and s.id = n.id) offset 0 for update) r`

// compareStarts locks the starts and deletes events that nothing needs any more. It looks for
// changes only in rows that were there before: a session may move on between the two statements,
// and a start that was just written is not counted yet and must not be taken back. The outbox row
// of the move comes later.
func compareStarts(ctx context.Context, tx *db.Tx, all []ids.ID) (startPlan, error) {
	fresh, err := startsOf(ctx, tx, writeStartsSQL, all)
	if err == nil {
		err = execute(ctx, tx, all, endedStarts)
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
	writeStartsSQL   = statement("write_session_starts")
	changedStartsSQL = statement("changed_session_starts")
	endedStarts      = []operation{{"drop events", dropEventsSQL}, {"lock deleted starts", lockDeletedStartsSQL}}
	countStarts      = []operation{{"count starts", statement("count_starts")}}
	rewriteStarts    = []operation{
		{"delete empty days", statement("delete_empty_days")},
		{"drop starts", "delete from report_session_starts where tenant_id = $1 and session_id = any($2)"},
		{"write starts", writeStartsSQL},
	}
)

func applyStarts(ctx context.Context, tx *db.Tx, p startPlan) error {
	left, err := takerDays(ctx, tx, p.changed)
	if err != nil {
		return err
	}
	err = execute(ctx, tx, p.changed, removed(countStarts))
	if err != nil {
		return err
	}
	err = execute(ctx, tx, p.changed, rewriteStarts)
	if err != nil {
		return err
	}
	all := sortedIDs(append(p.changed, p.fresh...))
	err = execute(ctx, tx, all, added(countStarts))
	if err != nil {
		return err
	}
	return moveTakers(ctx, tx, all, left)
}
