package projection

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/db"
	"assess/pkg/ids"
)

// startPlan says what happens to the session starts of a batch: those in fresh were just
// written, those in changed differ from their session.
type startPlan struct {
	fresh, changed []ids.ID
}

// lockStartsSQL writes the missing rows and locks the others, in the order of their ids
// and in one pass. The sessions themselves are not locked: their candidates are saving
// answers.
const lockStartsSQL = `
insert into report_session_starts as r (tenant_id, org_unit_id, session_id, evaluation_id, evaluation_version_id,
	user_id, run_label, started_at, state)
select tenant_id, org_unit_id, id, evaluation_id, evaluation_version_id, user_id, run_label, started_at, state
from sessions where tenant_id = $1 and id = any($2) order by id
on conflict (tenant_id, session_id) do update set state = excluded.state where false
returning session_id`

const changedStartsSQL = `
select r.session_id
from report_session_starts r
left join sessions s on s.tenant_id = r.tenant_id and s.id = r.session_id
where r.tenant_id = $1 and r.session_id = any($2)
	and (r.org_unit_id, r.evaluation_id, r.evaluation_version_id, r.user_id, r.run_label, r.started_at, r.state)
	is distinct from (s.org_unit_id, s.evaluation_id, s.evaluation_version_id, s.user_id, s.run_label, s.started_at, s.state)`

// compareStarts looks only at rows that were there before for changes: a session may move
// on between the two statements, and what was just written is not counted yet and must not
// be taken back. The outbox row of the move comes later.
func compareStarts(ctx context.Context, tx *db.Tx, all []ids.ID) (startPlan, error) {
	fresh, err := startsOf(ctx, tx, lockStartsSQL, all)
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
	rows, err := tx.Query(ctx, sql, tx.Tenant(), subjects)
	if err != nil {
		return nil, fmt.Errorf("compare session starts: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return nil, fmt.Errorf("compare session starts: %w", err)
	}
	return found, nil
}

var (
	countStarts = []statement{
		{"count starts by day", addStartsSQL},
		{"count takers", addTakersSQL},
	}
	rewriteStarts = []statement{
		{"drop starts", "delete from report_session_starts where tenant_id = $1 and session_id = any($2)"},
		{"write starts", lockStartsSQL},
	}
)

func applyStarts(ctx context.Context, tx *db.Tx, p startPlan) error {
	err := run(ctx, tx, p.changed, countStarts, out)
	if err != nil {
		return err
	}
	err = run(ctx, tx, p.changed, rewriteStarts)
	if err != nil {
		return err
	}
	return run(ctx, tx, sortedIDs(append(p.changed, p.fresh...)), countStarts, in)
}

const addStartsSQL = `
insert into report_evaluation_day as d (` + evaluationDayColumns + `)
select $1::uuid, org_unit_id, evaluation_version_id, coalesce(run_label, ''), (started_at at time zone 'UTC')::date,
	evaluation_id, $3::int * count(*),
	$3::int * count(*) filter (where state = 'open'), $3::int * count(*) filter (where state = 'expired'),
	$3::int * count(*) filter (where state = 'closed'), $3::int * count(*) filter (where state = 'abandoned'),
	0, 0, 0, 0, 0, '{0,0,0,0,0,0,0,0,0,0}'
from report_session_starts
where tenant_id = $1 and session_id = any($2)
group by 2, 3, 4, 5, 6
on conflict (tenant_id, org_unit_id, evaluation_version_id, run_label, day) do update set ` + addEvaluationDay

// addTakersSQL keeps the number of different users beside the users, because counting
// them anew for each batch would take longer with each of them. A user is new when the
// row holds just what was added, and gone when nothing is left.
const addTakersSQL = `
with added as (
	select org_unit_id, evaluation_version_id, user_id, $3::int * count(*) as n
	from report_session_starts where tenant_id = $1 and session_id = any($2)
	group by 1, 2, 3 order by 1, 2, 3
), merged as (
	insert into report_evaluation_takers as t (tenant_id, org_unit_id, evaluation_version_id, user_id, starts_n)
	select $1::uuid, * from added
	on conflict (tenant_id, org_unit_id, evaluation_version_id, user_id)
		do update set starts_n = t.starts_n + excluded.starts_n
	returning org_unit_id, evaluation_version_id, user_id, starts_n
), moved as (
	select org_unit_id, evaluation_version_id,
		count(*) filter (where starts_n = n) - count(*) filter (where starts_n = 0) as users
	from merged join added using (org_unit_id, evaluation_version_id, user_id)
	group by 1, 2
)
update report_evaluation_rollup r set unique_users_n = r.unique_users_n + m.users
from moved m
where r.tenant_id = $1 and r.org_unit_id = m.org_unit_id and r.evaluation_version_id = m.evaluation_version_id
	and m.users <> 0`
