package people

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// UserPatch changes what it names and leaves the rest.
type UserPatch struct {
	Email     *string         `json:"email,omitempty" maxLength:"254" doc:"Where sign-in links go: changing it needs every capability that the user holds. An empty one takes the address away. It ends their tokens, links and step-up proofs, and a mail to the old address says so"`
	Name      *string         `json:"name,omitempty" maxLength:"200"`
	Metadata  *map[string]any `json:"metadata,omitempty" doc:"The whole new set; at most 32 KiB as JSON"`
	OrgUnits  *[]string       `json:"orgUnits,omitempty" maxItems:"1000" maxLength:"200" doc:"Slugs or ids: the whole new set of those that the caller reaches; others stay. Leaving an org unit is leaving its groups; leaving the last one is being locked out, and needs what a status needs"`
	Status    *string         `json:"status,omitempty" enum:"active,deactivated" doc:"As /users/{id}/deactivate and /users/{id}/reactivate"`
	UpdatedAt *time.Time      `json:"updatedAt,omitempty" doc:"The updatedAt that was read; stale_update when the user has changed since"`
}

// UpdateUser changes a user and brings their dynamic groups in line. It needs users.manage, and the caller must reach the user for
// everything but org units; for e-mail address, status and leaving the last org unit it also needs every capability that the user holds:
// anyone who sets the address of somebody mightier signs in as them, and nobody signs in without an org unit. A new address and deactivating
// end the user's tokens, links and proofs, and the old address is told of the new one. Under a hold the metadata stay. Errors: not_found,
// hold_active, subject_erased, stale_update, validation_failed, forbidden, user_out_of_reach, duplicate_email, last_tenant_admin.
func UpdateUser(ctx context.Context, tx *db.Tx, id ids.ID, patch UserPatch) (User, error) {
	err := tx.Require(capability.UsersManage)
	if err != nil {
		return User{}, err
	}
	old, err := patch.open(ctx, tx, id)
	if err != nil {
		return User{}, err
	}
	err = RefuseErased(ctx, tx, id)
	if err != nil {
		return User{}, err
	}
	next, err := patch.apply(ctx, tx, old)
	if err != nil {
		return User{}, err
	}
	return next.save(ctx, tx, old)
}

// DeactivateUser keeps a user from signing in; tokens and links that they hold stop within
// a second, for good, and they leave dynamic groups. It needs what UpdateUser needs for a
// status. Again changes nothing. Errors: not_found, forbidden, user_out_of_reach,
// last_tenant_admin.
func DeactivateUser(ctx context.Context, tx *db.Tx, id ids.ID) (User, error) {
	status := models.UserDeactivated
	return UpdateUser(ctx, tx, id, UserPatch{Status: &status})
}

// ReactivateUser lets a user sign in again, with the org units and roles of before; an
// invited one too. It needs what UpdateUser needs for a status. Again changes nothing.
// Errors: not_found, forbidden, user_out_of_reach.
func ReactivateUser(ctx context.Context, tx *db.Tx, id ids.ID) (User, error) {
	status := models.UserActive
	return UpdateUser(ctx, tx, id, UserPatch{Status: &status})
}

// open takes the locks of a change, always in this order: the rules of groups, the role
// Tenant Admin where somebody may lose an admin, the user.
func (p UserPatch) open(ctx context.Context, tx *db.Tx, id ids.ID) (User, error) {
	err := shareRules(ctx, tx)
	if err != nil {
		return User{}, err
	}
	if p.OrgUnits != nil || p.deactivates() {
		err = lockAdmins(ctx, tx)
		if err != nil {
			return User{}, err
		}
	}
	lock := "no key update"
	if p.Email != nil || p.deactivates() {
		lock = "update"
	}
	_, err = lockUser(ctx, tx, id, lock)
	if err != nil {
		return User{}, err
	}
	return findUser(ctx, tx, "id = ?", id)
}

func (p UserPatch) deactivates() bool { return p.Status != nil && *p.Status == models.UserDeactivated }

// userChange is a patch that was checked.
type userChange struct {
	user        User
	key         string
	joins, left []ids.ID
	// orgUnitsOnly says that the patch named nothing else.
	orgUnitsOnly bool
}

func (p UserPatch) apply(ctx context.Context, tx *db.Tx, old User) (userChange, error) {
	err := db.Fresh(p.UpdatedAt, old.UpdatedAt)
	if err != nil {
		return userChange{}, err
	}
	next := userChange{user: old, orgUnitsOnly: p.OrgUnits != nil && p.Name == nil && p.Email == nil && p.Metadata == nil && p.Status == nil}
	if p.Name != nil {
		next.user.Name = strings.TrimSpace(*p.Name)
	}
	if p.Email != nil {
		next.user.Email = *p.Email
	}
	if p.Metadata != nil {
		next.user.Metadata = *p.Metadata
	}
	if p.Status != nil {
		next.user.Status = *p.Status
	}
	bad := append(next.check(), checkStatus(p.Status)...)
	worse, err := next.move(ctx, tx, p.OrgUnits)
	if err != nil {
		return next, err
	}
	err = errs.Invalid(append(bad, worse...)...)
	if err != nil {
		return next, err
	}
	return next, next.allowed(ctx, tx, old)
}

