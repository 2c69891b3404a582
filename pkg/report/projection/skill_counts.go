package projection

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// looked bounds the published evaluations that rules by terms are tried on.
const looked = 500

// triedSQL chooses what the rules of a mapping version are tried on: the newest published
// evaluations, and what its rules name.
const triedSQL = `
	select published_id from (select published_id from evaluations e
		where e.tenant_id = $1 and e.published_id is not null order by e.updated_at desc, e.id limit $3) newest
	union
	select v.id from skill_mapping_rules r
	join evaluation_versions v on v.tenant_id = $1 and v.status = 'published' and v.evaluation_id = (r.selector ->> 'evaluationId')::uuid
	where r.tenant_id = $1 and r.version_id = $2
	union
	select (r.selector ->> 'evaluationVersionId')::uuid from skill_mapping_rules r
	where r.tenant_id = $1 and r.version_id = $2 and r.selector ? 'evaluationVersionId'
	union
	select p.evaluation_version_id from skill_mapping_rules r
	cross join lateral (select evaluation_version_id from evaluation_pins p
		where p.tenant_id = $1 and p.question_version_id = (r.selector ->> 'questionVersionId')::uuid limit 1) p
	where r.tenant_id = $1 and r.version_id = $2`

// CountSkillMatches counts the questions that each rule of a mapping version matches, a question as often
// as versions of evaluations show it. Rules by terms are tried on the newest published evaluations
// alone. A rule that matches nothing is not there. It asks for no capability.
func CountSkillMatches(ctx context.Context, tx *db.Tx, version ids.ID) (map[ids.ID]int, error) {
	versions, err := idsOf(ctx, tx, triedSQL, version, looked)
	if err != nil {
		return nil, fmt.Errorf("find evaluations: %w", err)
	}
	rows, err := tx.Query(ctx, "select rule_id, count(*) from ("+skillMatchesSQL+") m group by 1", tx.Tenant(), []ids.ID{version}, versions)
	if err != nil {
		return nil, fmt.Errorf("match rules: %w", err)
	}
	counts := map[ids.ID]int{}
	var rule ids.ID
	var n int
	_, err = pgx.ForEachRow(rows, []any{&rule, &n}, func() error {
		counts[rule] = n
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("match rules: %w", err)
	}
	return counts, nil
}
