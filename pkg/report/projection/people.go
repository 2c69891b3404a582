package projection

import (
	"context"
	"encoding/json"
	"fmt"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// attendance are the rows of report_evaluation_takers that starts make.
func attendance(e extent) string {
	return `
select r.tenant_id, r.org_unit_id, r.evaluation_id, r.user_id, r.evaluation_version_id, r.run_label,
	coalesce(r.group_id, ` + noGroup + `) as group_id, (r.attempt_at at time zone 'UTC')::date as day, count(*) as starts_n,
	count(*) filter (where r.is_invited) as invited_n, count(*) filter (where r.is_invited and r.is_completed) as invited_completed_n
from report_session_starts r where r.tenant_id = $1` + e.of("r.session_id") + `
group by 1, 2, 3, 4, 5, 6, 7, 8
`
}

// leavingSQL keeps what the starts made before they are written anew.
var leavingSQL = `select coalesce(jsonb_agg(a), '[]') from (` + attendance(chosen) + `) a`

// moveTakersSQL takes the attendance $3 out and puts that of the starts in. It gives all days
// at the evaluation of each person of whom something moved, before and after. A session that
// goes on within its day moves nothing.
var moveTakersSQL = `
with moved as materialized (
	select org_unit_id, evaluation_id, user_id, evaluation_version_id, run_label, group_id, day,
		sum(starts_n)::bigint as starts_n, sum(invited_n)::bigint as invited_n, sum(invited_completed_n)::bigint as invited_completed_n
	from (
		` + attendance(chosen) + `
		union all
		select tenant_id, org_unit_id, evaluation_id, user_id, evaluation_version_id, run_label, group_id, day,
			-starts_n, -invited_n, -invited_completed_n
		from jsonb_populate_recordset(null::report_evaluation_takers, $3)
	) m
	group by 1, 2, 3, 4, 5, 6, 7
	having sum(starts_n) <> 0 or sum(invited_n) <> 0 or sum(invited_completed_n) <> 0
), written as (
	insert into report_evaluation_takers as t
		(tenant_id, org_unit_id, evaluation_id, user_id, evaluation_version_id, run_label, group_id, day, starts_n, invited_n, invited_completed_n)
	select $1::uuid, * from moved
	on conflict (tenant_id, org_unit_id, evaluation_id, user_id, evaluation_version_id, run_label, group_id, day) do update set
		starts_n = t.starts_n + excluded.starts_n, invited_n = t.invited_n + excluded.invited_n,
		invited_completed_n = t.invited_completed_n + excluded.invited_completed_n
)
select org_unit_id, evaluation_id, user_id, evaluation_version_id, day - date 'epoch', run_label, group_id,
	array[0, 0, 0]::bigint[], array[starts_n, invited_n, invited_completed_n]
from moved
union all
select t.org_unit_id, t.evaluation_id, t.user_id, t.evaluation_version_id, t.day - date 'epoch', t.run_label, t.group_id,
	array[t.starts_n, t.invited_n, t.invited_completed_n], array[t.starts_n, t.invited_n, t.invited_completed_n]
from (select distinct org_unit_id, evaluation_id, user_id from moved) p, lateral (
	select * from report_evaluation_takers t
	where t.tenant_id = $1 and t.org_unit_id = p.org_unit_id and t.evaluation_id = p.evaluation_id
		and t.user_id = p.user_id offset 0) t`

// dropTakersSQL deletes the days on which nobody is left.
const dropTakersSQL = `
delete from report_evaluation_takers d using unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::uuid[], $8::int[])
	k (org_unit_id, evaluation_id, user_id, evaluation_version_id, run_label, group_id, day)
where d.tenant_id = $1 and (d.org_unit_id, d.evaluation_id, d.user_id, d.evaluation_version_id, d.run_label, d.group_id, d.day)
	= (k.org_unit_id, k.evaluation_id, k.user_id, k.evaluation_version_id, k.run_label, k.group_id, date 'epoch' + k.day) and d.starts_n = 0`

// taker is somebody who took an evaluation.
type taker struct{ org, evaluation, user ids.ID }

// attended is how often a taker was there on a day, before and after what moved.
type attended struct {
	version ids.ID
	day     int32
	run     string
	group   ids.ID
	was, is [3]int64
}

// leaving gives the attendance that starts made, as movePeople takes it.
func leaving(ctx context.Context, tx *db.Tx, changed []ids.ID) (json.RawMessage, error) {
	if len(changed) == 0 {
		return json.RawMessage("[]"), nil
	}
	var rows json.RawMessage
	err := tx.QueryRow(ctx, leavingSQL, tx.Tenant(), changed).Scan(&rows)
	if err != nil {
		return nil, fmt.Errorf("read attendance: %w", err)
	}
	return rows, nil
}

// movePeople brings takers and people up to date with the starts, of which those that were
// there before had made what left says. The links of a person are made twice, before and after,
// and the difference is added. They are as many as the person's days, however often they came.
func movePeople(ctx context.Context, tx *db.Tx, starts []ids.ID, left json.RawMessage) error {
	if len(starts) == 0 {
		return nil
	}
	all := map[taker][]attended{}
	var t taker
	var a attended
	var was, is []int64
	err := each(ctx, tx, moveTakersSQL, []any{tx.Tenant(), starts, left},
		[]any{&t.org, &t.evaluation, &t.user, &a.version, &a.day, &a.run, &a.group, &was, &is}, func() {
			a.was, a.is = [3]int64(was), [3]int64(is)
			all[t] = append(all[t], a)
		})
	if err != nil {
		return fmt.Errorf("move takers: %w", err)
	}
	err = dropTakers(ctx, tx, all)
	if err != nil {
		return err
	}
	links := map[link]int64{}
	for t, days := range all {
		addLinks(links, t, days)
	}
	return writeLinks(ctx, tx, links)
}

// dropTakers deletes the rows that somebody left, if they were the last.
func dropTakers(ctx context.Context, tx *db.Tx, all map[taker][]attended) error {
	var orgs, evaluations, users, versions, groups []ids.ID
	var runs []string
	var left []int32
	for t, days := range all {
		for _, a := range days {
			if a.is[0] < 0 {
				orgs, evaluations, users = append(orgs, t.org), append(evaluations, t.evaluation), append(users, t.user)
				versions, runs = append(versions, a.version), append(runs, a.run)
				groups, left = append(groups, a.group), append(left, a.day)
			}
		}
	}
	if len(left) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, dropTakersSQL, tx.Tenant(), orgs, evaluations, users, versions, runs, groups, left)
	if err != nil {
		return fmt.Errorf("drop takers: %w", err)
	}
	return nil
}
