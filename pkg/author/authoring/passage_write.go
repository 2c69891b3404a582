package authoring

import (
	"context"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// CreatePassage adds a passage with a first draft. Errors: validation_failed,
// external_id_taken.
func CreatePassage(ctx context.Context, tx *db.Tx, in PassageInput) (Passage, error) {
	if err := tx.Require(capability.QuestionsWrite); err != nil {
		return Passage{}, err
	}
	org, err := tx.HomeOrgUnit()
	if err != nil {
		return Passage{}, err
	}
	return writePassage(ctx, tx, newPassageEdit(tx, org), in)
}

// UpdatePassage changes the draft; a published passage without one gets a new draft that
// starts from the published version. Errors: not_found, archived, stale_update,
// validation_failed, external_id_taken.
func UpdatePassage(ctx context.Context, tx *db.Tx, id ids.ID, patch PassagePatch) (Passage, error) {
	if err := tx.Require(capability.QuestionsWrite); err != nil {
		return Passage{}, err
	}
	edit, err := takeUpPassage(ctx, tx, id)
	if err != nil {
		return Passage{}, err
	}
	if err := db.Fresh(patch.UpdatedAt, edit.passage.UpdatedAt); err != nil {
		return Passage{}, err
	}
	current := PassageInput{ExternalID: text(edit.passage.ExternalID), Title: edit.version.Title, Content: edit.version.Body}
	return writePassage(ctx, tx, edit, patch.over(current))
}

// CreatePassageVersion begins a new draft as a copy of the published version. Errors:
// not_found, archived, conflict when there is a draft already.
func CreatePassageVersion(ctx context.Context, tx *db.Tx, id ids.ID) (Passage, error) {
	if err := tx.Require(capability.QuestionsWrite); err != nil {
		return Passage{}, err
	}
	edit, err := takeUpPassage(ctx, tx, id)
	if err != nil {
		return Passage{}, err
	}
	if edit.passage.DraftID != nil {
		return Passage{}, errs.New(errs.Conflict, "There is a draft already.").With("draftId", *edit.passage.DraftID)
	}
	edit.passage.UpdatedAt = tx.ChangedAt(edit.passage.UpdatedAt)
	edit.begin(tx)
	return storePassage(ctx, tx, edit, "version_created")
}

// takeUpPassage locks a passage for a change.
func takeUpPassage(ctx context.Context, tx *db.Tx, id ids.ID) (passageEdit, error) {
	locked, err := lock[models.Passage](ctx, tx, passageTables, []ids.ID{id})
	if err != nil {
		return passageEdit{}, err
	}
	if err := checkChangeable(locked[0].Status); err != nil {
		return passageEdit{}, err
	}
	versions, err := passageVersions(ctx, tx, locked)
	if err != nil {
		return passageEdit{}, err
	}
	return openPassageEdit(locked[0], versions), nil
}

func writePassage(ctx context.Context, tx *db.Tx, edit passageEdit, in PassageInput) (Passage, error) {
	d, found := in.parse("")
	held, err := edit.locales()
	if err != nil {
		return Passage{}, err
	}
	used, err := checkDocuments(ctx, tx, []placedDocument{{"content", d, held}})
	if err != nil {
		return Passage{}, err
	}
	if err := errs.Invalid(append(found, used...)...); err != nil {
		return Passage{}, err
	}
	stored, err := in.store(d)
	if err != nil {
		return Passage{}, err
	}
	what := "updated"
	if edit.isNew() {
		what = "created"
	}
	edit.write(tx, stored)
	return storePassage(ctx, tx, edit, what)
}

func storePassage(ctx context.Context, tx *db.Tx, edit passageEdit, what string) (Passage, error) {
	err := savePassages(ctx, tx, []passageEdit{edit})
	if err != nil {
		return Passage{}, err
	}
	err = ledger.Append(ctx, tx, edit.event(what))
	if err != nil {
		return Passage{}, err
	}
	return readPassage(ctx, tx, edit.passage)
}
