package submission

import (
	"context"
	"time"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// OwnSummary is a row of the list of one's own submissions. Score and outcome are there as
// feedback_mode allows.
type OwnSummary struct {
	ID           ids.ID    `json:"id"`
	EvaluationID ids.ID    `json:"evaluationId"`
	Title        string    `json:"title" doc:"Title of the evaluation when it was taken"`
	Status       string    `json:"status" enum:"completed,voided"`
	CompletedAt  time.Time `json:"completedAt"`
	Score        *float64  `json:"score,omitempty"`
	MaxScore     *float64  `json:"maxScore,omitempty"`
	OutcomeCode  string    `json:"outcome_code,omitempty" enum:"pass,fail,incomplete"`
	OutcomeLabel string    `json:"outcome_label,omitempty"`
	// FeedbackTags are there where feedback_mode is tags.
	FeedbackTags []authoring.FeedbackTag `json:"feedbackTags,omitempty" nullable:"false"`
}

// ListOwn lists the submissions of the actor, newest first. It takes no filter by outcome
// or review: the answer would reveal what feedback_mode hides. Capability: sessions.take. Errors:
// validation_failed.
func ListOwn(ctx context.Context, tx *db.Tx, p db.Page) (db.List[OwnSummary], error) {
	var none db.List[OwnSummary]
	if err := tx.Require(capability.SessionsTake); err != nil {
		return none, err
	}
	f, err := Filter{Page: p}.check()
	if err != nil {
		return none, err
	}
	if tx.Actor().Kind != db.UserActor {
		return none, errs.New(errs.NotFound, "Only a user has submissions of their own.")
	}
	rows, total, err := pageOf(ctx, tx, owner{"user_id", tx.Actor().ID}, f)
	if err != nil {
		return none, err
	}
	snapshots, err := frozenOf(ctx, tx, rows)
	if err != nil {
		return none, err
	}
	var items []OwnSummary
	for _, r := range rows {
		of := snapshots[r.SnapshotHash]
		own := OwnSummary{ID: r.ID, EvaluationID: r.EvaluationID, Title: of.title, Status: r.Status, CompletedAt: r.CompletedAt.UTC()}
		if ShowsScore(of.settings, tx.Now()) {
			own.Score, own.MaxScore, own.OutcomeCode, own.OutcomeLabel = &r.Score, &r.MaxScore, r.OutcomeCode, r.OutcomeLabel
		}
		if ShowsTags(of.settings, tx.Now()) {
			own.FeedbackTags = of.tags
		}
		items = append(items, own)
	}
	return db.NewList(items, f.Page, total), nil
}
