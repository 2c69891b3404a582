package reporting

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
)

// Exemption is a remediation by which attempts at the question count for nothing.
type Exemption struct {
	RemediationID       ids.ID    `json:"remediationId"`
	EvaluationVersionID *ids.ID   `json:"evaluationVersionId" doc:"Where it exempted the question; null for chosen submissions"`
	Submissions         int64     `json:"submissions" doc:"How many it is about"`
	AppliedAt           time.Time `json:"appliedAt"`
	Sentence            string    `json:"sentence"`
}

const exemptionsSQL = `
select k.remediation_id, k.evaluation_version_id, k.submissions_n, k.applied_at
from report_question_keys k
where k.tenant_id = $1 and k.org_unit_id = any($2) and k.question_version_id = $3 and k.rule = 'exempt_question' and (k.evaluation_version_id is null
	or exists (select from report_question_sections s where s.tenant_id = $1 and s.org_unit_id = k.org_unit_id
		and s.evaluation_version_id = k.evaluation_version_id and s.question_version_id = $3))
order by k.applied_number desc`

// exemptions name the remediations behind an omit rate that nobody's omissions explain.
func exemptions(ctx context.Context, tx *db.Tx, orgs []ids.ID, question ids.ID) ([]Exemption, error) {
	rows, err := tx.Query(ctx, exemptionsSQL, tx.Tenant(), orgs, question)
	if err != nil {
		return nil, fmt.Errorf("read exemptions: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Exemption, error) {
		var e Exemption
		err := row.Scan(&e.RemediationID, &e.EvaluationVersionID, &e.Submissions, &e.AppliedAt)
		e.AppliedAt = e.AppliedAt.UTC()
		of := "an evaluation version"
		if e.EvaluationVersionID == nil {
			of = "submissions that somebody chose"
		}
		e.Sentence = fmt.Sprintf("On %s the question was exempted in %s, for %s. The omit rate counts those; who left it out is counted apart.",
			e.AppliedAt.Format("2 January 2006"), of, plural.Of(e.Submissions, "submission"))
		return e, err
	})
	if err != nil {
		return nil, fmt.Errorf("read exemptions: %w", err)
	}
	return all, nil
}
