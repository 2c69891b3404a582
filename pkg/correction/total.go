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

// The sums are exact and in steps of 1e-10, so that scoring rounds and judges them as it
// does at submit.
const sumsSQL = `
with given as materialized (
	select * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::float8[], $6::float8[]) g (submission_id, id, status, score, max_score)
)
select s.id, s.user_id, s.score::float8, s.max_score::float8, s.outcome_code, s.outcome_label,
	coalesce(sum(coalesce(g.score::numeric, i.score)) * 10000000000, 0)::bigint,
	coalesce(sum(coalesce(g.max_score::numeric, i.max_score)) * 10000000000, 0)::bigint,
	coalesce(bool_or(coalesce(g.status, i.score_status) = 'PENDING'), false)
from submissions s
left join ` + submission.NewestItems + ` i on i.item_id <> all($7::uuid[])
left join given g on g.id = i.id
where s.tenant_id = $1 and s.id in (select submission_id from given)
group by s.tenant_id, s.id
order by s.id`

// total adds up submissions of one snapshot, some of whose items change.
func (s *scorer) total(ctx context.Context, tx *db.Tx, snapshot string, items []itemOf) ([]change, error) {
	page, err := s.sheet(ctx, tx, snapshot)
	if err != nil {
		return nil, err
	}
	var submissions, of []ids.ID
	var statuses []string
	var scores, maxScores []float64
	changes := map[ids.ID][]itemChange{}
	for _, i := range items {
		submissions, of = append(submissions, i.submission), append(of, i.id)
		statuses, scores, maxScores = append(statuses, string(i.after.Status)), append(scores, i.after.Score), append(maxScores, i.after.MaxScore)
		changes[i.submission] = append(changes[i.submission], i.itemChange)
	}
	rows, err := tx.Query(ctx, sumsSQL, tx.Tenant(), submissions, of, statuses, scores, maxScores, page.surveys)
	if err != nil {
		return nil, fmt.Errorf("add up scores: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (change, error) {
		var c change
		var sum scoring.Sum
		b := &c.before
		err := row.Scan(&c.submission, &c.user, &b.Score, &b.MaxScore, &b.OutcomeCode, &b.OutcomeLabel, &sum.Score, &sum.MaxScore, &sum.Pending)
		c.after, c.items = sum.Result(page.config, page.mark), changes[c.submission]
		return c, err
	})
	if err != nil {
		return nil, fmt.Errorf("add up scores: %w", err)
	}
	return all, nil
}
