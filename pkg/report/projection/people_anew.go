package projection

import (
	"context"
	"fmt"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// The takers of an evaluation lie together, and the days of each of them, as in the key.
var countTakersSQL = "insert into report_evaluation_takers " + statement("taker_days") + "order by 2, 3, 4, 5, 6, 7, 8"

const takersSQL = `
select user_id, evaluation_version_id, day - date 'epoch', run_label, group_id, array[starts_n, invited_n, invited_completed_n]
from report_evaluation_takers where tenant_id = $1 and org_unit_id = $2 and evaluation_id = $3 order by user_id`

// linksAtOnce bounds how many links a rebuild keeps before it writes them.
const linksAtOnce = 100_000

// countPeople makes the takers of all starts, and goes through the days of each of them once.
// The links of an evaluation are as many as the pairs of its days, whoever was there.
func countPeople(ctx context.Context, tx *db.Tx) error {
	_, err := tx.Exec(ctx, countTakersSQL, tx.Tenant(), nil)
	if err != nil {
		return fmt.Errorf("count takers: %w", err)
	}
	evaluations, err := keysOf(ctx, tx, "select distinct org_unit_id, evaluation_id from report_evaluation_takers where tenant_id = $1", tx.Tenant())
	if err != nil {
		return fmt.Errorf("list evaluations: %w", err)
	}
	links := map[link]int64{}
	for _, e := range evaluations {
		err = linkPeople(ctx, tx, e.Org, e.Version, links)
		if err != nil {
			return fmt.Errorf("read takers: %w", err)
		}
		if len(links) < linksAtOnce {
			continue
		}
		err = writeLinks(ctx, tx, links)
		if err != nil {
			return err
		}
		clear(links)
	}
	return writeLinks(ctx, tx, links)
}

// linkPeople adds the links of all takers of an evaluation.
func linkPeople(ctx context.Context, tx *db.Tx, org, evaluation ids.ID, links map[link]int64) error {
	t := taker{org: org, evaluation: evaluation}
	var days []attended
	var user ids.ID
	var a attended
	var is []int64
	err := each(ctx, tx, takersSQL, []any{tx.Tenant(), org, evaluation}, []any{&user, &a.version, &a.day, &a.run, &a.group, &is}, func() {
		if user != t.user {
			addLinks(links, t, days)
			t.user, days = user, days[:0]
		}
		a.is = [3]int64(is)
		days = append(days, a)
	})
	addLinks(links, t, days)
	return err
}
