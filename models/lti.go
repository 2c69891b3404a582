package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// The states of a deployment.
const (
	DeploymentPending = "pending"
	DeploymentAllowed = "allowed"
	DeploymentBlocked = "blocked"
)

// LTIPlatform is a learning platform that a tenant trusts.
type LTIPlatform struct {
	bun.BaseModel `bun:"table:lti_platforms"`

	TenantID  uuid.UUID `bun:"tenant_id,pk"`
	ID        uuid.UUID `bun:"id,pk"`
	Name      string    `bun:"name"`
	Status    string    `bun:"status"`
	Issuer    string    `bun:"issuer"`
	ClientID  string    `bun:"client_id"`
	AuthURL   string    `bun:"auth_url"`
	TokenURL  string    `bun:"token_url"`
	KeysURL   string    `bun:"keys_url"`
	Audience  string    `bun:"audience"`
	Identity  string    `bun:"identity"`
	Roles     []LTIRole `bun:"roles,type:jsonb"`
	CreatedAt time.Time `bun:"created_at"`
	UpdatedAt time.Time `bun:"updated_at"`
}

// LTIRole says which role a role in courses of a platform gives to people who come for the first time.
type LTIRole struct {
	Role   string    `json:"role" minLength:"1" maxLength:"300" doc:"The role in a course, in short or in full: Instructor, TeachingAssistant" example:"Instructor"`
	RoleID uuid.UUID `json:"roleId"`
}

// LTIDeployment is a place in a platform where the service was installed.
type LTIDeployment struct {
	bun.BaseModel `bun:"table:lti_deployments"`

	TenantID     uuid.UUID  `bun:"tenant_id,pk"`
	ID           uuid.UUID  `bun:"id,pk"`
	PlatformID   uuid.UUID  `bun:"platform_id"`
	DeploymentID string     `bun:"deployment_id"`
	Status       string     `bun:"status"`
	OrgUnitID    *uuid.UUID `bun:"joined_id"`
	CreatedAt    time.Time  `bun:"created_at"`
	UpdatedAt    time.Time  `bun:"updated_at"`
}

// LTIContext is a course of a platform.
type LTIContext struct {
	bun.BaseModel `bun:"table:lti_contexts"`

	TenantID     uuid.UUID `bun:"tenant_id,pk"`
	ID           uuid.UUID `bun:"id,pk"`
	OrgUnitID    uuid.UUID `bun:"org_unit_id"`
	DeploymentID uuid.UUID `bun:"deployment_id"`
	ContextID    string    `bun:"context_id"`
	Title        string    `bun:"title"`
	GroupID      uuid.UUID `bun:"group_id"`
	CreatedAt    time.Time `bun:"created_at"`
	// MembersURL is where the platform lists its members; null if it does not.
	MembersURL *string    `bun:"members_url"`
	SyncedAt   *time.Time `bun:"synced_at"`
	SyncAt     *time.Time `bun:"sync_at"`
	Problem    *string    `bun:"problem"`
}

// LTILink is a resource link: what one activity of a course hands out.
type LTILink struct {
	bun.BaseModel `bun:"table:lti_links"`

	TenantID     uuid.UUID `bun:"tenant_id,pk"`
	ID           uuid.UUID `bun:"id,pk"`
	OrgUnitID    uuid.UUID `bun:"org_unit_id"`
	PlatformID   uuid.UUID `bun:"platform_id"`
	DeploymentID uuid.UUID `bun:"deployment_id"`
	ContextID    uuid.UUID `bun:"context_id"`
	LinkID       string    `bun:"link_id"`
	Title        string    `bun:"title"`
	AssignmentID uuid.UUID `bun:"assignment_id"`
	// LineItem is where its grades go; null if the platform takes none.
	LineItem  *string   `bun:"line_item"`
	Counts    string    `bun:"counts"`
	SentWhen  string    `bun:"sent_when"`
	CreatedAt time.Time `bun:"created_at"`
	UpdatedAt time.Time `bun:"updated_at"`
}

// LTIScore is the grade of a person in an activity, as it goes to the platform.
type LTIScore struct {
	bun.BaseModel `bun:"table:lti_scores"`

	TenantID   uuid.UUID  `bun:"tenant_id,pk"`
	ID         uuid.UUID  `bun:"id,pk"`
	OrgUnitID  uuid.UUID  `bun:"org_unit_id"`
	PlatformID uuid.UUID  `bun:"platform_id"`
	LinkID     uuid.UUID  `bun:"link_id"`
	UserID     uuid.UUID  `bun:"user_id"`
	State      string     `bun:"state"`
	Changed    int64      `bun:"changed"`
	Attempts   int        `bun:"attempts"`
	NextAt     time.Time  `bun:"next_at"`
	Stamp      *time.Time `bun:"stamp"`
	Prepared   *string    `bun:"prepared"`
	Sent       *string    `bun:"sent"`
	Status     *int       `bun:"status"`
	Answer     *string    `bun:"answer"`
	SentAt     *time.Time `bun:"sent_at"`
	CreatedAt  time.Time  `bun:"created_at"`
}
