package remediation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/kernel/scoring"
	"assess/pkg/people/people"
)

// MarkInput is the mark that a person gives an item.
type MarkInput struct {
	SubmissionID ids.ID  `path:"id" json:"-" noun:"submission"`
	ItemID       ids.ID  `path:"itemId" json:"-" noun:"item" doc:"The itemId of the item"`
	Score        float64 `json:"score" minimum:"0" doc:"From 0 to the weight of the item"`
	Comment      string  `json:"comment,omitempty" maxLength:"2000" doc:"For those who may read submissions; it stays out of ledger and reports"`
}

// Marked is an item and its submission after somebody scored it. If a remediation counts, it
// overrides the mark, and scoreStatus and itemScore come from it.
type Marked struct {
	SubmissionID ids.ID    `json:"submissionId"`
	ItemID       ids.ID    `json:"itemId"`
	ScoreVersion int       `json:"scoreVersion"`
	ItemStatus   string    `json:"itemScoreStatus" enum:"SCORED,PENDING,INVALID,EXEMPT"`
	ItemScore    float64   `json:"itemScore"`
	ItemMaxScore float64   `json:"itemMaxScore"`
	Score        float64   `json:"score"`
	MaxScore     float64   `json:"maxScore"`
	OutcomeCode  string    `json:"outcome_code" enum:"pass,fail,incomplete"`
	OutcomeLabel string    `json:"outcome_label"`
	RemediatedBy *ids.ID   `json:"remediatedBy" doc:"The remediation that has the last word over the item, if any"`
	MarkedBy     string    `json:"markedBy" doc:"user:<id> or operator:<name>"`
	MarkedAt     time.Time `json:"markedAt"`
}

// Mark scores an item by a person: an essay that waits for it, or any other item again. The newest
// mark counts, and each is a version of the scores. Capability: submissions.review. Errors:
// not_found, validation_failed, submission_voided, four_eyes_required for the person who took the submission.
func Mark(ctx context.Context, tx *db.Tx, in MarkInput) (Marked, error) {
	if err := tx.Require(capability.SubmissionsReview); err != nil {
		return Marked{}, err
	}
	item, err := holdItem(ctx, tx, in)
	if err != nil {
		return Marked{}, err
	}
	bad := errs.Prose("comment", in.Comment, maxText, false)
	if !(in.Score >= 0 && in.Score <= item.weight) {
		bad = append(bad, errs.Field{Path: "score", Code: "out_of_range", Message: fmt.Sprintf("from 0 to the weight of the item, %v", item.weight)})
	}
	if err := errs.Invalid(bad...); err != nil {
		return Marked{}, err
	}
	_, err = tx.Exec(ctx, `
		insert into item_marks (tenant_id, submission_id, submission_item_id, number, org_unit_id, score, actor, comment, score_version, marked_at)
		select $1, $2, $3, 1 + count(*), $4, $5::float8::numeric, $6, $7, $8, $9 from item_marks
		where tenant_id = $1 and submission_id = $2 and submission_item_id = $3 returning true`,
		tx.Tenant(), in.SubmissionID, item.id, item.orgUnit, in.Score, tx.Actor().String(), in.Comment, item.version+1, tx.Now())
	if err != nil {
		return Marked{}, fmt.Errorf("mark item: %w", err)
	}
	s := newScorer(item.question)
	changes, err := s.rescore(ctx, tx, []ids.ID{in.SubmissionID}, ids.None, ids.None)
	if err != nil {
		return Marked{}, err
	}
	versions := rescorings(changes)
	if len(versions) == 0 {
		// A mark by a person makes a version even if it leaves the scores as they are.
		versions = []submission.Rescoring{{SubmissionID: in.SubmissionID, Result: item.standing}}
	}
	err = submission.Rescore(ctx, tx, submission.Cause{Reason: models.ScoredByPerson, Actor: tx.Actor().String()}, versions)
	if err != nil {
		return Marked{}, err
	}
	marked, err := s.marked(ctx, tx, in, item)
	if err != nil {
		return Marked{}, err
	}
	return marked, ledger.Append(ctx, tx, ledger.Event{Type: "submission.item.scored", SubjectType: "submission", SubjectID: in.SubmissionID,
		OrgUnit: item.orgUnit, Payload: map[string]any{"itemId": in.ItemID, "scoreVersion": marked.ScoreVersion, "score": in.Score}})
}

// markable is an item that a person may score.
type markable struct {
	id, question, orgUnit ids.ID
	weight                float64
	version               int
	standing              scoring.Result
}

// holdItem finds the item and keeps everybody else from correcting its submission.
func holdItem(ctx context.Context, tx *db.Tx, in MarkInput) (markable, error) {
	var m markable
	var user ids.ID
	var status string
	none := errs.New(errs.NotFound, "There is no such submission or item in your scope.")
	err := tx.QueryRow(ctx, `
		select org_unit_id, user_id, status, score_version, score::float8, max_score::float8, outcome_code, outcome_label, pending from submissions
		where tenant_id = $1 and id = $2 and ($3 or org_unit_id = $4) for no key update`,
		tx.Tenant(), in.SubmissionID, tx.Scope().All, tx.Scope().OrgUnit).
		Scan(&m.orgUnit, &user, &status, &m.version, &m.standing.Score, &m.standing.MaxScore, &m.standing.OutcomeCode, &m.standing.OutcomeLabel, &m.standing.Pending)
	if errors.Is(err, pgx.ErrNoRows) {
		return m, none
	}
	if err != nil {
		return m, fmt.Errorf("hold submission: %w", err)
	}
	err = tx.QueryRow(ctx, `
		select id, question_version_id, max_score::float8 from submission_items
		where tenant_id = $1 and submission_id = $2 and item_id = $3`, tx.Tenant(), in.SubmissionID, in.ItemID).
		Scan(&m.id, &m.question, &m.weight)
	actor := tx.Actor()
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return m, none
	case err != nil:
		return m, fmt.Errorf("find item: %w", err)
	case status == models.SubmissionVoided:
		return m, errs.New(errs.SubmissionVoided, "The submission is voided; that is final.")
	case actor.Is(user):
		return m, errs.New(errs.FourEyesRequired, "Whoever took the submission cannot score it.")
	}
	return m, people.RefuseErased(ctx, tx, user)
}

// marked reads the present state of the submission.
func (s *scorer) marked(ctx context.Context, tx *db.Tx, in MarkInput, m markable) (Marked, error) {
	out := Marked{SubmissionID: in.SubmissionID, ItemID: in.ItemID, MarkedBy: tx.Actor().String(), MarkedAt: tx.Now()}
	err := tx.QueryRow(ctx, `
		select score_version, score::float8, max_score::float8, outcome_code, outcome_label from submissions where tenant_id = $1 and id = $2`,
		tx.Tenant(), in.SubmissionID).Scan(&out.ScoreVersion, &out.Score, &out.MaxScore, &out.OutcomeCode, &out.OutcomeLabel)
	if err != nil {
		return out, fmt.Errorf("read submission: %w", err)
	}
	err = s.look(ctx, tx, these, []ids.ID{in.SubmissionID}, ids.None, func(items []seen) error {
		for _, i := range items {
			if i.id == m.id {
				out.ItemStatus, out.ItemScore, out.ItemMaxScore = string(i.current.Status), i.current.Score, i.current.MaxScore
				out.RemediatedBy = ids.Ref(i.last)
			}
		}
		return nil
	})
	return out, err
}
