package skills

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// Fact is an item attempt behind a figure, with the rule that made it count.
type Fact struct {
	SubmissionID        ids.ID    `json:"submissionId"`
	SubmissionItemID    ids.ID    `json:"submissionItemId"`
	OrgUnitID           ids.ID    `json:"orgUnitId"`
	CompletedAt         time.Time `json:"completedAt"`
	Value               *float64  `json:"value" doc:"The share of the maximum that was earned; null for one's own where the evaluation gives no feedback on items"`
	Weight              float64   `json:"weight"`
	ScoreAwarded        *float64  `json:"scoreAwarded"`
	MaxScore            *float64  `json:"maxScore"`
	QuestionVersionID   ids.ID    `json:"questionVersionId"`
	EvaluationID        ids.ID    `json:"evaluationId"`
	EvaluationVersionID ids.ID    `json:"evaluationVersionId"`
	EvaluationTitle     string    `json:"evaluationTitle"`
	RunLabel            *string   `json:"run_label"`
	Provenance
}

// Provenance says by which rule a question counts for a skill.
type Provenance struct {
	RuleID               ids.ID  `json:"ruleId"`
	RuleType             string  `json:"ruleType" enum:"tag_predicate,evaluation,evaluation_version,question_version,framework"`
	MappingSetID         ids.ID  `json:"mappingSetId"`
	MappingVersionID     ids.ID  `json:"mappingVersionId"`
	MappingVersionNumber int     `json:"mappingVersionNumber"`
	TermID               *ids.ID `json:"termId" doc:"The term that made the rule match; null where none did"`
	TermLabel            *string `json:"termLabel"`
}

// Evidence is what the figures of a person rest on, the newest first.
type Evidence struct {
	projection.Freshness
	User    Person   `json:"user"`
	Figures []Figure `json:"figures" nullable:"false" doc:"The figure itself, for each org unit of the scope; none when there is no evidence"`
	db.List[Fact]
}

//go:embed evidence.sql
var evidenceSQL string

const countEvidenceSQL = `
select coalesce(sum(r.facts_n), 0)::int from unnest($2::uuid[]) o (id)
cross join lateral (select facts_n from report_skill_rollups r
	where r.tenant_id = $1 and r.org_unit_id = o.id and r.user_id = $3 and r.skill_id = $4 offset 0) r`

// GetEvidence reads the item attempts behind a figure. Capability: as GetProfile. Errors: forbidden, not_found,
// validation_failed.
func GetEvidence(ctx context.Context, tx *db.Tx, user, skill ids.ID, page db.Page) (Evidence, error) {
	var e Evidence
	err := mayRead(tx, user)
	if err != nil {
		return e, err
	}
	page, err = page.Check()
	if err != nil {
		return e, err
	}
	e.User, err = findPerson(ctx, tx, user)
	if err != nil {
		return e, err
	}
	err = findSkill(ctx, tx, skill)
	if err != nil {
		return e, err
	}
	units, err := projection.OrgUnits(ctx, tx)
	if err != nil {
		return e, err
	}
	e.Figures, err = readFigures(ctx, tx, figuresSQL(tx, user), tx.Tenant(), units, user, skill)
	if err != nil {
		return e, err
	}
	if e.Figures == nil {
		e.Figures = []Figure{}
	}
	var total int
	err = tx.QueryRow(ctx, countEvidenceSQL, tx.Tenant(), units, user, skill).Scan(&total)
	if err != nil {
		return e, fmt.Errorf("count evidence: %w", err)
	}
	facts, err := readFacts(ctx, tx, units, user, []ids.ID{skill}, page)
	if err != nil {
		return e, err
	}
	e.List = db.NewList(facts[skill], page, total)
	e.Freshness, err = projection.Fresh(ctx, tx)
	return e, err
}

func findSkill(ctx context.Context, tx *db.Tx, skill ids.ID) error {
	var known bool
	err := tx.QueryRow(ctx, "select exists (select from skills where tenant_id = $1 and id = $2)", tx.Tenant(), skill).Scan(&known)
	if err != nil {
		return fmt.Errorf("find skill: %w", err)
	}
	if !known {
		return errs.New(errs.NotFound, "There is no such skill.")
	}
	return nil
}

// readFacts reads a page of the facts about each of the skills, by skill.
func readFacts(ctx context.Context, tx *db.Tx, units []ids.ID, user ids.ID, skills []ids.ID, page db.Page) (map[ids.ID][]Fact, error) {
	rows, err := tx.Query(ctx, evidenceSQL, tx.Tenant(), units, user, skills, page.Limit, page.Offset(), !itself(tx, user))
	if err != nil {
		return nil, fmt.Errorf("read evidence: %w", err)
	}
	all := map[ids.ID][]Fact{}
	var f Fact
	var skill ids.ID
	_, err = pgx.ForEachRow(rows, []any{&f.SubmissionID, &f.SubmissionItemID, &f.OrgUnitID, &f.CompletedAt, &f.Value, &f.Weight, &f.ScoreAwarded, &f.MaxScore,
		&f.QuestionVersionID, &f.EvaluationID, &f.EvaluationVersionID, &f.EvaluationTitle, &f.RunLabel,
		&f.RuleID, &f.RuleType, &f.MappingSetID, &f.MappingVersionID, &f.MappingVersionNumber, &f.TermID, &f.TermLabel, &skill}, func() error {
		f.CompletedAt = f.CompletedAt.UTC()
		all[skill] = append(all[skill], f)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read evidence: %w", err)
	}
	return all, nil
}
