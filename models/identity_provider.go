package models

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// The states of an identity provider.
const (
	ProviderActive   = "active"
	ProviderDisabled = "disabled"
)

// IdentityProvider is a service of the institution that tells a tenant who signs in.
type IdentityProvider struct {
	bun.BaseModel `bun:"table:identity_providers"`

	TenantID     uuid.UUID `bun:"tenant_id,pk"`
	ID           uuid.UUID `bun:"id,pk"`
	Slug         string    `bun:"slug"`
	Name         string    `bun:"name"`
	Status       string    `bun:"status"`
	Issuer       string    `bun:"issuer"`
	ClientID     string    `bun:"client_id"`
	SealedSecret []byte    `bun:"sealed_secret"`
	// SealedKey is the key that the client signs with in place of a secret, PublicKey the key that the provider checks the
	// signature with (a JWK).
	SealedKey    []byte          `bun:"sealed_key"`
	PublicKey    json.RawMessage `bun:"public_key,type:jsonb"`
	Scopes       []string        `bun:"scopes,array"`
	Claims       ProviderClaims  `bun:"claims,type:jsonb"`
	EmailTrust   string          `bun:"email_trust"`
	Domains      []string        `bun:"domains,array"`
	Provisioning string          `bun:"provisioning"`
	OrgUnitID    uuid.UUID       `bun:"joined_id"`
	RoleIDs      []uuid.UUID     `bun:"role_ids,array,type:uuid[]"`
	Groups       []ClaimedGroup  `bun:"groups,type:jsonb"`
	StepUp       ProviderStepUp  `bun:"step_up,type:jsonb"`
	CreatedAt    time.Time       `bun:"created_at"`
	UpdatedAt    time.Time       `bun:"updated_at"`
}

// ProviderClaims are the names of the claims that are read.
type ProviderClaims struct {
	Email  string `json:"email"`
	Name   string `json:"name"`
	Groups string `json:"groups"`
}

// ProviderStepUp says which sign-ins are enough for a step-up: one of these acr or amr, no older than MaxAge seconds.
// With neither there is no step-up.
type ProviderStepUp struct {
	ACR    []string `json:"acr,omitempty"`
	AMR    []string `json:"amr,omitempty"`
	MaxAge int      `json:"maxAge,omitempty"`
}

// ClaimedGroup says which group a value of the claim of groups means.
type ClaimedGroup struct {
	Value   string    `json:"value" minLength:"1" maxLength:"300" doc:"What the provider calls the group"`
	GroupID uuid.UUID `json:"groupId"`
}
