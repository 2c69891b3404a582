package people

import (
	"context"
	"fmt"
	"slices"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Unlinked is how many bindings of a person were removed.
type Unlinked struct{ OrgUnits, Groups, Roles int64 }

// Unlink removes the org units and groups of a person, in one org unit or, with ids.None, in all of them and the
// roles too. Their tokens end, and the record stays. The caller has checked the capability and has the whole tenant
// in scope. Errors: not_found, validation_failed for an org unit that the person is not in, last_tenant_admin.
func Unlink(ctx context.Context, tx *db.Tx, id, orgUnit ids.ID) (Unlinked, error) {
	user, err := UserPatch{OrgUnits: &[]string{}}.open(ctx, tx, id)
	if err != nil {
		return Unlinked{}, err
	}
	left := mapSlice(user.OrgUnits, func(o OrgUnitRef) ids.ID { return o.ID })
	whole := orgUnit == ids.None
	if !whole {
		if !slices.Contains(left, orgUnit) {
			return Unlinked{}, errs.Invalid(errs.Field{Path: "org_unit_id", Code: "not_a_member", Message: "the person is not in this org unit"})
		}
		left = []ids.ID{orgUnit}
	}
	if len(left) == len(user.OrgUnits) {
		if i := slices.IndexFunc(user.Roles, func(r RoleRef) bool { return r.SystemKey == capability.TenantAdmin }); i >= 0 {
			if err := keepAnAdmin(ctx, tx, id, user.Roles[i].ID); err != nil {
				return Unlinked{}, err
			}
		}
	}
	err = tx.AnnounceAccess(ctx)
	if err != nil {
		return Unlinked{}, err
	}
	events, err := leaveOrgUnits(ctx, tx, id, left)
	if err != nil {
		return Unlinked{}, err
	}
	done := Unlinked{OrgUnits: int64(len(left)), Groups: int64(len(events) - len(left))}
	if whole {
		revoked, err := revokeAll(ctx, tx, id)
		if err != nil {
			return Unlinked{}, err
		}
		done.Roles = int64(len(revoked))
		events = append(events, revoked...)
	}
	_, err = tx.Exec(ctx, "update users set token_generation = token_generation + 1, updated_at = $3 where tenant_id = $1 and id = $2",
		tx.Tenant(), id, tx.ChangedAt(user.UpdatedAt))
	if err != nil {
		return Unlinked{}, fmt.Errorf("sign out: %w", err)
	}
	return done, ledger.Append(ctx, tx, events...)
}
