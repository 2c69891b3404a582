package authoring

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/db"
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
	rows, page, total, err := passageStore.versionPage(ctx, tx, in, "title", "content_hash")
	return db.NewList(each(rows, func(v *models.PassageVersion) PassageVersionSummary {
		return PassageVersionSummary{ID: v.ID, Number: v.Number, Status: v.Status, Title: v.Title,
			ContentHash: v.ContentHash, UpdatedAt: v.UpdatedAt.UTC(), PublishedAt: db.UTC(v.PublishedAt)}
	}), page, total), err
}

// GetPassageVersion gives one version of a passage, current or earlier. Errors: not_found.
func GetPassageVersion(ctx context.Context, tx *db.Tx, in VersionInput) (PassageVersionDetail, error) {
	row, err := passageStore.version(ctx, tx, in)
	if err != nil {
		return PassageVersionDetail{}, err
	}
	detail := PassageVersionDetail{PassageID: row.PassageID}
	detail.PassageVersion, err = passageVersionOf(row)
	if err != nil {
		return PassageVersionDetail{}, err
	}
	err = json.Unmarshal(row.Extracts, &detail.Extracts)
	if err != nil {
		return PassageVersionDetail{}, fmt.Errorf("read extracts of passage version %s: %w", row.ID, err)
	}
	return detail, nil
}
