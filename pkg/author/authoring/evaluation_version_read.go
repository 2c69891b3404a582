package authoring

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// EvaluationVersionDetail is one version with all that publishing froze: the pins, one for
// each question that a session could show, and the snapshot. A draft has neither.
type EvaluationVersionDetail struct {
	EvaluationID ids.ID `json:"evaluationId"`
	EvaluationVersion
	Pins     []Pin     `json:"pins" nullable:"false"`
	Snapshot *Snapshot `json:"snapshot,omitempty"`
}

// Pin is a question of a published version. ItemID is its item's id in sessions and in the
// snapshot, GroupID that of the item of the evaluation which it comes from; they are the
// same for a fixed question.
type Pin struct {
	ItemID            ids.ID  `json:"itemId"`
	GroupID           ids.ID  `json:"groupId"`
	Position          int     `json:"position"`
	QuestionID        ids.ID  `json:"questionId"`
	QuestionVersionID ids.ID  `json:"questionVersionId"`
	PassageVersionID  *ids.ID `json:"passageVersionId,omitempty"`
}

// EvaluationVersionSummary is a version in a list.
type EvaluationVersionSummary struct {
	ID           ids.ID     `json:"id"`
	Number       int        `json:"number"`
	Status       string     `json:"status" enum:"draft,published"`
	Title        string     `json:"title"`
	SnapshotHash string     `json:"snapshotHash,omitempty"`
	UpdatedAt    time.Time  `json:"updatedAt"`
	PublishedAt  *time.Time `json:"publishedAt,omitempty"`
}

// ListVersionsInput names a question, passage or evaluation and a page of its versions.
type ListVersionsInput struct {
	ID ids.ID
	db.Page
}

// VersionInput names a version of a question, passage or evaluation.
type VersionInput struct {
	ID, VersionID ids.ID
}

// ListEvaluationVersions gives the versions of an evaluation, newest first. Errors: not_found.
func ListEvaluationVersions(ctx context.Context, tx *db.Tx, in ListVersionsInput) (db.List[EvaluationVersionSummary], error) {
	none := db.List[EvaluationVersionSummary]{}
	if err := tx.Require(capability.EvaluationsRead); err != nil {
		return none, err
	}
	page, err := in.Check()
	if err != nil {
		return none, err
	}
	_, err = oneEvaluation(ctx, tx.NewSelect().Apply(tx.InScope).Where("e.id = ?", in.ID))
	if err != nil {
		return none, err
	}
	var rows []models.EvaluationVersion
	total, err := tx.NewSelect().Model(&rows).Column("id", "number", "status", "title", "snapshot_hash", "updated_at", "published_at").
		Apply(tx.InScope).Where("v.evaluation_id = ?", in.ID).Order("v.number desc").
		Limit(int64(page.Limit)).Offset(int64(page.Offset())).ScanAndCount(ctx)
	if err != nil {
		return none, fmt.Errorf("list evaluation versions: %w", err)
	}
	items := make([]EvaluationVersionSummary, 0, len(rows))
	for _, v := range rows {
		items = append(items, EvaluationVersionSummary{ID: v.ID, Number: v.Number, Status: v.Status, Title: v.Title,
			SnapshotHash: text(v.SnapshotHash), UpdatedAt: v.UpdatedAt.UTC(), PublishedAt: db.UTC(v.PublishedAt)})
	}
	return db.NewList(items, page, int(total)), nil
}

// GetEvaluationVersion gives a version of an evaluation, old ones too. Errors: not_found.
func GetEvaluationVersion(ctx context.Context, tx *db.Tx, in VersionInput) (EvaluationVersionDetail, error) {
	if err := tx.Require(capability.EvaluationsRead); err != nil {
		return EvaluationVersionDetail{}, err
	}
	found, err := findEvaluationVersion(ctx, tx, in.ID, in.VersionID)
	if err != nil {
		return EvaluationVersionDetail{}, err
	}
	version, err := found.version()
	if err != nil {
		return EvaluationVersionDetail{}, err
	}
	detail := EvaluationVersionDetail{EvaluationID: in.ID, EvaluationVersion: version, Pins: []Pin{}}
	if found.SnapshotHash == nil {
		return detail, nil
	}
	detail.Pins, err = pinsOfEvaluation(ctx, tx, in.VersionID)
	if err != nil {
		return EvaluationVersionDetail{}, err
	}
	detail.Snapshot, err = SnapshotByHash(ctx, tx, *found.SnapshotHash)
	return detail, err
}

func findEvaluationVersion(ctx context.Context, tx *db.Tx, id, versionID ids.ID) (evaluationVersion, error) {
	found, err := evaluationVersionsByID(ctx, tx, []ids.ID{versionID})
	if err != nil {
		return evaluationVersion{}, err
	}
	version, ok := found[versionID]
	if !ok || version.EvaluationID != id {
		return evaluationVersion{}, errs.New(errs.NotFound, "There is no such version in your scope.")
	}
	return version, nil
}

func pinsOfEvaluation(ctx context.Context, tx *db.Tx, versionID ids.ID) ([]Pin, error) {
	rows, err := tx.Query(ctx, `
		select id, group_id, position, question_id, question_version_id, passage_version_id from evaluation_pins
		where tenant_id = $1 and evaluation_version_id = $2 order by position`, tx.Tenant(), versionID)
	if err != nil {
		return nil, fmt.Errorf("read pins: %w", err)
	}
	pins, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Pin])
	if err != nil {
		return nil, fmt.Errorf("read pins: %w", err)
	}
	return append([]Pin{}, pins...), nil
}
