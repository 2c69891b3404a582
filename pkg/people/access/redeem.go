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
	StepUpProof *Proof      `json:"stepUpProof,omitempty" doc:"Of a sign-in by a link in a mail, and of a step-up at an identity provider: a proof for one protected call"`
}

func invalidLink() error {
	return errs.New(errs.LinkInvalid, "This sign-in link is unknown, expired or already used. Ask for a new one.")
}

// Redeem trades a link's token for a session. A link works once: of two tries at the same moment one succeeds.
// link_invalid when it is unknown, expired, used, or its user is no longer an active member of the org unit; and
// when verifier is not the secret that the link was requested with, which is empty for a link requested without one.
func (a *Authority) Redeem(ctx context.Context, token, verifier string) (Session, error) {
	tenant := tenantOf(token)
	if tenant == ids.None {
		return Session{}, invalidLink()
	}
	var s Session
	err := a.store.Write(ctx, db.System(tenant, "verify"), func(tx *db.Tx) error {
		var err error
		s, err = a.redeem(ctx, tx, "token_hash", token, verifier)
		return err
	})
	return s, err
}

// redeemSQL uses a link up by its token or by its code.
var redeemSQL = map[string]string{
	"token_hash": redeemBy + "token_hash = $2 and code_hash is null and expires_at > $3" + redeemed,
	"code_hash":  redeemBy + "code_hash = $2 and code_expires_at > $3" + redeemed,
}

const (
	redeemBy = "update magic_links set redeemed_at = $3 where tenant_id = $1 and "
	redeemed = ` and redeemed_at is null and user_id is not null
		returning user_id, org_unit_id, assignment_id, code_challenge,
			case when proof is not null then proof when provider_id is null then 'magic_link' else 'none' end`
)

func (a *Authority) redeem(ctx context.Context, tx *db.Tx, by, secret, verifier string) (Session, error) {
	hash := sha256.Sum256([]byte(secret))
	var user, org ids.ID
	var assignment *ids.ID
	var challenge *string
	var method string
	err := tx.QueryRow(ctx, redeemSQL[by], tx.Tenant(), hash[:], tx.Now()).Scan(&user, &org, &assignment, &challenge, &method)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && !proves(challenge, verifier) {
		return Session{}, invalidLink()
	}
	if err != nil {
		return Session{}, fmt.Errorf("redeem link: %w", err)
	}
	if assignment != nil {
		err = admit(ctx, tx, user, org)
	}
	var s Session
	if err == nil {
		s, err = a.open(ctx, tx, user, org, method)
	}
	if errors.Is(err, errs.NotFound) {
		err = invalidLink()
	}
	return s, err
}

// noProof is the method of a sign-in that gives no step-up proof.
const noProof = "none"

// open signs a user in, with a step-up proof for who has shown that they are there: a mail reaches them, or their provider says so.
func (a *Authority) open(ctx context.Context, tx *db.Tx, user, org ids.ID, method string) (Session, error) {
	token, err := a.IssueToken(ctx, tx, user, org)
	if err != nil {
		return Session{}, err
	}
	who, err := people.GetUser(ctx, tx, user)
	if err != nil || method == noProof {
		return Session{Token: token, User: who}, err
	}
	proof, err := a.IssueProof(ctx, tx, user, method)
	if err != nil {
		return Session{}, err
	}
	return Session{Token: token, User: who, StepUpProof: &proof}, nil
}
