package authoring

import (
	"context"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// The versions that can be previewed.
const (
	PreviewDraft     = "draft"
	PreviewPublished = "published"
)

// Previewed is the content of an evaluation as it would be published now, or as it was
// published. Snapshot is not stored.
type Previewed struct {
	Version  string
	Snapshot *Snapshot
	// Problems are the problems that publishing the draft would report.
	Problems []errs.Field
	// Warnings are the warnings that publishing the version now would give; a published one may be older than what it quotes.
	Warnings []errs.Field
}

// PreviewSnapshot makes the content of a preview and writes nothing. version is
// PreviewDraft, PreviewPublished or empty for the draft if there is one. Questions of a
// draft that cannot be published are left out. Errors: not_found, validation_failed,
// nothing_to_publish without a draft, not_published.
func PreviewSnapshot(ctx context.Context, tx *db.Tx, id ids.ID, version string) (Previewed, error) {
	if err := tx.Require(capability.EvaluationsRead); err != nil {
		return Previewed{}, err
	}
	if err := tx.Require(capability.QuestionsRead); err != nil {
		return Previewed{}, err
	}
	row, err := evaluationStore.one(ctx, tx, id)
	if err != nil {
		return Previewed{}, err
	}
	switch version {
	case PreviewDraft:
		return previewDraft(ctx, tx, row)
	case PreviewPublished:
		return previewPublished(ctx, tx, row)
	case "":
		if row.DraftID == nil {
			return previewPublished(ctx, tx, row)
		}
		return previewDraft(ctx, tx, row)
	}
	return Previewed{}, errs.Invalid(errs.Field{Path: "version", Code: "out_of_range", Message: "expected draft or published"})
}

func previewDraft(ctx context.Context, tx *db.Tx, row *models.Evaluation) (Previewed, error) {
	if row.DraftID == nil {
		return Previewed{}, errs.New(errs.NothingToPublish, "There is no draft.")
	}
	versions, err := evaluationStore.versionsByID(ctx, tx, []ids.ID{*row.DraftID})
	if err != nil {
		return Previewed{}, err
	}
	draft, err := evaluationVersionOf(versions[*row.DraftID])
	if err != nil {
		return Previewed{}, err
	}
	available, err := loadBank(ctx, tx, row.OrgUnitID, draft)
	if err != nil {
		return Previewed{}, err
	}
	snapshot := draft.snapshot(row.ID, available)
	return Previewed{PreviewDraft, &snapshot, draft.publishProblems(available).listed(), draft.warnings(available).listed()}, nil
}

func previewPublished(ctx context.Context, tx *db.Tx, row *models.Evaluation) (Previewed, error) {
	if row.PublishedID == nil {
		return Previewed{}, errs.New(errs.NotPublished, "The evaluation has no published version.")
	}
	snapshot, err := LoadSnapshot(ctx, tx, *row.PublishedID)
	if err != nil {
		return Previewed{}, err
	}
	versions, err := evaluationStore.versionsByID(ctx, tx, []ids.ID{*row.PublishedID})
	if err != nil {
		return Previewed{}, err
	}
	version, err := evaluationVersionOf(versions[*row.PublishedID])
	if err != nil {
		return Previewed{}, err
	}
	available, err := loadBank(ctx, tx, row.OrgUnitID, version)
	return Previewed{PreviewPublished, snapshot, []errs.Field{}, version.warnings(available).listed()}, err
}
