package remediation

import (
	"context"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// The two things to preview.
const (
	ActionApply  = "apply"
	ActionRevert = "revert"
)

// PreviewInput chooses what to look at: Action is empty for what can be done next.
type PreviewInput struct {
	ID     ids.ID `path:"id" json:"-" noun:"remediation"`
	Action string `json:"action,omitempty" enum:"apply,revert" doc:"What to look at; without it, what can be done next"`
	db.Page
}

// Preview says what applying or reverting would do to the submissions as they are now.
type Preview struct {
	Action       string            `json:"action" enum:"apply,revert"`
	Submissions  int               `json:"submissions" doc:"How many it is about"`
	Changed      int               `json:"changed" doc:"How many would get a new version of their scores"`
	Raised       int               `json:"raised" doc:"How many would reach a greater share of their maximum: an exempted question takes its own away"`
	Lowered      int               `json:"lowered" doc:"How many would reach a smaller share of it"`
	OpenSessions int               `json:"openSessions" doc:"How many sessions of the evaluation version are open: what they hand in is corrected too, unless also_later is false; 0 for chosen submissions"`
	Flips        []Flip            `json:"flips" nullable:"false" doc:"How many would change their outcome, by kind"`
	Affected     db.List[Affected] `json:"affected" doc:"Those that change, the oldest first"`
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

// Standing gives the scores of a submission and its item.
type Standing struct {
	Score        float64 `json:"score"`
	MaxScore     float64 `json:"maxScore"`
	OutcomeCode  string  `json:"outcome_code" enum:"pass,fail,incomplete"`
	ItemStatus   string  `json:"itemScoreStatus" enum:"SCORED,PENDING,INVALID,EXEMPT"`
	ItemScore    float64 `json:"itemScore"`
	ItemMaxScore float64 `json:"itemMaxScore"`
}

// Look computes a preview of the submissions as they are, and changes nothing. Capability: remediations.manage. Errors:
// not_found, validation_failed, remediation_under_way, remediation_not_applied for a revert of one
// that is not applied.
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
	a := newAudit(row, action, page)
	err = a.run(ctx, tx)
	if err != nil {
		return Preview{}, err
	}
	a.OpenSessions, err = countOpen(ctx, tx, row)
	if err != nil {
		return Preview{}, err
	}
	return a.Preview, nil
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
