package correction

import (
	"context"
	"fmt"
	"slices"

	"assess/models"
	"assess/pkg/db"
	"assess/pkg/errs"
	"assess/pkg/ids"
	"assess/pkg/scoring"
)

// The two things to preview.
const (
	ActionApply  = "apply"
	ActionRevert = "revert"
)

// PreviewInput chooses what to look at: Action is empty for what can be done next.
type PreviewInput struct {
	ID     ids.ID
	Action string
	db.Page
}

// Preview says what applying or reverting would do to the submissions as they are now.
type Preview struct {
	Action      string            `json:"action" enum:"apply,revert"`
	Submissions int               `json:"submissions" doc:"How many it is about"`
	Changed     int               `json:"changed" doc:"How many would get a new version of their scores"`
	Raised      int               `json:"raised" doc:"How many would have a higher score"`
	Lowered     int               `json:"lowered" doc:"How many would have a lower score"`
	Flips       []Flip            `json:"flips" nullable:"false" doc:"How many would change their outcome, by kind"`
	Affected    db.List[Affected] `json:"affected" doc:"Those that change, the oldest first"`
}

// Flip counts submissions that go from one outcome to another.
type Flip struct {
	From  string `json:"from" enum:"pass,fail,incomplete"`
	To    string `json:"to" enum:"pass,fail,incomplete"`
	Count int    `json:"count"`
}

// Affected is a submission that would change.
type Affected struct {
	SubmissionID ids.ID   `json:"submissionId"`
	UserID       ids.ID   `json:"userId"`
	Before       Standing `json:"before"`
	After        Standing `json:"after"`
}

// Standing is what a submission and its item are worth.
type Standing struct {
	Score        float64 `json:"score"`
	MaxScore     float64 `json:"maxScore"`
	OutcomeCode  string  `json:"outcome_code" enum:"pass,fail,incomplete"`
	ItemStatus   string  `json:"itemScoreStatus" enum:"SCORED,PENDING,INVALID,EXEMPT"`
	ItemScore    float64 `json:"itemScore"`
	ItemMaxScore float64 `json:"itemMaxScore"`
}

// Look computes a preview, and changes nothing. Capability: remediations.manage. Errors:
// not_found, validation_failed, remediation_under_way, remediation_not_applied when asked
// about reverting what is not applied.
func Look(ctx context.Context, tx *db.Tx, in PreviewInput) (Preview, error) {
	row, err := find(ctx, tx, in.ID, false)
	if err != nil {
		return Preview{}, err
	}
	page, err := in.Check()
	if err != nil {
		return Preview{}, err
	}
	action, err := actionOf(row, in.Action)
	if err != nil {
		return Preview{}, err
	}
	about, err := candidates(ctx, tx, row, action)
	if err != nil {
		return Preview{}, err
	}
	s, first := newScorer(row.QuestionVersionID), row.ID
	if action == ActionRevert {
		first = ids.None
	}
	p := Preview{Action: action, Submissions: len(about), Flips: []Flip{}}
	var all []change
	for piece := range slices.Chunk(about, chunk) {
		changes, err := s.rescore(ctx, tx, piece, first, row.ID)
		if err != nil {
			return Preview{}, err
		}
		slices.SortFunc(changes, func(a, b change) int { return slices.Compare(a.submission[:], b.submission[:]) })
		all = append(all, changes...)
	}
	p.count(all)
	start := min(page.Offset(), len(all))
	p.Affected = db.NewList(affected(all[start:min(start+page.Limit, len(all))]), page, len(all))
	return p, nil
}

func actionOf(row models.Remediation, asked string) (string, error) {
	applied := row.State == models.RemediationApplied
	switch {
	case asked != "" && asked != ActionApply && asked != ActionRevert:
		return "", invalid("action", "out_of_range", "expected apply or revert")
	case underWay(row):
		return "", errs.New(errs.RemediationUnderWay, "The remediation is on its way; look at its progress instead.").With("state", row.State)
	case asked == ActionRevert && row.State == models.RemediationDraft:
		return "", errs.New(errs.RemediationNotApplied, "The remediation is a draft: there is nothing to take back.")
	case asked != "":
		return asked, nil
	case applied:
		return ActionRevert, nil
	}
	return ActionApply, nil
}

// candidates are the submissions that the action would be about.
func candidates(ctx context.Context, tx *db.Tx, row models.Remediation, action string) ([]ids.ID, error) {
	enrolled := `select submission_id from remediation_submissions where tenant_id = $1 and remediation_id = $2 order by 1`
	args := []any{tx.Tenant(), row.ID}
	if row.EvaluationVersionID != nil && action == ActionApply {
		enrolled = `
			select s.id from submissions s
			where s.tenant_id = $1 and s.evaluation_version_id = $2 and s.status = 'completed' and exists (
				select from submission_items i where i.tenant_id = $1 and i.submission_id = s.id and i.question_version_id = $3)
			order by s.id`
		args = []any{tx.Tenant(), *row.EvaluationVersionID, row.QuestionVersionID}
	}
	about, err := collectIDs(ctx, tx, enrolled, args...)
	if err != nil {
		return nil, fmt.Errorf("find submissions: %w", err)
	}
	return about, nil
}

func (p *Preview) count(all []change) {
	flips := map[[2]scoring.Outcome]int{}
	for _, c := range all {
		p.Changed++
		switch {
		case c.after.Score > c.before.Score:
			p.Raised++
		case c.after.Score < c.before.Score:
			p.Lowered++
		}
		if c.after.OutcomeCode != c.before.OutcomeCode {
			flips[[2]scoring.Outcome{c.before.OutcomeCode, c.after.OutcomeCode}]++
		}
	}
	outcomes := []scoring.Outcome{scoring.Pass, scoring.Fail, scoring.Incomplete}
	for _, from := range outcomes {
		for _, to := range outcomes {
			if n := flips[[2]scoring.Outcome{from, to}]; n > 0 {
				p.Flips = append(p.Flips, Flip{string(from), string(to), n})
			}
		}
	}
}

func affected(changes []change) []Affected {
	var all []Affected
	for _, c := range changes {
		item := c.items[0]
		all = append(all, Affected{SubmissionID: c.submission, UserID: c.user, Before: standing(c.before, item.before), After: standing(c.after, item.after)})
	}
	return all
}

func standing(r scoring.Result, item scoring.Item) Standing {
	return Standing{Score: r.Score, MaxScore: r.MaxScore, OutcomeCode: string(r.OutcomeCode), ItemStatus: string(item.Status),
		ItemScore: item.Score, ItemMaxScore: item.MaxScore}
}
