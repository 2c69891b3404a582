package authoring

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

const (
	// maxPool bounds the questions that one draw can choose from.
	maxPool = 2000
	// maxShown bounds the questions of a published version, pools included.
	maxShown = 5000
)

// draw finds the candidates of each draw and shares them out. Questions that the evaluation
// shows anyway are not drawn.
func (b *bank) draw(ctx context.Context, tx *db.Tx, org ids.ID, draws []Item, fixed []ids.ID) error {
	b.candidates, b.pools = map[ids.ID]int{}, map[ids.ID][]ids.ID{}
	if len(draws) == 0 {
		return nil
	}
	candidates, err := findCandidates(ctx, tx, org, draws, fixed)
	if err != nil {
		return err
	}
	counts := make([]int, len(draws))
	for i, item := range draws {
		counts[i] = item.Draw.Count
	}
	for i, pool := range deal(counts, candidates) {
		b.candidates[draws[i].ID], b.pools[draws[i].ID] = len(candidates[i]), pool
	}
	return nil
}

// candidatesSQL gives for each draw the published questions of the org unit that carry all
// of its terms and none of the excluded ones, in the order of their ids. below says which
// terms a term includes: itself and the terms below it.
const candidatesSQL = `
with below as materialized (select root, member from unnest($3::uuid[], $4::uuid[]) as b (root, member)),
wanted as (select draw, root from unnest($5::int[], $6::uuid[]) as w (draw, root)),
barred as (select distinct x.draw, b.member from unnest($7::int[], $8::uuid[]) as x (draw, root) join below b using (root)),
carried as (
	select w.draw, t.question_id
	from wanted w join below b using (root)
	join question_terms t on t.tenant_id = $1 and t.term_id = b.member and t.org_unit_id = $2 and t.is_published
	group by w.draw, t.question_id
	having count(distinct w.root) = (select count(*) from wanted n where n.draw = w.draw)
),
usable as (
	select c.draw, c.question_id, row_number() over (partition by c.draw order by c.question_id) as place
	from carried c join questions q on q.tenant_id = $1 and q.id = c.question_id and q.status = 'published'
	where c.question_id <> all($9::uuid[]) and not exists (
		select from question_terms t join barred x on x.member = t.term_id
		where t.tenant_id = $1 and t.question_id = c.question_id and t.is_published and x.draw = c.draw)
)
select draw, question_id from usable where place <= $10 order by draw, place`

// findCandidates gives the questions that each draw could show, one more than maxPool at
// most.
func findCandidates(ctx context.Context, tx *db.Tx, org ids.ID, draws []Item, fixed []ids.ID) ([][]ids.ID, error) {
	var named []ids.ID
	var wantedBy, barredBy []int
	var wanted, barred []ids.ID
	for i, item := range draws {
		for _, term := range item.Draw.TaxonomyTermIDs {
			named, wantedBy, wanted = append(named, term), append(wantedBy, i), append(wanted, term)
		}
		for _, term := range item.Draw.ExcludeTaxonomyTermIDs {
			named, barredBy, barred = append(named, term), append(barredBy, i), append(barred, term)
		}
	}
	roots, members, err := taxonomy.Subtrees(ctx, tx, named)
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, candidatesSQL, tx.Tenant(), org, roots, members, wantedBy, wanted, barredBy, barred, given(fixed), maxPool+1)
	if err != nil {
		return nil, fmt.Errorf("find questions to draw: %w", err)
	}
	found := make([][]ids.ID, len(draws))
	var draw int
	var question ids.ID
	_, err = pgx.ForEachRow(rows, []any{&draw, &question}, func() error {
		found[draw] = append(found[draw], question)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find questions to draw: %w", err)
	}
	return found, nil
}

// given makes an array that the database does not take for null.
func given(list []ids.ID) []ids.ID { return append([]ids.ID{}, list...) }
