package access

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Proof is a step-up proof: it authorises one protected call of its user.
type Proof struct {
	ID        ids.ID    `json:"id"`
	Method    string    `json:"method" enum:"magic_link,operator,oidc"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// The methods of a proof: the user redeemed a link, an operator vouched, or the user's identity provider did.
const (
	ByMagicLink = "magic_link"
	ByOperator  = "operator"
	ByOIDC      = "oidc"
)

// IssueProof makes a proof for a user of the transaction's tenant.
func (a *Authority) IssueProof(ctx context.Context, tx *db.Tx, user ids.ID, method string) (Proof, error) {
	p := Proof{ID: ids.New(), Method: method, ExpiresAt: tx.Now().Add(a.options.StepUpLifetime)}
	_, err := tx.Exec(ctx, `
		insert into step_up_proofs (tenant_id, id, user_id, method, created_at, expires_at)
		values ($1, $2, $3, $4, $5, $6)`, tx.Tenant(), p.ID, user, p.Method, tx.Now(), p.ExpiresAt)
	if err != nil {
		return Proof{}, fmt.Errorf("store step-up proof: %w", err)
	}
	return p, nil
}
