package people

import (
	"time"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/ids"
)

// UserInput describes a user that is created or imported.
type UserInput struct {
	// ID is the id of a person without an address in an import.
	ID       ids.ID         `json:"-"`
	Email    string         `json:"email,omitempty" maxLength:"254" example:"ada@example.org" doc:"Without an address a person gets no mail and no sign-in link, and needs a name"`
	Name     string         `json:"name,omitempty" maxLength:"200"`
	Metadata map[string]any `json:"metadata,omitempty" doc:"Attributes of the organisation's own; at most 32 KiB as JSON"`
	OrgUnits []string       `json:"orgUnits,omitempty" maxItems:"1000" maxLength:"200" doc:"Slugs or ids; default: the caller's own org unit"`
	Roles    []string       `json:"roles,omitempty" maxItems:"100" maxLength:"200" doc:"Keys of system roles (candidate), names or ids"`
}

// User is a person of a tenant.
type User struct {
	ID        ids.ID         `json:"id"`
	Email     string         `json:"email" doc:"Empty for a person without an address"`
	Name      string         `json:"name"`
	Metadata  map[string]any `json:"metadata"`
	Status    string         `json:"status" enum:"invited,active,deactivated"`
	OrgUnits  []OrgUnitRef   `json:"orgUnits" nullable:"false"`
	Roles     []RoleRef      `json:"roles" nullable:"false"`
	CreatedAt time.Time      `json:"createdAt"`
	UpdatedAt time.Time      `json:"updatedAt"`
}

// Self is one's own record with what the token allows. A role that came after the token counts
// from the next token on.
type Self struct {
	User
	Tenant       string                  `json:"tenant" doc:"Slug of the tenant"`
	OrgUnit      OrgUnitRef              `json:"orgUnit" doc:"The org unit that the token is for"`
	Capabilities []capability.Capability `json:"capabilities" nullable:"false" doc:"What the token allows now; roles that were granted after it count from the next token on (POST /auth/refresh)"`
}

// OrgUnitRef names an org unit.
type OrgUnitRef struct {
	ID   ids.ID `json:"id"`
	Slug string `json:"slug"`
}

// RoleRef names a role. SystemKey is empty for a tenant's own roles.
type RoleRef struct {
	ID        ids.ID `json:"id"`
	SystemKey string `json:"systemKey,omitempty"`
	Name      string `json:"name"`
}
