package access

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// Session is what redeeming a link gives.
type Session struct {
	Token
	User        people.User `json:"user"`
	StepUpProof Proof       `json:"stepUpProof"`
}

// Redeem trades a link's token for a session. A link works once: of two tries at the same
// moment one succeeds. link_invalid when it is unknown, expired, used, or its user is no
// longer an active member of the org unit.
func (a *Authority) Redeem(ctx context.Context, token string) (Session, error) {
	invalid := errs.New(errs.LinkInvalid, "This sign-in link is unknown, expired or already used. Ask for a new one.")
	tenant := tenantOf(token)
	if tenant == ids.None {
		return Session{}, invalid
	}
	hash := sha256.Sum256([]byte(token))
	var s Session
	err := a.store.Write(ctx, db.System(tenant, "verify"), func(tx *db.Tx) error {
		var user, org ids.ID
		var assignment *ids.ID
		err := tx.QueryRow(ctx, `
			update magic_links set redeemed_at = $3
			where tenant_id = $1 and token_hash = $2 and redeemed_at is null and expires_at > $3 and user_id is not null
			returning user_id, org_unit_id, assignment_id`, tx.Tenant(), hash[:], tx.Now()).Scan(&user, &org, &assignment)
		if errors.Is(err, pgx.ErrNoRows) {
			return invalid
		}
		if err != nil {
			return fmt.Errorf("redeem link: %w", err)
		}
		if assignment != nil {
			err = admit(ctx, tx, user, org)
		}
		if err == nil {
			s, err = a.open(ctx, tx, user, org)
		}
		if errors.Is(err, errs.NotFound) {
			return invalid
		}
		return err
	})
	return s, err
}

func (a *Authority) open(ctx context.Context, tx *db.Tx, user, org ids.ID) (Session, error) {
	token, err := a.IssueToken(ctx, tx, user, org)
	if err != nil {
		return Session{}, err
	}
	proof, err := a.IssueProof(ctx, tx, user, ByMagicLink)
	if err != nil {
		return Session{}, err
	}
	who, err := people.GetUser(ctx, tx, user)
	if err != nil {
		return Session{}, err
	}
	return Session{Token: token, User: who, StepUpProof: proof}, nil
}
