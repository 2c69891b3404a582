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
)

// PassageVersionSummary is a version in a list.
type PassageVersionSummary struct {
	ID          ids.ID     `json:"id"`
	Number      int        `json:"number"`
	Status      string     `json:"status" enum:"draft,published"`
	Title       string     `json:"title"`
	ContentHash string     `json:"contentHash"`
	UpdatedAt   time.Time  `json:"updatedAt"`
	PublishedAt *time.Time `json:"publishedAt,omitempty"`
}

// PassageVersionDetail is a version with its plain text by locale.
type PassageVersionDetail struct {
	PassageVersion
	PassageID ids.ID            `json:"passageId"`
	Extracts  map[string]string `json:"extracts" doc:"The plain text of every language"`
}

// ListPassageVersions gives the versions of a passage, newest first. Errors: not_found.
func ListPassageVersions(ctx context.Context, tx *db.Tx, in ListVersionsInput) (db.List[PassageVersionSummary], error) {
	none := db.List[PassageVersionSummary]{}
	if err := tx.Require(capability.QuestionsRead); err != nil {
		return none, err
	}
	page, err := in.Check()
	if err != nil {
		return none, err
	}
	_, err = one[models.Passage](ctx, tx, passageTables, in.ID)
	if err != nil {
		return none, err
	}
	var rows []models.PassageVersion
	total, err := tx.NewSelect().Model(&rows).Column("id", "number", "status", "title", "content_hash", "updated_at", "published_at").
		Apply(tx.InScope).Where("v.passage_id = ?", in.ID).Order("v.number desc").
		Limit(int64(page.Limit)).Offset(int64(page.Offset())).ScanAndCount(ctx)
	if err != nil {
		return none, fmt.Errorf("list passage versions: %w", err)
	}
	items := make([]PassageVersionSummary, 0, len(rows))
	for _, v := range rows {
		items = append(items, PassageVersionSummary{ID: v.ID, Number: v.Number, Status: v.Status, Title: v.Title,
			ContentHash: v.ContentHash, UpdatedAt: v.UpdatedAt.UTC(), PublishedAt: db.UTC(v.PublishedAt)})
	}
	return db.NewList(items, page, int(total)), nil
}

// GetPassageVersion gives one version of a passage, the present ones and those before.
// Errors: not_found.
func GetPassageVersion(ctx context.Context, tx *db.Tx, in VersionInput) (PassageVersionDetail, error) {
	none := PassageVersionDetail{}
	if err := tx.Require(capability.QuestionsRead); err != nil {
		return none, err
	}
	rows, err := passageVersionsByID(ctx, tx, []ids.ID{in.VersionID})
	if err != nil {
		return none, err
	}
	row, known := rows[in.VersionID]
	if !known || row.PassageID != in.ID {
		return none, errs.New(errs.NotFound, "The passage has no such version in your scope.")
	}
	version, err := passageVersionOf(row)
	if err != nil {
		return none, err
	}
	detail := PassageVersionDetail{PassageVersion: version, PassageID: row.PassageID}
	err = json.Unmarshal(row.Extracts, &detail.Extracts)
	if err != nil {
		return none, fmt.Errorf("read extracts of passage version %s: %w", row.ID, err)
	}
	return detail, nil
}
