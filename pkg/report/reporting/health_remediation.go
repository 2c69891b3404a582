package reporting

import (
	"context"
	"fmt"
	"strings"
	"time"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
	"assess/pkg/kernel/scoring"
	"assess/pkg/report/projection"
)

// KeyCorrection is a key that attempts are scored by in place of the snapshot's.
type KeyCorrection struct {
	RemediationID       ids.ID    `json:"remediationId"`
	EvaluationVersionID *ids.ID   `json:"evaluationVersionId" doc:"Where it replaced the key; null for chosen submissions, and then isCorrect of the options is not by it"`
	OptionIDs           []string  `json:"optionIds" nullable:"false" doc:"The right options, or all in their right order; none for questions without options"`
	Submissions         int64     `json:"submissions" doc:"How many it is about"`
	AppliedAt           time.Time `json:"appliedAt"`
	Sentence            string    `json:"sentence"`
}

// Exemption is a remediation after which attempts at the question no longer count.
type Exemption struct {
	RemediationID       ids.ID    `json:"remediationId"`
	EvaluationVersionID *ids.ID   `json:"evaluationVersionId" doc:"Where it exempted the question; null for chosen submissions"`
	Submissions         int64     `json:"submissions" doc:"How many it is about"`
	AppliedAt           time.Time `json:"appliedAt"`
	Sentence            string    `json:"sentence"`
}

// Remediations of an evaluation version are shown as long as there are attempts at it. Of several
// keys of a version the last one counts.
const remediedSQL = `
select k.rule, k.remediation_id, k.evaluation_version_id, k.option_ids, k.submissions_n, k.applied_at
from report_question_keys k
where k.tenant_id = $1 and k.org_unit_id = any($2) and k.question_version_id = $3 and (k.evaluation_version_id is null
	or exists (select from report_question_sections s where s.tenant_id = $1 and s.org_unit_id = k.org_unit_id
			and s.evaluation_version_id = k.evaluation_version_id and s.question_version_id = $3)
		and (k.rule <> 'rekey' or not exists (select from report_question_keys later
			where later.tenant_id = $1 and later.org_unit_id = k.org_unit_id and later.question_version_id = $3 and later.rule = 'rekey'
				and later.evaluation_version_id = k.evaluation_version_id and later.applied_number > k.applied_number)))
order by k.applied_number desc`

// remedied are the remediations that changed the key of a question, and the ones that explain an omit
// rate which is not due to people who omitted the question: all of them or, where an evaluation version
// is given, the ones that may be about attempts at it.
func remedied(ctx context.Context, tx *db.Tx, orgs []ids.ID, h models.QuestionHealth, in ids.ID) ([]KeyCorrection, []Exemption, error) {
	corrections, exemptions := []KeyCorrection{}, []Exemption{}
	var rule string
	var c KeyCorrection
	v := projection.Values{Args: []any{tx.Tenant(), orgs, h.QuestionVersionID}}
	err := v.Read(ctx, tx, "read remediations", remediedSQL,
		[]any{&rule, &c.RemediationID, &c.EvaluationVersionID, &c.OptionIDs, &c.Submissions, &c.AppliedAt}, func() {
			if c.EvaluationVersionID != nil && in != ids.None && *c.EvaluationVersionID != in {
				return
			}
			c.AppliedAt = c.AppliedAt.UTC()
			if rule == "rekey" {
				c.OptionIDs = append([]string{}, c.OptionIDs...)
				c.Sentence = c.say(h.QType)
				corrections = append(corrections, c)
				return
			}
			e := Exemption{RemediationID: c.RemediationID, EvaluationVersionID: c.EvaluationVersionID, Submissions: c.Submissions, AppliedAt: c.AppliedAt}
			e.Sentence = e.say()
			exemptions = append(exemptions, e)
		})
	return corrections, exemptions, err
}

// say tells a teacher what the correction means for the figures.
func (c KeyCorrection) say(qtype string) string {
	day, key := c.AppliedAt.Format("2 January 2006"), "another answer"
	switch {
	case len(c.OptionIDs) == 0:
	case answerOf(qtype) == scoring.OneOption:
		key = strings.Join(c.OptionIDs, " or ")
	case answerOf(qtype) == scoring.AllInOrder:
		key = strings.Join(c.OptionIDs, ", ")
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

func (e Exemption) say() string {
	of := "an evaluation version"
	if e.EvaluationVersionID == nil {
		of = "submissions that somebody chose"
	}
	return fmt.Sprintf("On %s the question was exempted in %s, for %s. The omit rate counts those; who left it out is counted apart.",
		e.AppliedAt.Format("2 January 2006"), of, plural.Of(e.Submissions, "submission"))
}
