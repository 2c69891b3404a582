package correction

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// The sums are of the scores as they stand, exact and in steps of 1e-10, so that scoring
// rounds and judges them as it does at submit.
const sumsSQL = `
select s.id, coalesce(sum(i.score) * 10000000000, 0)::bigint, coalesce(sum(i.max_score) * 10000000000, 0)::bigint,
	count(*) filter (where i.score_status = 'PENDING')
from submissions s
left join ` + submission.NewestItems + ` i on i.item_id <> all($3::uuid[])
where s.tenant_id = $1 and s.id = any($2)
group by s.tenant_id, s.id`

// total finds what the submissions are worth after their changes. Their items are added up
// where the totals do not tell enough.
func (s *scorer) total(ctx context.Context, tx *db.Tx, all []change) error {
	open := map[string][]ids.ID{}
	for i := range all {
		c := &all[i]
		page, err := s.sheet(ctx, tx, c.snapshot)
		if err != nil {
			return err
		}
		if !c.settle(page) {
			open[c.snapshot] = append(open[c.snapshot], c.submission)
		}
	}
	sums := map[ids.ID]scoring.Sum{}
	for snapshot, submissions := range open {
		err := addUp(ctx, tx, submissions, s.sheets[snapshot].surveys, sums)
		if err != nil {
			return err
		}
	}
	for i := range all {
		c := &all[i]
		if sum, asked := sums[c.submission]; asked {
			c.after = c.apply(sum, s.sheets[c.snapshot])
		}
	}
	return nil
}

// settle finds the totals after the change out of those before it, and says whether they tell.
// They do not tell how many items are pending: only whether any is.
func (c *change) settle(p *sheet) bool {
	sum, told := c.before.Sum(p.config)
	for _, i := range c.items {
		if p.keys[i.itemID].ContributesToScore && i.before.Status == scoring.Pending && i.after.Status != scoring.Pending {
			return false
		}
	}
	if told {
		c.after = c.apply(sum, p)
	}
	return told
}

func (c *change) apply(sum scoring.Sum, p *sheet) scoring.Result {
	for _, i := range c.items {
		if p.keys[i.itemID].ContributesToScore {
			sum.Replace(i.before, i.after)
		}
	}
	return sum.Result(p.config, p.mark)
}

func addUp(ctx context.Context, tx *db.Tx, submissions, surveys []ids.ID, sums map[ids.ID]scoring.Sum) error {
	rows, err := tx.Query(ctx, sumsSQL, tx.Tenant(), submissions, surveys)
	if err != nil {
		return fmt.Errorf("add up scores: %w", err)
	}
	var id ids.ID
	var sum scoring.Sum
	_, err = pgx.ForEachRow(rows, []any{&id, &sum.Score, &sum.MaxScore, &sum.Pending}, func() error {
		sums[id] = sum
		return nil
	})
	if err != nil {
		return fmt.Errorf("add up scores: %w", err)
	}
	return nil
}
