package authoring

import (
	"context"
	"fmt"

	"assess/models"
	"assess/pkg/author/media"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// passageVersions gives the draft and the published version of each passage.
func passageVersions(ctx context.Context, tx *db.Tx, passages []models.Passage) (map[ids.ID]models.PassageVersion, error) {
	var wanted []ids.ID
	for _, p := range passages {
		wanted = append(wanted, versionIDs(p.DraftID, p.PublishedID)...)
	}
	return passageVersionsByID(ctx, tx, wanted)
}

func passageVersionsByID(ctx context.Context, tx *db.Tx, wanted []ids.ID) (map[ids.ID]models.PassageVersion, error) {
	return versionsByID(ctx, tx, passageTables, wanted, func(v models.PassageVersion) ids.ID { return v.ID })
}

// readPassage gives a passage whose row is at hand.
func readPassage(ctx context.Context, tx *db.Tx, row models.Passage) (Passage, error) {
	versions, err := passageVersions(ctx, tx, []models.Passage{row})
	if err != nil {
		return Passage{}, err
	}
	p, err := passageOf(row, versions)
	if err != nil {
		return Passage{}, err
	}
	p.Problems, err = problemsOfPassage(ctx, tx, openPassageEdit(row, versions))
	return p, err
}

// problemsOfPassage names what publishing would refuse of a draft.
func problemsOfPassage(ctx context.Context, tx *db.Tx, edit passageEdit) ([]errs.Field, error) {
	if edit.passage.DraftID == nil {
		return []errs.Field{}, nil
	}
	draft, err := edit.freezing("")
	if err != nil {
		return nil, err
	}
	_, blocking, err := pin(ctx, tx, []freezing{draft}, media.Current)
	return blocking.listed(), err
}

// savePassages stores passages and their drafts as they now are, new ones and changed ones
// alike: three statements for any number of them.
func savePassages(ctx context.Context, tx *db.Tx, edits []passageEdit) error {
	if len(edits) == 0 {
		return nil
	}
	passages, drafts := make([]models.Passage, 0, len(edits)), make([]models.PassageVersion, 0, len(edits))
	var words []searchText
	for _, e := range edits {
		passages, drafts = append(passages, e.passage), append(drafts, e.version)
		if e.texts != nil {
			words = append(words, searchText{e.passage.Authored, e.texts})
		}
	}
	_, err := tx.NewInsert().Model(&passages).On("conflict (tenant_id, id) do update").
		Set("external_id = excluded.external_id, title = excluded.title, draft_id = excluded.draft_id, updated_at = excluded.updated_at").
		Returning("NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("save passages: %w", err)
	}
	_, err = tx.NewInsert().Model(&drafts).On("conflict (tenant_id, id) do update").
		Set("title = excluded.title, body = excluded.body, extracts = excluded.extracts").
		Set("content_hash = excluded.content_hash, updated_at = excluded.updated_at").
		Returning("NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("save passage versions: %w", err)
	}
	return saveSearch(ctx, tx, passageTables, words)
}
