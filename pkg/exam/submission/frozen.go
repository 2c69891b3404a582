package submission

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
)

// frozen is the part of a snapshot that lists show. It has columns of its own, so that the cost of
// a list does not grow with the content of the evaluation.
type frozen struct {
	title    string
	settings authoring.Settings
	tags     []authoring.FeedbackTag
}

// frozenOf reads the part shown of the snapshots of rows, by hash, each snapshot once.
func frozenOf(ctx context.Context, tx *db.Tx, rows []models.Submission) (map[string]frozen, error) {
	found := map[string]frozen{}
	var hashes []string
	for _, r := range rows {
		_, seen := found[r.SnapshotHash]
		if !seen {
			found[r.SnapshotHash] = frozen{}
			hashes = append(hashes, r.SnapshotHash)
		}
	}
	if len(hashes) == 0 {
		return found, nil
	}
	var snapshots []models.VersionSnapshot
	err := tx.NewSelect().Model(&snapshots).Column("hash", "title", "settings", "feedback_tags").
		Apply(tx.InScope).Where("s.hash in (?)", bun.List(hashes)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what snapshots froze: %w", err)
	}
	for _, s := range snapshots {
		f := frozen{title: s.Title, tags: []authoring.FeedbackTag{}}
		err := errors.Join(read(s.Settings, &f.settings), read(s.FeedbackTags, &f.tags))
		if err != nil {
			return nil, fmt.Errorf("read what a snapshot froze: %w", err)
		}
		found[s.Hash] = f
	}
	return found, nil
}

// read reads a part of a snapshot, unless it is absent.
func read(part json.RawMessage, into any) error {
	if len(part) == 0 {
		return nil
	}
	return json.Unmarshal(part, into)
}
