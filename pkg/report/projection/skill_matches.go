package projection

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// SkillMatch says that a rule matches a question of an evaluation version, and by which term. Term is
// nil if it did not match by a term.
type SkillMatch struct {
	EvaluationVersion, Question, Rule, Skill ids.ID
	Weight                                   float64
	Term                                     *ids.ID
}

var skillMatchesSQL = statement("skill_matches")

// SkillMatches matches the questions of published evaluation versions against the rules of mapping versions, drafts
// included. It gives at most limit rows, in the order of their ids. It checks no capability.
func SkillMatches(ctx context.Context, tx *db.Tx, mappings, evaluationVersions []ids.ID, limit int) ([]SkillMatch, error) {
	rows, err := tx.Query(ctx, `select evaluation_version_id, question_version_id, rule_id, skill_id, weight::float8, term_id
		from (`+skillMatchesSQL+`) m limit $4`, tx.Tenant(), mappings, evaluationVersions, limit)
	if err != nil {
		return nil, fmt.Errorf("match rules: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[SkillMatch])
	if err != nil {
		return nil, fmt.Errorf("match rules: %w", err)
	}
	return all, nil
}

const (
	appliedVersionsSQL = "select distinct version_id from report_skill_targets where tenant_id = $1 order by 1"
	activeVersionsSQL  = `
		select active_version_id from skill_mapping_sets
		where tenant_id = $1 and active_version_id is not null and retired_at is null order by 1`
	// attemptedSQL are the evaluation versions that somebody attempted.
	attemptedSQL = `
		select distinct evaluation_version_id from report_evaluation_rollup where tenant_id = $1 and cut = 'all' and completed_n > 0 order by 1`
	writeMatchedSQL = `
		insert into report_skill_matched (tenant_id, org_unit_id, evaluation_version_id)
		select $1::uuid, e.org_unit_id, e.id from unnest($2::uuid[]) v (id)
		cross join lateral (select id, org_unit_id from evaluation_versions e where e.tenant_id = $1 and e.id = v.id offset 0) e
		order by 3 on conflict do nothing`
)

// versionsSQL gives the evaluation versions of submissions, where there are rules: whether the rules were tried on
// them, and whether one matched.
var versionsSQL = fill(`
	select v.id, exists (select from report_skill_matched m where m.tenant_id = $1 and m.evaluation_version_id = v.id offset 0),
		exists (select from report_skill_matches m where m.tenant_id = $1 and m.evaluation_version_id = v.id offset 0)
	from (select distinct s.evaluation_version_id as id from {{submissions}} s
		where exists (select from report_skill_targets where tenant_id = $1)) v order by 1`)

var writeMatchesSQL = `
	insert into report_skill_matches (tenant_id, org_unit_id, evaluation_version_id, question_version_id, rule_id, skill_id, weight, term_id)
	` + skillMatchesSQL + ` on conflict do nothing`

// appliedVersions are the mapping versions that the last recalculation applied.
func appliedVersions(ctx context.Context, tx *db.Tx) ([]ids.ID, error) {
	all, err := idsOf(ctx, tx, appliedVersionsSQL)
	if err != nil {
		return nil, fmt.Errorf("find applied mappings: %w", err)
	}
	return all, nil
}

// matchNewVersions tries the applied rules on the evaluation versions of submissions that were not
// tried yet. It says whether a rule may match. When two batches do it at once, the second finds the
// rows of the first.
func matchNewVersions(ctx context.Context, tx *db.Tx, submissions []ids.ID) (bool, error) {
	if len(submissions) == 0 {
		return false, nil
	}
	var fresh []ids.ID
	var version ids.ID
	var known, matches, some bool
	err := eachRow(ctx, tx, versionsSQL, []any{tx.Tenant(), submissions}, []any{&version, &known, &matches}, func() {
		some = some || matches
		if !known {
			fresh = append(fresh, version)
		}
	})
	if err != nil {
		return false, fmt.Errorf("find versions to match: %w", err)
	}
	if len(fresh) == 0 {
		return some, nil
	}
	applied, err := appliedVersions(ctx, tx)
	if err != nil {
		return false, err
	}
	return true, match(ctx, tx, applied, fresh)
}

// match writes what rules of the mappings match in the evaluation versions.
func match(ctx context.Context, tx *db.Tx, mappings, evaluationVersions []ids.ID) error {
	if len(mappings) == 0 || len(evaluationVersions) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, writeMatchedSQL, tx.Tenant(), evaluationVersions)
	if err != nil {
		return fmt.Errorf("note matched versions: %w", err)
	}
	_, err = tx.Exec(ctx, writeMatchesSQL, tx.Tenant(), mappings, evaluationVersions)
	if err != nil {
		return fmt.Errorf("match rules: %w", err)
	}
	return nil
}

// rematch matches every attempted evaluation version against the mappings, from nothing. No batch
// may run meanwhile, unless everything is rolled back.
func rematch(ctx context.Context, tx *db.Tx, mappings []ids.ID) error {
	for _, table := range []string{"report_skill_matches", "report_skill_matched"} {
		_, err := tx.Exec(ctx, "delete from "+table+" where tenant_id = $1", tx.Tenant())
		if err != nil {
			return fmt.Errorf("empty %s: %w", table, err)
		}
	}
	attempted, err := idsOf(ctx, tx, attemptedSQL)
	if err != nil {
		return fmt.Errorf("find attempted versions: %w", err)
	}
	return match(ctx, tx, mappings, attempted)
}

const dropTargetsSQL = "delete from report_skill_targets where tenant_id = $1"

// All rules of a skill have the same strategy, and only one set targets it: publishing sees to both.
const writeTargetsSQL = `
insert into report_skill_targets (tenant_id, skill_id, set_id, version_id, strategy, half_life_days, applied_at)
select distinct on (r.target_skill_id) r.tenant_id, r.target_skill_id, v.set_id, v.id, r.strategy, r.half_life_days, $3::timestamptz
from skill_mapping_rules r join skill_mapping_versions v on v.tenant_id = r.tenant_id and v.id = r.version_id
where r.tenant_id = $1 and r.version_id = any($2) order by r.target_skill_id, v.id, r.pos, r.id`

// apply makes figures follow mapping versions. Facts and figures still have to be brought up to date.
func apply(ctx context.Context, tx *db.Tx, mappings []ids.ID) error {
	_, err := tx.Exec(ctx, dropTargetsSQL, tx.Tenant())
	if err == nil {
		_, err = tx.Exec(ctx, writeTargetsSQL, tx.Tenant(), mappings, tx.Now())
	}
	if err != nil {
		return fmt.Errorf("apply mappings: %w", err)
	}
	return rematch(ctx, tx, mappings)
}

// activeVersions are the published mapping versions of all sets. If replaced is given, it takes the
// place of the version of its set.
func activeVersions(ctx context.Context, tx *db.Tx, replaced *ids.ID) ([]ids.ID, error) {
	if replaced == nil {
		all, err := idsOf(ctx, tx, activeVersionsSQL)
		if err != nil {
			return nil, fmt.Errorf("find active mappings: %w", err)
		}
		return all, nil
	}
	rows, err := tx.Query(ctx, `
		select active_version_id from skill_mapping_sets s where tenant_id = $1 and active_version_id is not null and retired_at is null
			and not exists (select from skill_mapping_versions v where v.tenant_id = $1 and v.id = $2 and v.set_id = s.id)
		union select $2::uuid order by 1`, tx.Tenant(), *replaced)
	if err != nil {
		return nil, fmt.Errorf("find active mappings: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return nil, fmt.Errorf("find active mappings: %w", err)
	}
	return all, nil
}

// ActiveMappings are the published mapping versions of all sets that are not retired.
func ActiveMappings(ctx context.Context, tx *db.Tx) ([]ids.ID, error) {
	return activeVersions(ctx, tx, nil)
}
