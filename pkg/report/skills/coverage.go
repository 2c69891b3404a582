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

// Covered says how many questions of an evaluation version say something about a skill; none is a gap.
type Covered struct {
	SkillID     ids.ID  `json:"skillId"`
	Name        string  `json:"name"`
	Code        *string `json:"code"`
	FrameworkID *ids.ID `json:"frameworkId"`
	Questions   int     `json:"questions" doc:"Questions that say something about the skill; 0 is a gap"`
	Weight      float64 `json:"weight" doc:"Sum of the weights of the rules that match"`
}

// Coverage says which skills an evaluation version covers, by the published mappings, and which skills of
// a framework it leaves out: the covered ones first, then the gaps, each in the order of names.
type Coverage struct {
	EvaluationID        ids.ID `json:"evaluationId"`
	EvaluationVersionID ids.ID `json:"evaluationVersionId"`
	Questions           int    `json:"questions" doc:"Questions of the version that count"`
	MappedQuestions     int    `json:"mappedQuestions" doc:"Those that say something about a skill"`
	CoveredSkills       int    `json:"coveredSkills"`
	Gaps                int    `json:"gaps" doc:"Skills of the framework that no question covers; 0 without a framework"`
	db.List[Covered]
}

// CoverageFilter names the version and, if the caller wants gaps, the framework.
type CoverageFilter struct {
	db.Page
	EvaluationID, EvaluationVersionID, FrameworkID ids.ID
}

const maxMatches = 200_000

// GetCoverage compares a published version with the published mappings, whether figures follow them already or
// not. Capability: skills.read. Errors: not_found, conflict for a version that is not published,
// validation_failed.
func GetCoverage(ctx context.Context, tx *db.Tx, f CoverageFilter) (Coverage, error) {
	c := Coverage{EvaluationID: f.EvaluationID, EvaluationVersionID: f.EvaluationVersionID}
	err := tx.Require(capability.SkillsRead)
	if err != nil {
		return c, err
	}
	f.Page, err = f.Check()
	if err != nil {
		return c, err
	}
	c.Questions, err = countQuestions(ctx, tx, f)
	if err != nil {
		return c, err
	}
	active, err := projection.ActiveMappings(ctx, tx)
	if err != nil {
		return c, err
	}
	matches, err := projection.SkillMatches(ctx, tx, active, []ids.ID{f.EvaluationVersionID}, maxMatches)
	if err != nil {
		return c, err
	}
	bySkill, mapped := map[ids.ID]map[ids.ID]bool{}, map[ids.ID]bool{}
	weights := map[ids.ID]float64{}
	for _, m := range matches {
		if bySkill[m.Skill] == nil {
			bySkill[m.Skill] = map[ids.ID]bool{}
		}
		bySkill[m.Skill][m.Question], mapped[m.Question] = true, true
		weights[m.Skill] += m.Weight
	}
	c.MappedQuestions, c.CoveredSkills = len(mapped), len(bySkill)
	return c, c.list(ctx, tx, f, bySkill, weights)
}

const coveredSQL = `
from skills s left join unnest($2::uuid[]) c (id) on c.id = s.id
left join skill_versions v on v.tenant_id = $1 and v.id = s.current_version_id
where s.tenant_id = $1 and (s.id = any($2) or s.framework_id = $3 and s.retired_at is null and s.current_version_id is not null)`

// list reads the page of skills.
func (c *Coverage) list(ctx context.Context, tx *db.Tx, f CoverageFilter, bySkill map[ids.ID]map[ids.ID]bool, weights map[ids.ID]float64) error {
	covered := make([]ids.ID, 0, len(bySkill))
	for skill := range bySkill {
		covered = append(covered, skill)
	}
	var framework *ids.ID
	if f.FrameworkID != ids.None {
		framework = &f.FrameworkID
		var known bool
		err := tx.QueryRow(ctx, "select exists (select from skill_frameworks where tenant_id = $1 and id = $2)", tx.Tenant(), f.FrameworkID).Scan(&known)
		if err != nil {
			return fmt.Errorf("find framework: %w", err)
		}
		if !known {
			return errs.New(errs.NotFound, "There is no such framework.")
		}
	}
	var total int
	err := tx.QueryRow(ctx, "select count(*), count(*) filter (where c.id is null)"+coveredSQL, tx.Tenant(), covered, framework).Scan(&total, &c.Gaps)
	if err != nil {
		return fmt.Errorf("count skills: %w", err)
	}
	rows, err := tx.Query(ctx, "select s.id, coalesce(v.name, ''), s.code, s.framework_id"+coveredSQL+`
		order by c.id is null, coalesce(v.name, ''), s.id limit $4 offset $5`, tx.Tenant(), covered, framework, f.Limit, f.Offset())
	if err != nil {
		return fmt.Errorf("read skills: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Covered, error) {
		var s Covered
		err := row.Scan(&s.SkillID, &s.Name, &s.Code, &s.FrameworkID)
		s.Questions, s.Weight = len(bySkill[s.SkillID]), weights[s.SkillID]
		return s, err
	})
	if err != nil {
		return fmt.Errorf("read skills: %w", err)
	}
	c.List = db.NewList(all, f.Page, total)
	return nil
}

const questionsSQL = `
select e.status = 'published' or e.snapshot_hash is not null,
	(select count(distinct i ->> 'questionVersionId') from version_snapshots v, jsonb_array_elements(v.content -> 'sections') t, jsonb_array_elements(t -> 'items') i
		where v.tenant_id = $1 and v.hash = e.snapshot_hash and coalesce((i #>> '{key,contributesToScore}')::boolean, true))
from evaluation_versions e where e.tenant_id = $1 and e.id = $2 and e.evaluation_id = $3`

func countQuestions(ctx context.Context, tx *db.Tx, f CoverageFilter) (int, error) {
	rows, err := tx.Query(ctx, questionsSQL, tx.Tenant(), f.EvaluationVersionID, f.EvaluationID)
	if err != nil {
		return 0, fmt.Errorf("find version: %w", err)
	}
	var published bool
	n := -1
	_, err = pgx.ForEachRow(rows, []any{&published, &n}, func() error { return nil })
	switch {
	case err != nil:
		return 0, fmt.Errorf("find version: %w", err)
	case n < 0:
		return 0, errs.New(errs.NotFound, "There is no such version in your scope.")
	case !published:
		return 0, errs.New(errs.Conflict, "The version is a draft; its questions are settled when it is published.")
	}
	return n, nil
}
