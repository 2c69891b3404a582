package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// The kinds of runtime events (decisions, section 4).
const (
	EventFocusLost       = "focus_lost"
	EventFocusGained     = "focus_gained"
	EventFullscreenExit  = "fullscreen_exit"
	EventFullscreenEnter = "fullscreen_enter"
	EventCopy            = "copy"
	EventPaste           = "paste"
	EventNetworkLost     = "network_lost"
	EventNetworkRestored = "network_restored"
	EventHeartbeat       = "heartbeat"
)

// SessionEvent is a row of session_events. Raw events go when the session is projected.
type SessionEvent struct {
	bun.BaseModel `bun:"table:session_events,alias:e"`

	TenantID   uuid.UUID `bun:",pk,type:uuid"`
	SessionID  uuid.UUID `bun:",pk,type:uuid"`
	ID         uuid.UUID `bun:",pk,type:uuid"`
	OrgUnitID  uuid.UUID `bun:"type:uuid"`
	EventType  string
	OccurredAt time.Time
}
