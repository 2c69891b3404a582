package authoring

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/db"
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
	rows, page, total, err := questionStore.versionPage(ctx, tx, in, "qtype", "content_hash")
	return db.NewList(each(rows, func(v *models.QuestionVersion) QuestionVersionSummary {
		return QuestionVersionSummary{ID: v.ID, Number: v.Number, Status: v.Status, QType: scoring.QType(v.QType),
			ContentHash: v.ContentHash, UpdatedAt: v.UpdatedAt.UTC(), PublishedAt: db.UTC(v.PublishedAt)}
	}), page, total), err
}

// GetQuestionVersion gives one version of a question, current or earlier. Errors: not_found.
func GetQuestionVersion(ctx context.Context, tx *db.Tx, in VersionInput) (QuestionVersionDetail, error) {
	row, err := questionStore.version(ctx, tx, in)
	if err != nil {
		return QuestionVersionDetail{}, err
	}
	detail := QuestionVersionDetail{QuestionID: row.QuestionID}
	detail.QuestionVersion, err = questionVersionOf(row)
	if err != nil {
		return QuestionVersionDetail{}, err
	}
	err = json.Unmarshal(row.Extracts, &detail.Extracts)
	if err != nil {
		return QuestionVersionDetail{}, fmt.Errorf("read extracts of question version %s: %w", row.ID, err)
	}
	return detail, nil
}
