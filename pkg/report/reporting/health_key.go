package reporting

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
	"assess/pkg/kernel/scoring"
)

// KeyCorrection is another key than the snapshot's by which attempts are scored.
type KeyCorrection struct {
	RemediationID       ids.ID    `json:"remediationId"`
	EvaluationVersionID *ids.ID   `json:"evaluationVersionId" doc:"Where it replaced the key; null for chosen submissions, and then isCorrect of the options is not by it"`
	OptionIDs           []string  `json:"optionIds" nullable:"false" doc:"The right options; none for questions without options"`
	Submissions         int64     `json:"submissions" doc:"How many it is about"`
	AppliedAt           time.Time `json:"appliedAt"`
	Sentence            string    `json:"sentence"`
}

// Of an evaluation version the last one counts, and it is shown as long as there are attempts.
const rekeysSQL = `
select k.remediation_id, k.evaluation_version_id, k.option_ids, k.submissions_n, k.applied_at
from report_question_keys k
where k.tenant_id = $1 and k.org_unit_id = any($2) and k.question_version_id = $3 and k.rule = 'rekey' and (k.evaluation_version_id is null
	or exists (select from report_question_sections s where s.tenant_id = $1 and s.org_unit_id = k.org_unit_id
			and s.evaluation_version_id = k.evaluation_version_id and s.question_version_id = $3)
		and not exists (select from report_question_keys later where later.tenant_id = $1 and later.org_unit_id = k.org_unit_id
			and later.question_version_id = $3 and later.rule = 'rekey' and later.evaluation_version_id = k.evaluation_version_id and later.applied_number > k.applied_number))
order by k.applied_number desc`

func keyCorrections(ctx context.Context, tx *db.Tx, orgs []ids.ID, question ids.ID, qtype string) ([]KeyCorrection, error) {
	rows, err := tx.Query(ctx, rekeysSQL, tx.Tenant(), orgs, question)
	if err != nil {
		return nil, fmt.Errorf("read corrected keys: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (KeyCorrection, error) {
		var c KeyCorrection
		err := row.Scan(&c.RemediationID, &c.EvaluationVersionID, &c.OptionIDs, &c.Submissions, &c.AppliedAt)
		c.OptionIDs, c.AppliedAt = append([]string{}, c.OptionIDs...), c.AppliedAt.UTC()
		c.Sentence = c.say(qtype)
		return c, err
	})
	if err != nil {
		return nil, fmt.Errorf("read corrected keys: %w", err)
	}
	return all, nil
}

// say tells a teacher what the correction means for the figures.
func (c KeyCorrection) say(qtype string) string {
	day, key := c.AppliedAt.Format("2 January 2006"), "another answer"
	switch {
	case len(c.OptionIDs) == 0:
	case answerOf(qtype) == scoring.OneOption:
		key = strings.Join(c.OptionIDs, " or ")
	default:
		key = strings.Join(c.OptionIDs, " and ")
	}
	if c.EvaluationVersionID == nil {
		return fmt.Sprintf("On %s, %s came to count as right in %s that somebody chose. Their scores are counted here; what is called right and wrong is by the key of all others.",
			day, key, plural.Of(c.Submissions, "submission"))
	}
	return fmt.Sprintf("On %s the right answer was corrected to %s in an evaluation version, for the %s of that time. Whoever submitted later was scored by the key before.",
		day, key, plural.Of(c.Submissions, "submission"))
}
