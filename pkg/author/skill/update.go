package skill

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Patch changes the fields that it names and no others. Name, description and levels go to the draft,
// which begins as a copy of the version published last; the other fields change at once. A skill stays
// in its framework.
type Patch struct {
	UpdatedAt   *time.Time `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	Name        *string    `json:"name,omitempty" maxLength:"200"`
	Description *string    `json:"description,omitempty" maxLength:"10000"`
	Levels      *[]Level   `json:"levels,omitempty" nullable:"false" maxItems:"20"`
	Code        *string    `json:"code,omitempty" maxLength:"200" doc:"Empty: none"`
	Position    *int       `json:"position,omitempty" minimum:"0" maximum:"1000000"`
	ParentID    *ids.ID    `json:"parentId,omitempty" doc:"A skill of the same framework"`
	Top         bool       `json:"top,omitempty" doc:"Move it to the top of its framework"`
	TermIDs     *[]ids.ID  `json:"termIds,omitempty" nullable:"false" maxItems:"50" doc:"All its competency tags; needs skills.taxonomy.manage"`
	Retired     *bool      `json:"retired,omitempty" doc:"false takes a retired skill into use again"`
}

// stored is a skill that is locked for a change.
type stored struct {
	place     Place
	current   *ids.ID
	retiredAt *time.Time
	updatedAt time.Time
	newest    Version
	draft     *Version
}

// Update changes a skill. Capability: skills.manage, and skills.taxonomy.manage for its terms, which
// is enough if nothing else changes. Errors: not_found, stale_update, validation_failed.
func Update(ctx context.Context, tx *db.Tx, id ids.ID, p Patch) (Detail, error) {
	if !p.tagsAlone() {
		if err := tx.Require(capability.SkillsManage); err != nil {
			return Detail{}, err
		}
	}
	was, err := lockSkill(ctx, tx, id)
	if err != nil {
		return Detail{}, err
	}
	if err := db.Fresh(p.UpdatedAt, was.updatedAt); err != nil {
		return Detail{}, err
	}
	if p.TermIDs != nil {
		err = setTags(ctx, tx, id, *p.TermIDs)
		if err != nil {
			return Detail{}, err
		}
	}
	err = was.write(ctx, tx, id, p)
	if err == nil {
		err = ledger.Append(ctx, tx, event("updated", id, nil))
	}
	if err != nil {
		return Detail{}, err
	}
	return Get(ctx, tx, id)
}

func (p Patch) tagsAlone() bool {
	return p.TermIDs != nil && p.Name == nil && p.Description == nil && p.Levels == nil && p.Code == nil && p.Position == nil &&
		p.ParentID == nil && !p.Top && p.Retired == nil
}

func (was stored) write(ctx context.Context, tx *db.Tx, id ids.ID, p Patch) error {
	place := was.place
	set(&place.Code, p.Code)
	set(&place.Position, p.Position)
	if p.ParentID != nil {
		place.ParentID = p.ParentID
	}
	if p.Top {
		place.ParentID = nil
	}
	now := Content{was.newest.Name, was.newest.Description, was.newest.Levels}
	set(&now.Name, p.Name)
	set(&now.Description, p.Description)
	set(&now.Levels, p.Levels)
	now, bad := now.check("")
	if p.Top && p.ParentID != nil {
		bad = append(bad, errs.Field{Path: "top", Code: "contradiction", Message: "say either top or parentId"})
	}
	misplaced, err := place.check(ctx, tx, id)
	if err != nil {
		return err
	}
	if err := errs.Invalid(append(bad, misplaced...)...); err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		update skills set code = nullif($3, ''), position = $4, parent_id = $5, retired_at = $6, updated_at = $7 where tenant_id = $1 and id = $2`,
		tx.Tenant(), id, place.Code, place.Position, place.ParentID, retiring(tx, was.retiredAt, p.Retired), tx.ChangedAt(was.updatedAt))
	if err != nil {
		return fmt.Errorf("update skill: %w", err)
	}
	if now.Name == was.newest.Name && now.Description == was.newest.Description && slices.Equal(now.Levels, was.newest.Levels) {
		return nil
	}
	number := was.newest.Number
	if was.draft == nil {
		number++
	}
	err = writeDraft(ctx, tx, id, number, now)
	if err != nil {
		return fmt.Errorf("write draft: %w", err)
	}
	return nil
}

// lockSkill reads a skill for a change, with its framework locked before it.
func lockSkill(ctx context.Context, tx *db.Tx, id ids.ID) (stored, error) {
	var s stored
	err := tx.QueryRow(ctx, "select framework_id from skills where tenant_id = $1 and id = $2", tx.Tenant(), id).Scan(&s.place.FrameworkID)
	if err == nil && s.place.FrameworkID != nil {
		_, err = lockFramework(ctx, tx, *s.place.FrameworkID)
	}
	if err == nil {
		err = tx.QueryRow(ctx, `
			select parent_id, coalesce(code, ''), position, current_version_id, retired_at, updated_at
			from skills where tenant_id = $1 and id = $2 for no key update`, tx.Tenant(), id).
			Scan(&s.place.ParentID, &s.place.Code, &s.place.Position, &s.current, &s.retiredAt, &s.updatedAt)
	}
	if err != nil {
		return s, found("skill", err)
	}
	draft, err := draftOf(ctx, tx, id)
	switch {
	case err == nil:
		s.draft, s.newest = &draft, draft
	case errors.Is(err, errs.NotFound):
		err = tx.QueryRow(ctx, versionSQL+"and id = $3", tx.Tenant(), id, s.current).Scan(&s.newest.ID, &s.newest.Number, &s.newest.Status,
			&s.newest.Name, &s.newest.Description, &s.newest.Levels, &s.newest.CreatedAt, &s.newest.UpdatedAt, &s.newest.PublishedAt)
	}
	return s, found("version", err)
}
