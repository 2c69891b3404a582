package correction

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/db"
	"assess/pkg/ids"
	"assess/pkg/scoring"
	"assess/pkg/submission"
)

// The sums are of the scores as they stand, exact and in steps of 1e-10, so that scoring
// rounds and judges them as it does at submit.
const sumsSQL = `
select s.id, s.user_id, s.score::float8, s.max_score::float8, s.outcome_code, s.outcome_label,
	coalesce(sum(i.score) * 10000000000, 0)::bigint, coalesce(sum(i.max_score) * 10000000000, 0)::bigint,
	count(*) filter (where i.score_status = 'PENDING')
from submissions s
left join ` + submission.NewestItems + ` i on i.item_id <> all($3::uuid[])
where s.tenant_id = $1 and s.id = any($2)
group by s.tenant_id, s.id
order by s.id`

// total adds up submissions of one snapshot, some of whose items change.
func (s *scorer) total(ctx context.Context, tx *db.Tx, snapshot string, items []itemOf) ([]change, error) {
	page, err := s.sheet(ctx, tx, snapshot)
	if err != nil {
		return nil, err
	}
	var submissions []ids.ID
	changes := map[ids.ID][]itemChange{}
	for _, i := range items {
		if changes[i.submission] == nil {
			submissions = append(submissions, i.submission)
		}
		changes[i.submission] = append(changes[i.submission], i.itemChange)
	}
	rows, err := tx.Query(ctx, sumsSQL, tx.Tenant(), submissions, page.surveys)
	if err != nil {
		return nil, fmt.Errorf("add up scores: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (change, error) {
		var c change
		var sum scoring.Sum
		b := &c.before
		err := row.Scan(&c.submission, &c.user, &b.Score, &b.MaxScore, &b.OutcomeCode, &b.OutcomeLabel, &sum.Score, &sum.MaxScore, &sum.Pending)
		c.items = changes[c.submission]
		for _, i := range c.items {
			if page.keys[i.itemID].ContributesToScore {
				sum.Replace(i.before, i.after)
			}
		}
		c.after = sum.Result(page.config, page.mark)
		return c, err
	})
	if err != nil {
		return nil, fmt.Errorf("add up scores: %w", err)
	}
	return all, nil
}
