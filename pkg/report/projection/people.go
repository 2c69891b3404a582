package projection

import (
	"context"
	"encoding/json"
	"fmt"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

var (
	// leavingSQL keeps what the starts made before they are written anew.
	leavingSQL    = "select coalesce(jsonb_agg(a), '[]') from (" + statement("taker_days") + ") a"
	moveTakersSQL = statement("move_takers")
)

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
