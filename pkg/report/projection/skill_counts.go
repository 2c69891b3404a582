package projection

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// looked is how many published evaluations rules by terms are tried on at most.
const looked = 500

// triedSQL chooses the versions that the rules of a mapping version are tried on: the newest
// published evaluations, and the ones that its rules name.
const triedSQL = `
	with named as materialized (
		select (selector ->> 'evaluationId')::uuid as evaluation_id, (selector ->> 'evaluationVersionId')::uuid as evaluation_version_id,
			(selector ->> 'questionVersionId')::uuid as question_version_id
		from skill_mapping_rules where tenant_id = $1 and version_id = $2
	)
	select published_id from (
		select e.published_id from (select id from org_units where tenant_id = $1 offset 0) o
		cross join lateral (select published_id, updated_at, id from evaluations e
			where e.tenant_id = $1 and e.org_unit_id = o.id and e.status = 'published' and e.published_id is not null order by e.updated_at desc, e.id limit $3) e
		order by e.updated_at desc, e.id limit $3) newest
	union
	select v.id from (select distinct evaluation_id from named) n
	cross join lateral (select id from evaluation_versions v
		where v.tenant_id = $1 and v.evaluation_id = n.evaluation_id and v.status = 'published' offset 0) v
	union
	select evaluation_version_id from named where evaluation_version_id is not null
	union
	select p.evaluation_version_id from (select distinct question_version_id from named) n
	cross join lateral (select evaluation_version_id from evaluation_pins p
		where p.tenant_id = $1 and p.question_version_id = n.question_version_id limit 1) p`

// CountSkillMatches counts the questions that each rule of a mapping version matches, a question as often
// as versions of evaluations show it. Rules by terms are tried only on the newest published evaluations.
// A rule that matches nothing is left out. It checks no capability.
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
