package authoring

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// EvaluationVersionDetail is one version with everything that publishing froze: the pins,
// one for each question that a session could show, and the snapshot. A draft has neither.
type EvaluationVersionDetail struct {
	EvaluationID ids.ID `json:"evaluationId"`
	EvaluationVersion
	Pins     []Pin     `json:"pins" nullable:"false"`
	Snapshot *Snapshot `json:"snapshot,omitempty"`
}

// Pin is a question of a published version. ItemID is its item's id in sessions and in the
// snapshot, GroupID the id of the item of the evaluation that it comes from; for a fixed
// question they are the same.
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

// ListEvaluationVersions gives the versions of an evaluation, newest first. Errors: not_found.
func ListEvaluationVersions(ctx context.Context, tx *db.Tx, in ListVersionsInput) (db.List[EvaluationVersionSummary], error) {
	rows, page, total, err := evaluationStore.versionPage(ctx, tx, in, "title", "snapshot_hash")
	return db.NewList(each(rows, func(v *models.EvaluationVersion) EvaluationVersionSummary {
		return EvaluationVersionSummary{ID: v.ID, Number: v.Number, Status: v.Status, Title: v.Title,
			SnapshotHash: text(v.SnapshotHash), UpdatedAt: v.UpdatedAt.UTC(), PublishedAt: db.UTC(v.PublishedAt)}
	}), page, total), err
}

// GetEvaluationVersion gives a version of an evaluation, current or earlier. Errors: not_found.
func GetEvaluationVersion(ctx context.Context, tx *db.Tx, in VersionInput) (EvaluationVersionDetail, error) {
	found, err := evaluationStore.version(ctx, tx, in)
	if err != nil {
		return EvaluationVersionDetail{}, err
	}
	version, err := evaluationVersionOf(found)
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
