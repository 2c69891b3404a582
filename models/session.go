package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// The states of a session (decisions, section 4). Only an open one takes answers.
const (
	SessionOpen      = "open"
	SessionSubmitted = "submitted"
	SessionExpired   = "expired"
	SessionClosed    = "closed"
	SessionAbandoned = "abandoned"
)

// Session is a row of sessions: one person's attempt while it runs. Revision counts the
// saves; Receipt is the newest link of their chain. Seed rules the order of items and
// options, and the draws unless Drawn lists them. Only the newest View may write. Furthest is
// the place of the furthest answer under linear navigation; SectionStarts says when sections
// began, by their ids.
type Session struct {
	bun.BaseModel `bun:"table:sessions,alias:s"`

	TenantID            uuid.UUID `bun:",pk,type:uuid"`
	ID                  uuid.UUID `bun:",pk,type:uuid"`
	OrgUnitID           uuid.UUID `bun:"type:uuid"`
	EvaluationID        uuid.UUID `bun:"type:uuid"`
	EvaluationVersionID uuid.UUID `bun:"type:uuid"`
	UserID              uuid.UUID `bun:"type:uuid"`
	StartedBy           string
	State               string
	AssignmentID        *uuid.UUID `bun:"type:uuid"`
	RunLabel            *string
	StartedAt           time.Time
	DeadlineAt          *time.Time
	// ExtraTimeSeconds is the time that overrides and proctors have added.
	ExtraTimeSeconds int
	// OverrideSeconds is the part of it that an override has added.
	OverrideSeconds int
	LastActivityAt  time.Time
	EndedAt         *time.Time
	Revision        int64
	Receipt         []byte
	Seed            int64
	EventsN         int `bun:"events_n"`
	View            int
	Furthest        *int
	SectionStarts   map[uuid.UUID]time.Time `bun:"type:jsonb"`
	Drawn           []uuid.UUID             `bun:"type:uuid[],array"`
	// ActedBy is everybody but the person who started the session or saved answers.
	ActedBy []string `bun:"type:text[],array"`
}
