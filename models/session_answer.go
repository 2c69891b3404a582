package models

import (
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// SessionAnswer is a row of session_answers: the newest answer to one item. Response is
// null when the answer was cleared.
type SessionAnswer struct {
	bun.BaseModel `bun:"table:session_answers,alias:a"`

	TenantID    uuid.UUID `bun:",pk,type:uuid"`
	SessionID   uuid.UUID `bun:",pk,type:uuid"`
	ItemID      uuid.UUID `bun:",pk,type:uuid"`
	OrgUnitID   uuid.UUID `bun:"type:uuid"`
	Sequence    int64
	Response    json.RawMessage `bun:"type:jsonb"`
	TimeSpentMs *int64
	StartedAt   *time.Time
	AnsweredAt  time.Time
}
