package remediation

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

const finer = "i.score_status = 'SCORED' and (i.score < 0 or i.score_method = 'partial')"

// The sums are of the present scores, in steps of 1e-10, with the items that may be worth more than
// that: so they are exact, and scoring rounds and judges them as it does at submit.
var sumsSQL = `
select s.id, coalesce(sum(i.score) * 10000000000, 0)::bigint, coalesce(sum(i.max_score) * 10000000000, 0)::bigint,
	count(*) filter (where i.score_status = 'PENDING'),
	array_agg(i.score_method) filter (where ` + finer + `), array_agg(i.score::float8) filter (where ` + finer + `),
	array_agg(i.max_score::float8) filter (where ` + finer + `), array_agg(i.correct_selected) filter (where ` + finer + `),
	array_agg(i.incorrect_selected) filter (where ` + finer + `), array_agg(i.total_correct) filter (where ` + finer + `)
from unnest($2::uuid[]) w (id)
cross join lateral (select id, score_version from submissions s where s.tenant_id = $1 and s.id = w.id offset 0) s
left join ` + submission.NewestItems("$1") + ` i on i.item_id <> all($3::uuid[])
group by s.id`

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
		err := addUp(ctx, tx, submissions, s.sheets[snapshot], sums)
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

// settle works out the totals after the change from the totals before it, and says whether that was
// possible. The totals do not tell how many items are pending, only whether any is.
func (c *change) settle(p *sheet) bool {
	sum, told := c.before.Sum(p.config)
	for _, i := range c.items {
		if p.keys[i.itemID].ContributesToScore && i.before.Status == scoring.Pending && i.after.Status != scoring.Pending {
			return false
		}
	}
	told = told && !p.finer
	if told {
		c.after = c.apply(sum, p)
	}
	return told
}

func (c *change) apply(sum scoring.Sum, p *sheet) scoring.Result {
	for _, i := range c.items {
		if p.keys[i.itemID].ContributesToScore {
			sum.Replace(i.before, i.after, p.config)
		}
	}
	return sum.Result(p.config, p.mark)
}

func addUp(ctx context.Context, tx *db.Tx, submissions []ids.ID, p *sheet, sums map[ids.ID]scoring.Sum) error {
	rows, err := tx.Query(ctx, sumsSQL, tx.Tenant(), submissions, p.surveys)
	if err != nil {
		return fmt.Errorf("add up scores: %w", err)
	}
	var id ids.ID
	var sum scoring.Sum
	var methods []string
	var scores, most []float64
	var right, wrong, correct []int
	_, err = pgx.ForEachRow(rows, []any{&id, &sum.Score, &sum.MaxScore, &sum.Pending, &methods, &scores, &most, &right, &wrong, &correct}, func() error {
		exact := sum
		for i := range methods {
			exact.AddRest(scoring.Item{Status: scoring.Scored, Method: methods[i], Score: scores[i], MaxScore: most[i],
				CorrectSelected: right[i], IncorrectSelected: wrong[i], TotalCorrect: correct[i]}, p.config)
		}
		sums[id] = exact
		return nil
	})
	if err != nil {
		return fmt.Errorf("add up scores: %w", err)
	}
	return nil
}
