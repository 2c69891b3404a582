package authoring

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// QuestionVersionSummary is a version in a list.
type QuestionVersionSummary struct {
	ID          ids.ID        `json:"id"`
	Number      int           `json:"number"`
	Status      string        `json:"status" enum:"draft,published"`
	QType       scoring.QType `json:"qtype"`
	ContentHash string        `json:"contentHash"`
	UpdatedAt   time.Time     `json:"updatedAt"`
	PublishedAt *time.Time    `json:"publishedAt,omitempty"`
}

// QuestionVersionDetail is a version with its plain text by locale.
type QuestionVersionDetail struct {
	QuestionVersion
	QuestionID ids.ID             `json:"questionId"`
	Extracts   map[string]Extract `json:"extracts" doc:"The plain text of every language"`
}

// ListQuestionVersions gives the versions of a question, newest first. Errors: not_found.
func ListQuestionVersions(ctx context.Context, tx *db.Tx, in ListVersionsInput) (db.List[QuestionVersionSummary], error) {
	if err := tx.Require(capability.QuestionsRead); err != nil {
		return db.List[QuestionVersionSummary]{}, err
	}
	page, err := in.Check()
	if err != nil {
		return db.List[QuestionVersionSummary]{}, err
	}
	_, err = one[models.Question](ctx, tx, questionTables, in.ID)
	if err != nil {
		return db.List[QuestionVersionSummary]{}, err
	}
	var rows []models.QuestionVersion
	total, err := tx.NewSelect().Model(&rows).Column("id", "number", "status", "qtype", "content_hash", "updated_at", "published_at").
		Apply(tx.InScope).Where("v.question_id = ?", in.ID).Order("v.number desc").
		Limit(int64(page.Limit)).Offset(int64(page.Offset())).ScanAndCount(ctx)
	if err != nil {
		return db.List[QuestionVersionSummary]{}, fmt.Errorf("list question versions: %w", err)
	}
	items := make([]QuestionVersionSummary, 0, len(rows))
	for _, v := range rows {
		items = append(items, QuestionVersionSummary{ID: v.ID, Number: v.Number, Status: v.Status, QType: scoring.QType(v.QType),
			ContentHash: v.ContentHash, UpdatedAt: v.UpdatedAt.UTC(), PublishedAt: db.UTC(v.PublishedAt)})
	}
	return db.NewList(items, page, int(total)), nil
}

// GetQuestionVersion gives one version of a question, the present ones and those before.
// Errors: not_found.
func GetQuestionVersion(ctx context.Context, tx *db.Tx, in VersionInput) (QuestionVersionDetail, error) {
	if err := tx.Require(capability.QuestionsRead); err != nil {
		return QuestionVersionDetail{}, err
	}
	rows, err := questionVersionsByID(ctx, tx, []ids.ID{in.VersionID})
	if err != nil {
		return QuestionVersionDetail{}, err
	}
	row, known := rows[in.VersionID]
	if !known || row.QuestionID != in.ID {
		return QuestionVersionDetail{}, errs.New(errs.NotFound, "The question has no such version in your scope.")
	}
	version, err := questionVersionOf(row)
	if err != nil {
		return QuestionVersionDetail{}, err
	}
	detail := QuestionVersionDetail{QuestionVersion: version, QuestionID: row.QuestionID}
	err = json.Unmarshal(row.Extracts, &detail.Extracts)
	if err != nil {
		return QuestionVersionDetail{}, fmt.Errorf("read extracts of question version %s: %w", row.ID, err)
	}
	return detail, nil
}
