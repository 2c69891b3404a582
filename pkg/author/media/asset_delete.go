package media

import (
	"context"
	"fmt"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// uses counts the versions of questions and passages that show an asset, in all org units.
type uses struct {
	publishedQuestions, draftQuestions int
	publishedPassages, draftPassages   int
}

// DeleteAsset deletes an asset that nothing shows, with its versions; the sweep deletes files that
// no version refers to any more. A publish or a draft at the same moment either comes first, and the
// asset is in use, or finds no asset. The transaction must not have written anything: the count of
// uses has its owner's rights. Errors: not_found, asset_in_use.
func DeleteAsset(ctx context.Context, tx *db.Tx, id ids.ID) error {
	if err := tx.Require(capability.MediaManage); err != nil {
		return err
	}
	// The lock waits for every transaction that holds the asset; only then is it known
	// where it is used.
	row, err := lockAsset(ctx, tx, id, "update")
	if err != nil {
		return err
	}
	used, err := usesOf(ctx, tx, id)
	if err != nil {
		return err
	}
	if used != (uses{}) {
		return used.refusal()
	}
	_, err = tx.Exec(ctx, "delete from assets where tenant_id = $1 and id = $2", tx.Tenant(), id)
	if err != nil {
		return fmt.Errorf("delete asset: %w", err)
	}
	return ledger.Append(ctx, tx, ledger.Event{Type: "asset.deleted", SubjectType: "asset", SubjectID: id, OrgUnit: row.OrgUnitID})
}

func usesOf(ctx context.Context, tx *db.Tx, id ids.ID) (uses, error) {
	var u uses
	err := tx.QueryRow(ctx, "select published_questions, draft_questions, published_passages, draft_passages from asset_uses($1)", id).
		Scan(&u.publishedQuestions, &u.draftQuestions, &u.publishedPassages, &u.draftPassages)
	if err != nil {
		return uses{}, fmt.Errorf("count uses of asset: %w", err)
	}
	return u, nil
}

func (u uses) refusal() error {
	return errs.New(errs.AssetInUse, "Content shows the asset.").
		With("publishedQuestions", u.publishedQuestions).With("draftQuestions", u.draftQuestions).
		With("publishedPassages", u.publishedPassages).With("draftPassages", u.draftPassages)
}
