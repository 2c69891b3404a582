package projection

import (
	"context"
	"encoding/json"
	"fmt"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

var (
	// takerDaysSQL keeps what the starts made before they are written anew.
	takerDaysSQL  = "select coalesce(jsonb_agg(a), '[]') from (" + statement("taker_days") + ") a"
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

// takerDay is how often a taker was there on a day, before and after what moved.
type takerDay struct {
	version ids.ID
	day     int32
	run     string
	group   ids.ID
	was, is [3]int64
}

// takerDays gives the attendance that starts made, as movePeople takes it.
func takerDays(ctx context.Context, tx *db.Tx, changed []ids.ID) (json.RawMessage, error) {
	if len(changed) == 0 {
		return json.RawMessage("[]"), nil
	}
	var rows json.RawMessage
	err := tx.QueryRow(ctx, takerDaysSQL, tx.Tenant(), changed).Scan(&rows)
	if err != nil {
		return nil, fmt.Errorf("read attendance: %w", err)
	}
	return rows, nil
}

// moveTakers brings takers and people up to date with the starts; left is what the starts that were
// there before had made. The pairs of a person are made twice, before and after, and the difference
// is added. There are as many as the person has days, however often they came.
func moveTakers(ctx context.Context, tx *db.Tx, starts []ids.ID, left json.RawMessage) error {
	if len(starts) == 0 {
		return nil
	}
	all := map[taker][]takerDay{}
	var t taker
	var a takerDay
	var was, is []int64
	err := eachRow(ctx, tx, moveTakersSQL, []any{tx.Tenant(), starts, left},
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
	pairs := map[dayPair]int64{}
	for t, days := range all {
		addDayPairs(pairs, t, days)
	}
	return writeDayPairs(ctx, tx, pairs)
}

// dropTakers deletes the rows of days that somebody left, if they have no start there any more.
func dropTakers(ctx context.Context, tx *db.Tx, all map[taker][]takerDay) error {
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

// The takers of an evaluation are written together, and so are the days of each, as in the key.
var countTakersSQL = "insert into report_evaluation_takers " + statement("taker_days") + "order by 2, 3, 4, 5, 6, 7, 8"

const takersSQL = `
select user_id, evaluation_version_id, day - date 'epoch', run_label, group_id, array[starts_n, invited_n, invited_completed_n]
from report_evaluation_takers where tenant_id = $1 and org_unit_id = $2 and evaluation_id = $3 order by user_id`

// pairsAtOnce bounds how many pairs a rebuild keeps before it writes them.
const pairsAtOnce = 100_000

// countTakers makes the takers of all starts, and goes through the days of each of them once. How
// many pairs an evaluation has depends on its days, not on how many people were there.
func countTakers(ctx context.Context, tx *db.Tx) error {
	_, err := tx.Exec(ctx, countTakersSQL, tx.Tenant(), nil)
	if err != nil {
		return fmt.Errorf("count takers: %w", err)
	}
	evaluations, err := keysOf(ctx, tx, "select distinct org_unit_id, evaluation_id from report_evaluation_takers where tenant_id = $1", tx.Tenant())
	if err != nil {
		return fmt.Errorf("list evaluations: %w", err)
	}
	pairs := map[dayPair]int64{}
	for _, e := range evaluations {
		err = pairDays(ctx, tx, e.Org, e.Version, pairs)
		if err != nil {
			return fmt.Errorf("read takers: %w", err)
		}
		if len(pairs) < pairsAtOnce {
			continue
		}
		err = writeDayPairs(ctx, tx, pairs)
		if err != nil {
			return err
		}
		clear(pairs)
	}
	return writeDayPairs(ctx, tx, pairs)
}

// pairDays adds the pairs of all takers of an evaluation.
func pairDays(ctx context.Context, tx *db.Tx, org, evaluation ids.ID, pairs map[dayPair]int64) error {
	t := taker{org: org, evaluation: evaluation}
	var days []takerDay
	var user ids.ID
	var a takerDay
	var is []int64
	err := eachRow(ctx, tx, takersSQL, []any{tx.Tenant(), org, evaluation}, []any{&user, &a.version, &a.day, &a.run, &a.group, &is}, func() {
		if user != t.user {
			addDayPairs(pairs, t, days)
			t.user, days = user, days[:0]
		}
		a.is = [3]int64(is)
		days = append(days, a)
	})
	addDayPairs(pairs, t, days)
	return err
}
