package skills

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// Resolved is a skill that a question counts for, with the rule and the term that say so.
type Resolved struct {
	EvaluationVersionID ids.ID  `json:"evaluationVersionId"`
	QuestionVersionID   ids.ID  `json:"questionVersionId"`
	SkillID             ids.ID  `json:"skillId"`
	Name                string  `json:"name"`
	Code                *string `json:"code"`
	Weight              float64 `json:"weight"`
	Provenance
}

// ResolveFilter says what to resolve; zero values do not narrow.
type ResolveFilter struct {
	db.Page
	// EvaluationVersionID is a published version; it is required.
	EvaluationVersionID ids.ID
	QuestionVersionID   ids.ID
	// MappingVersionID is a version of a mapping set, drafts included; without it all published versions.
	MappingVersionID ids.ID
}

const resolvedSQL = `
select m.*, coalesce(n.name, ''), s.code, r.rule_type, v.set_id, v.id, v.number, t.label
from unnest($2::uuid[], $3::uuid[], $4::uuid[]) with ordinality m (rule_id, skill_id, term_id, n)
join skill_mapping_rules r on r.tenant_id = $1 and r.id = m.rule_id
join skill_mapping_versions v on v.tenant_id = $1 and v.id = r.version_id
join skills s on s.tenant_id = $1 and s.id = m.skill_id
left join skill_versions n on n.tenant_id = $1 and n.id = s.current_version_id
left join terms t on t.tenant_id = $1 and t.id = m.term_id
order by m.n`

// Resolve says which skills the questions of a published evaluation version count for, and by which rule and
// term. Capability: taxonomy.read or skills.read. Errors: not_found, validation_failed.
func Resolve(ctx context.Context, tx *db.Tx, f ResolveFilter) (db.List[Resolved], error) {
	none := db.List[Resolved]{}
	if !tx.Can(capability.SkillsRead) {
		err := tx.Require(capability.TaxonomyRead)
		if err != nil {
			return none, err
		}
	}
	page, err := f.Check()
	if err != nil {
		return none, err
	}
	if f.EvaluationVersionID == ids.None {
		return none, errs.Invalid(errs.Field{Path: "evaluationVersionId", Code: "required", Message: "say which version"})
	}
	mappings, err := f.mappings(ctx, tx)
	if err != nil {
		return none, err
	}
	var known bool
	err = tx.QueryRow(ctx, "select exists (select from evaluation_versions where tenant_id = $1 and id = $2 and snapshot_hash is not null)",
		tx.Tenant(), f.EvaluationVersionID).Scan(&known)
	if err != nil {
		return none, fmt.Errorf("find version: %w", err)
	}
	if !known {
		return none, errs.New(errs.NotFound, "There is no such published version in your scope.")
	}
	matches, err := projection.SkillMatches(ctx, tx, mappings, []ids.ID{f.EvaluationVersionID}, maxMatches)
	if err != nil {
		return none, err
	}
	if f.QuestionVersionID != ids.None {
		var only []projection.SkillMatch
		for _, m := range matches {
			if m.Question == f.QuestionVersionID {
				only = append(only, m)
			}
		}
		matches = only
	}
	shown := matches[min(page.Offset(), len(matches)):min(page.Offset()+page.Limit, len(matches))]
	all, err := named(ctx, tx, shown)
	return db.NewList(all, page, len(matches)), err
}

func (f ResolveFilter) mappings(ctx context.Context, tx *db.Tx) ([]ids.ID, error) {
	if f.MappingVersionID == ids.None {
		return projection.ActiveMappings(ctx, tx)
	}
	var known bool
	err := tx.QueryRow(ctx, "select exists (select from skill_mapping_versions where tenant_id = $1 and id = $2)", tx.Tenant(), f.MappingVersionID).Scan(&known)
	if err != nil {
		return nil, fmt.Errorf("find mapping version: %w", err)
	}
	if !known {
		return nil, errs.New(errs.NotFound, "There is no such mapping version.")
	}
	return []ids.ID{f.MappingVersionID}, nil
}

// named adds names to matches.
func named(ctx context.Context, tx *db.Tx, matches []projection.SkillMatch) ([]Resolved, error) {
	var rules, skills []ids.ID
	var terms []*ids.ID
	for _, m := range matches {
		rules, skills, terms = append(rules, m.Rule), append(skills, m.Skill), append(terms, m.Term)
	}
	rows, err := tx.Query(ctx, resolvedSQL, tx.Tenant(), rules, skills, terms)
	if err != nil {
		return nil, fmt.Errorf("name skills: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Resolved, error) {
		var r Resolved
		var n int
		err := row.Scan(&r.RuleID, &r.SkillID, &r.TermID, &n, &r.Name, &r.Code, &r.RuleType, &r.MappingSetID, &r.MappingVersionID, &r.MappingVersionNumber, &r.TermLabel)
		if err == nil {
			m := matches[n-1]
			r.EvaluationVersionID, r.QuestionVersionID, r.Weight = m.EvaluationVersion, m.Question, m.Weight
		}
		return r, err
	})
	if err != nil {
		return nil, fmt.Errorf("name skills: %w", err)
	}
	return all, nil
}
