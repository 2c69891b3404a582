package taxonomy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// TermPatch changes the fields that it names and no others. A term stays in its facet.
type TermPatch struct {
	UpdatedAt *time.Time   `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	Slug      *string      `json:"slug,omitempty" maxLength:"200" example:"photosynthesis"`
	Label     *string      `json:"label,omitempty" maxLength:"200" example:"Photosynthesis"`
	ParentID  ParentChange `json:"parentId,omitzero" noun:"term" null:"move to the top" doc:"A term of the same facet to move below; null moves to the top"`
}

// ParentChange is a move: none for the zero value, to the top without an id.
type ParentChange struct {
	Move bool
	ID   *ids.ID
}

// Below is the move below a parent; to the top for ids.None.
func Below(parent ids.ID) ParentChange { return ParentChange{Move: true, ID: ids.Ref(parent)} }

// UnmarshalJSON reads an id or null.
func (c *ParentChange) UnmarshalJSON(raw []byte) error {
	c.Move, c.ID = true, nil
	if bytes.Equal(raw, []byte("null")) {
		return nil
	}
	return json.Unmarshal(raw, &c.ID)
}

// MarshalJSON writes an id or null.
func (c ParentChange) MarshalJSON() ([]byte, error) { return json.Marshal(c.ID) }

// UpdateTerm changes the names of a term or moves it with everything below it; its id, and
// so every assignment, does not change. Errors: not_found, stale_update,
// validation_failed, duplicate_term, taxonomy_cycle, term_merged.
func UpdateTerm(ctx context.Context, tx *db.Tx, id ids.ID, patch TermPatch) (Term, error) {
	if err := mayChangeSome(tx); err != nil {
		return Term{}, err
	}
	row, err := takeUpTerm(ctx, tx, id)
	if err != nil {
		return Term{}, err
	}
	if err := db.Fresh(patch.UpdatedAt, row.UpdatedAt); err != nil {
		return Term{}, err
	}
	slug, label, bad := checkChange(patch.Slug, patch.Label, row.Slug, row.Label)
	event := row.event("updated")
	if patch.ParentID.Move {
		event = placed(event, patch.ParentID.ID)
		misplaced, err := row.checkParent(ctx, tx, patch.ParentID.ID)
		if err != nil {
			return Term{}, err
		}
		bad = append(bad, misplaced...)
	}
	if err := errs.Invalid(bad...); err != nil {
		return Term{}, err
	}
	row.Slug, row.Label = slug, label
	return row.save(ctx, tx, patch.ParentID, event)
}

// Retire takes a term out of use: it keeps its assignments and its place in the tree, and
// cannot be assigned anew. The terms below it are not retired with it. Retiring twice
// changes nothing. Errors: not_found.
func Retire(ctx context.Context, tx *db.Tx, id ids.ID) (Term, error) {
	if err := mayChangeSome(tx); err != nil {
		return Term{}, err
	}
	row, err := lockTerm(ctx, tx, id)
	if err != nil || row.RetiredAt != nil {
		return row.term(), err
	}
	now := tx.Now()
	row.RetiredAt = &now
	return row.save(ctx, tx, ParentChange{}, row.event("retired"))
}

// Restore brings a retired term back; an active term does not change. Errors:
// not_found, term_merged.
func Restore(ctx context.Context, tx *db.Tx, id ids.ID) (Term, error) {
	if err := mayChangeSome(tx); err != nil {
		return Term{}, err
	}
	row, err := takeUpTerm(ctx, tx, id)
	if err != nil || row.RetiredAt == nil {
		return row.term(), err
	}
	row.RetiredAt = nil
	return row.save(ctx, tx, ParentChange{}, row.event("restored"))
}

// takeUpTerm locks a term for a change; a merged term can no longer change.
func takeUpTerm(ctx context.Context, tx *db.Tx, id ids.ID) (termRow, error) {
	row, err := lockTerm(ctx, tx, id)
	if err == nil && row.MergedInto != nil {
		err = errs.New(errs.TermMerged, "The term was merged into another one.").With("mergedInto", *row.MergedInto)
	}
	return row, err
}

// lockTerm waits for transactions that change the facet or assign the term.
func lockTerm(ctx context.Context, tx *db.Tx, id ids.ID) (termRow, error) {
	row, err := findTerm(ctx, tx, id)
	if err != nil {
		return row, err
	}
	_, err = lockFacet(ctx, tx, row.FacetID)
	if err != nil {
		return row, err
	}
	_, err = tx.Exec(ctx, "select from terms where tenant_id = $1 and id = $2 for no key update", tx.Tenant(), id)
	if err != nil {
		return row, fmt.Errorf("lock term: %w", err)
	}
	return findTerm(ctx, tx, id)
}

// save stores a locked term.
func (r termRow) save(ctx context.Context, tx *db.Tx, to ParentChange, event ledger.Event) (Term, error) {
	r.UpdatedAt = tx.ChangedAt(r.UpdatedAt)
	_, err := tx.NewUpdate().Model(&r.Term).Column("slug", "label", "retired_at", "merged_into", "updated_at").WherePK().Exec(ctx)
	if err != nil {
		return Term{}, fmt.Errorf("save term: %w", err)
	}
	if to.Move {
		r.ParentID = to.ID
		err = place(ctx, tx, r.ID, to.ID)
		if err != nil {
			return Term{}, err
		}
	}
	return r.term(), ledger.Append(ctx, tx, event)
}
