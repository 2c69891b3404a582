package access

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// InvitationInput says who is invited by a link, where to, and for which assignment.
type InvitationInput struct {
	User, OrgUnit, Assignment ids.ID
	Expires                   time.Time
}

// IssueInvitation makes a link for somebody who has no account in the org unit yet and gives
// its token, which is stored only as a hash. An earlier link of the same invitation no
// longer works. The caller has checked that the assignment is for the user.
func IssueInvitation(ctx context.Context, tx *db.Tx, in InvitationInput) (string, error) {
	token := newLinkToken(tx.Tenant())
	hash := sha256.Sum256([]byte(token))
	_, err := tx.Exec(ctx, `
		with withdrawn as (
			delete from magic_links where tenant_id = $1 and user_id = $3 and assignment_id = $5 and redeemed_at is null
		)
		insert into magic_links (tenant_id, id, user_id, org_unit_id, assignment_id, token_hash, created_at, expires_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8)`,
		tx.Tenant(), ids.New(), in.User, in.OrgUnit, in.Assignment, hash[:], tx.Now(), in.Expires)
	if err != nil {
		return "", fmt.Errorf("store invitation: %w", err)
	}
	return token, nil
}

// admit makes the user that an invitation names a member of the org unit, as a candidate.
// Nobody who is more than a candidate comes in this way: roles hold in every org unit, and
// a mail that lies around for days must not carry them. Such a user signs in as always.
func admit(ctx context.Context, tx *db.Tx, user, orgUnit ids.ID) error {
	var more bool
	err := tx.QueryRow(ctx, `
		select exists (select from user_roles g join roles r on r.tenant_id = g.tenant_id and r.id = g.role_id
			where g.tenant_id = $1 and g.user_id = $2 and r.system_key is distinct from 'candidate')`, tx.Tenant(), user).Scan(&more)
	if err != nil {
		return fmt.Errorf("look up roles: %w", err)
	}
	if more {
		return errs.New(errs.NotFound, "The invitation admits candidates alone.")
	}
	return people.Admit(ctx, tx, user, orgUnit)
}
