package authoring

import (
	"context"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// CreatePassage adds a passage with a first draft. Errors: validation_failed,
// external_id_taken.
func CreatePassage(ctx context.Context, tx *db.Tx, in PassageInput) (Passage, error) {
	return passageStore.create(ctx, tx, in.check())
}

// UpdatePassage changes the draft; a published passage without one gets a new draft that
// starts from the published version. Errors: not_found, archived, stale_update,
// validation_failed, external_id_taken.
func UpdatePassage(ctx context.Context, tx *db.Tx, id ids.ID, patch PassagePatch) (Passage, error) {
	return passageStore.update(ctx, tx, id, patch.UpdatedAt, func(e *passageEdit) (checkedPassage, error) {
		current := PassageInput{ExternalID: text(e.record.ExternalID), Title: e.version.Title, Content: e.version.Body}
		return overlaid(current, patch).check(), nil
	})
}

// CreatePassageVersion begins a new draft as a copy of the published version. Errors:
// not_found, archived, conflict when there is a draft already.
func CreatePassageVersion(ctx context.Context, tx *db.Tx, id ids.ID) (Passage, error) {
	return passageStore.begin(ctx, tx, id)
}

// UpsertPassages writes passages by external id in the home org unit, as
// UpsertCheckedQuestions writes questions: all or nothing, with paths from passages[0].
func UpsertPassages(ctx context.Context, tx *db.Tx, inputs []PassageInput) ([]Upserted, error) {
	return passageStore.upsert(ctx, tx, each(inputs, PassageInput.check))
}

// CheckUpsertPassages is CheckUpsertQuestions for UpsertPassages.
func CheckUpsertPassages(ctx context.Context, tx *db.Tx, inputs []PassageInput) ([]errs.Field, error) {
	return passageStore.checkUpsert(ctx, tx, each(inputs, PassageInput.check))
}

// PublishPassageDraft freezes the draft and pins the assets that it shows; questions and
// evaluations published from now on pin this version. It gives warnings and has an optional
// dry run. Of two calls at once, one publishes and the other gets nothing_to_publish.
// Errors: not_found, archived, nothing_to_publish, publish_blocked.
func PublishPassageDraft(ctx context.Context, tx *db.Tx, in PublishInput) (PassagePublication, error) {
	published, how, err := passageStore.publish(ctx, tx, in, passageWarnings)
	return PassagePublication{published, how}, err
}

// GetPassageInput names a passage and, if it is to be resolved, a language.
type GetPassageInput struct {
	ID ids.ID `path:"id"`
	LangQuery
}

// GetPassage gives a passage with its draft and its published version: whole, or resolved
// to one language in the fallback order (specification, section 4.6). Errors: not_found.
func GetPassage(ctx context.Context, tx *db.Tx, in GetPassageInput) (Passage, error) {
	p, err := passageStore.get(ctx, tx, in.ID)
	return p.in(in.Lang), err
}

// FindPassages gives the ids of passages of the home org unit by their external ids;
// unknown ones are absent. Imports use it.
func FindPassages(ctx context.Context, tx *db.Tx, externalIDs []string) (map[string]ids.ID, error) {
	return passageStore.findExternal(ctx, tx, externalIDs)
}
