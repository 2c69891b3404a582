package evidence

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"assess/models"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/hold"
	"assess/pkg/people/policy"
)

// VoidInput says why evidence is voided.
type VoidInput struct {
	ID     ids.ID `path:"id" json:"-" noun:"evidence"`
	Reason string `json:"reason" minLength:"1" maxLength:"2000" doc:"Seen by those who may read evidence"`
}

// Void marks evidence as void, for good. It stays in lists, and its file stays too.
// Capability: evidence.manage. Errors: not_found, evidence_voided, validation_failed,
// four_eyes_required for evidence about one's own submission, hold_active while a hold covers it: void
// evidence cannot be used any more.
func Void(ctx context.Context, tx *db.Tx, in VoidInput) (Evidence, error) {
	if err := tx.Require(capability.EvidenceManage); err != nil {
		return Evidence{}, err
	}
	var bad problems
	bad = append(bad, errs.Prose("reason", in.Reason, maxReason, true)...)
	if err := errs.Invalid(bad...); err != nil {
		return Evidence{}, err
	}
	row, err := lock(ctx, tx, in.ID)
	if err != nil {
		return Evidence{}, err
	}
	if row.VoidedAt != nil {
		return Evidence{}, errs.New(errs.EvidenceVoided, "The evidence is voided; that is final.")
	}
	err = refuseOwn(ctx, tx, row.SubmissionID)
	if err == nil {
		err = hold.EraseSubmission(ctx, tx, row.SubmissionID)
	}
	if err != nil {
		return Evidence{}, err
	}
	authority, err := policy.Require(ctx, tx, policy.Action{AppliesTo: policy.Evidence, SubmissionID: row.SubmissionID})
	if err != nil {
		return Evidence{}, err
	}
	now, by := tx.Now(), tx.Actor().String()
	row.VoidReason, row.VoidedBy, row.VoidedAt = &in.Reason, &by, &now
	_, err = tx.NewUpdate().Model(&row).Column("void_reason", "voided_by", "voided_at").WherePK().Exec(ctx)
	if err != nil {
		return Evidence{}, fmt.Errorf("void evidence: %w", err)
	}
	return evidenceOf(row), ledger.Append(ctx, tx, event(row, "voided", authority.Into(map[string]any{})))
}

// TierInput says how soon the file must be available.
type TierInput struct {
	ID          ids.ID `path:"id" json:"-" noun:"evidence"`
	StorageTier string `json:"storageTier" enum:"HOT,WARM,COLD"`
}

// SetTier changes the storage tier of evidence; the tier that it has already changes nothing.
// Capability: evidence.manage. Errors: not_found, validation_failed.
func SetTier(ctx context.Context, tx *db.Tx, in TierInput) (Evidence, error) {
	if err := tx.Require(capability.EvidenceManage); err != nil {
		return Evidence{}, err
	}
	var bad problems
	bad.oneOf("storageTier", in.StorageTier, tiers)
	if err := errs.Invalid(bad...); err != nil {
		return Evidence{}, err
	}
	row, err := lock(ctx, tx, in.ID)
	if err != nil || row.StorageTier == in.StorageTier {
		return evidenceOf(row), err
	}
	before := row.StorageTier
	row.StorageTier = in.StorageTier
	_, err = tx.NewUpdate().Model(&row).Column("storage_tier").WherePK().Exec(ctx)
	if err != nil {
		return Evidence{}, fmt.Errorf("set storage tier: %w", err)
	}
	return evidenceOf(row), ledger.Append(ctx, tx, event(row, "tier.changed", map[string]any{"from": before, "to": row.StorageTier}))
}

// lock finds evidence and keeps others from changing it.
func lock(ctx context.Context, tx *db.Tx, id ids.ID) (models.Evidence, error) {
	var row models.Evidence
	err := tx.NewSelect().Model(&row).Apply(tx.InScope).Where("e.id = ?", id).For("no key update").Scan(ctx)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return row, notFound("evidence")
	case err != nil:
		return row, fmt.Errorf("lock evidence: %w", err)
	}
	return row, submission.RefuseErased(ctx, tx, row.SubmissionID)
}
