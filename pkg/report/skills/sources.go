package skills

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Source is a question of an evaluation version that says something about a skill.
type Source struct {
	EvaluationID        ids.ID  `json:"evaluationId"`
	EvaluationVersionID ids.ID  `json:"evaluationVersionId"`
	EvaluationTitle     string  `json:"evaluationTitle"`
	QuestionID          *ids.ID `json:"questionId"`
	QuestionVersionID   ids.ID  `json:"questionVersionId"`
	OrgUnitID           ids.ID  `json:"orgUnitId"`
	Weight              float64 `json:"weight"`
	Provenance
}

const sourcesSQL = `
from report_skill_matches m
where m.tenant_id = $1 and m.skill_id = $2`

const sourcePageSQL = `
select e.evaluation_id, m.evaluation_version_id, e.title, q.question_id, m.question_version_id, m.org_unit_id, m.weight::float8,
	r.id, r.rule_type, v.set_id, v.id, v.number, m.term_id, t.label
from (select *` + sourcesSQL + ` order by evaluation_version_id, question_version_id, rule_id limit $3 offset $4) m
cross join lateral (select e.evaluation_id, e.title from evaluation_versions e where e.tenant_id = $1 and e.id = m.evaluation_version_id offset 0) e
left join lateral (select q.question_id from question_versions q where q.tenant_id = $1 and q.id = m.question_version_id offset 0) q on true
join skill_mapping_rules r on r.tenant_id = $1 and r.id = m.rule_id
join skill_mapping_versions v on v.tenant_id = $1 and v.id = r.version_id
left join terms t on t.tenant_id = $1 and t.id = m.term_id
order by m.evaluation_version_id, m.question_version_id, m.rule_id`

// ListSources lists the questions of attempted evaluation versions that say something about a skill, by the
// rules that figures follow now. Capability: skills.read. Errors: not_found, validation_failed.
func ListSources(ctx context.Context, tx *db.Tx, skill ids.ID, page db.Page) (db.List[Source], error) {
	none := db.List[Source]{}
	err := tx.Require(capability.SkillsRead)
	if err != nil {
		return none, err
	}
	page, err = page.Check()
	if err != nil {
		return none, err
	}
	err = findSkill(ctx, tx, skill)
	if err != nil {
		return none, err
	}
	var total int
	err = tx.QueryRow(ctx, "select count(*)"+sourcesSQL, tx.Tenant(), skill).Scan(&total)
	if err != nil {
		return none, fmt.Errorf("count sources: %w", err)
	}
	rows, err := tx.Query(ctx, sourcePageSQL, tx.Tenant(), skill, page.Limit, page.Offset())
	if err != nil {
		return none, fmt.Errorf("read sources: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Source, error) {
		var s Source
		err := row.Scan(&s.EvaluationID, &s.EvaluationVersionID, &s.EvaluationTitle, &s.QuestionID, &s.QuestionVersionID, &s.OrgUnitID, &s.Weight,
			&s.RuleID, &s.RuleType, &s.MappingSetID, &s.MappingVersionID, &s.MappingVersionNumber, &s.TermID, &s.TermLabel)
		return s, err
	})
	if err != nil {
		return none, fmt.Errorf("read sources: %w", err)
	}
	return db.NewList(all, page, total), nil
}