func (n *userChange) check() []errs.Field {
	var c UserCheck
	if n.user.Email = strings.TrimSpace(n.user.Email); n.user.Email != "" {
		c = checkEmail(n.user.Email)
	}
	n.user.Email, n.key = c.user.email, c.EmailKey
	c.add(checkNameless(n.user.Email, n.user.Name)...)
	c.add(errs.Line("name", n.user.Name, maxNameChars, false)...)
	c.add(checkMetadata("metadata", n.user.Metadata)...)
	if n.user.Metadata == nil {
		n.user.Metadata = map[string]any{}
	}
	return c.Problems
}

func checkStatus(status *string) []errs.Field {
	if status == nil || *status == models.UserActive || *status == models.UserDeactivated {
		return nil
	}
	return []errs.Field{{Path: "status", Code: "invalid_choice", Message: "expected active or deactivated"}}
}

// move finds which org units the user joins and leaves, among the ones that the caller reaches.
func (n *userChange) move(ctx context.Context, tx *db.Tx, wanted *[]string) ([]errs.Field, error) {
	if wanted == nil {
		return nil, nil
	}
	known := directory{orgUnits: map[string]ids.ID{}}
	err := known.loadOrgUnits(ctx, tx)
	if err != nil {
		return nil, err
	}
	target, bad := known.findOrgUnits(*wanted)
	now := mapSlice(n.user.OrgUnits, func(o OrgUnitRef) ids.ID { return o.ID })
	for _, o := range n.user.OrgUnits {
		if _, reached := known.orgUnits[o.Slug]; reached && !slices.Contains(target, o.ID) {
			n.left = append(n.left, o.ID)
		}
	}
	for _, id := range target {
		if !slices.Contains(now, id) {
			n.joins = append(n.joins, id)
		}
	}
	return bad, nil
}

// save writes the change, if it is one.
func (n userChange) save(ctx context.Context, tx *db.Tx, old User) (User, error) {
	changed, err := n.writeRow(ctx, tx, old)
	if err != nil {
		return User{}, err
	}
	events, err := n.writeOrgUnits(ctx, tx, old, changed)
	if err != nil || len(events) == 0 {
		return old, err
	}
	err = n.signOut(ctx, tx, old)
	if err != nil {
		return User{}, err
	}
	ruled, err := applyRules(ctx, tx, nil, []ids.ID{old.ID})
	if err != nil {
		return User{}, err
	}
	err = ledger.Append(ctx, tx, append(events, ruled...)...)
	if err != nil {
		return User{}, err
	}
	return findUser(ctx, tx, "id = ?", old.ID)
}

func (n userChange) writeRow(ctx context.Context, tx *db.Tx, old User) (bool, error) {
	generations := 0
	if n.signsOut(old) {
		generations = 1
	}
	metadata, err := encodeMetadata(n.user.Metadata)
	if err != nil {
		return false, fmt.Errorf("encode metadata: %w", err)
	}
	err = tx.AnnounceAccess(ctx)
	if err != nil {
		return false, err
	}
	count, err := tx.Exec(ctx, `
		update users set email = nullif($3, ''), email_key = nullif($4, ''), name = $5, metadata = $6::jsonb, status = $7, updated_at = $8,
			token_generation = token_generation + $10
		where tenant_id = $1 and id = $2 and ($9 or (email, name, metadata, status) is distinct from (nullif($3, ''), $5, $6::jsonb, $7))`,
		tx.Tenant(), n.user.ID, n.user.Email, n.key, n.user.Name, metadata, n.user.Status, tx.ChangedAt(n.user.UpdatedAt), len(n.joins)+len(n.left) > 0, generations)
	if err != nil {
		return false, fmt.Errorf("update user: %w", err)
	}
	return count > 0, nil
}

// writeOrgUnits gives the events of a change. They say a status only if it differs from the one before, so that their readers know when it changed.
func (n userChange) writeOrgUnits(ctx context.Context, tx *db.Tx, old User, changed bool) ([]ledger.Event, error) {
	if !changed {
		return nil, nil
	}
	e := userEvent("user.updated", n.user.ID)
	if n.user.Status != old.Status {
		e.Payload = map[string]any{"status": n.user.Status}
	}
	joined, err := addMemberships(ctx, tx, []candidate{{id: n.user.ID, orgUnits: n.joins}})
	if err != nil {
		return nil, err
	}
	left, err := leaveOrgUnits(ctx, tx, n.user.ID, n.left)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]ledger.Event{e}, joined, left), nil
}
