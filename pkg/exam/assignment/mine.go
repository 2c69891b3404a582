package assignment

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Mine is an assignment as seen by a person it reaches: what to take, from when until when, and
// whether a start would succeed now.
type Mine struct {
	AssignmentID     ids.ID     `json:"assignmentId"`
	EvaluationID     ids.ID     `json:"evaluationId"`
	Title            string     `json:"title" doc:"Of the published version; empty without one"`
	RunLabel         *string    `json:"run_label"`
	State            string     `json:"state" enum:"in_progress,open,upcoming,waiting,used_up,ended,closed,unavailable" doc:"in_progress: a session is open; open: a start succeeds; waiting: the next attempt is allowed at availableAt; used_up: no attempt is left; unavailable: nothing is published, it was archived, or the person's data must not be used"`
	ValidFrom        *time.Time `json:"validFrom" doc:"Of the person, overrides included"`
	ValidUntil       *time.Time `json:"validUntil" doc:"Of the person, overrides included"`
	TimeLimitSeconds *int       `json:"timeLimitSeconds" doc:"With what overrides add; null without a limit"`
	AttemptsMade     int        `json:"attemptsMade" doc:"At the evaluation, under whatever assignment"`
	AttemptsLeft     *int       `json:"attemptsLeft" doc:"Null without a limit"`
	AvailableAt      *time.Time `json:"availableAt" doc:"When the state is waiting: when the next attempt is allowed"`
	OpenSessionID    *ids.ID    `json:"openSessionId" doc:"The session to go on with, if one is open"`
	SEBFile          bool       `json:"sebFile" doc:"It is taken in Safe Exam Browser, which GET /assignments/{id}/seb opens"`
}

//go:embed mine.sql
var mineSQL string

// ListMine lists the actor's assignments in their org unit, newest first: by name, by a group
// that they are in, or by a public link that they redeemed. State says how a start would end,
// by the same rules. It needs sessions.take. Errors: forbidden, validation_failed.
func ListMine(ctx context.Context, tx *db.Tx, p db.Page) (db.List[Mine], error) {
	var none db.List[Mine]
	err := tx.Require(capability.SessionsTake)
	if err != nil {
		return none, err
	}
	if tx.Actor().Kind != db.UserActor {
		return none, errs.New(errs.Forbidden, "Only a person has assignments of their own.")
	}
	page, err := p.Check()
	if err != nil {
		return none, err
	}
	items, total, err := queryMine(ctx, tx, page.Limit, page.Offset())
	if err == nil && len(items) == 0 && page.Offset() > 0 { // rows tell the total, and past the end there are none
		_, total, err = queryMine(ctx, tx, 1, 0)
	}
	if err != nil {
		return none, fmt.Errorf("list own assignments: %w", err)
	}
	return db.NewList(items, page, total), nil
}

func queryMine(ctx context.Context, tx *db.Tx, limit, offset int) ([]Mine, int, error) {
	rows, err := tx.Query(ctx, mineSQL, tx.Tenant(), tx.Actor().ID, tx.Scope().All, tx.Scope().OrgUnit, tx.Now(), limit, offset)
	if err != nil {
		return nil, 0, err
	}
	total := 0
	items, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Mine, error) { return scanMine(row, tx.Now(), &total) })
	return items, total, err
}

func scanMine(row pgx.CollectableRow, now time.Time, total *int) (Mine, error) {
	var p pass
	var m Mine
	var settings []byte
	h := history{now: now}
	err := row.Scan(total, &p.id, &p.evaluation, &p.status, &p.runLabel, &p.validFrom, &p.validUntil, &p.evaluationStatus, &p.version,
		&m.Title, &settings, &p.restricted, &p.grant.extraTimeSeconds, &p.grant.extraAttempts, &p.grant.validFrom, &p.grant.validUntil,
		&h.attempts, &h.last, &m.OpenSessionID)
	if err == nil && settings != nil {
		err = json.Unmarshal(settings, &p.settings)
	}
	if err != nil {
		return Mine{}, err
	}
	m.AssignmentID, m.EvaluationID, m.RunLabel, m.AttemptsMade = p.id, p.evaluation, p.runLabel, h.attempts
	m.SEBFile = p.settings.Lockdown.SEBFile
	m.ValidFrom, m.ValidUntil = p.window()
	if limit := p.settings.TimeLimitSeconds; limit != nil {
		m.TimeLimitSeconds = new(int)
		*m.TimeLimitSeconds = *limit + p.grant.extraTimeSeconds
	}
	if limit := p.settings.MaxAttemptsPerUser; limit != nil {
		left := max(0, *limit+p.grant.extraAttempts-h.attempts)
		m.AttemptsLeft = &left
	}
	m.setState(p, h)
	return m, nil
}

// setState asks the rules of a start.
func (m *Mine) setState(p pass, h history) {
	err := p.checkOpen(h.now)
	if err == nil {
		_, err = h.check(p.settings, p.grant.extraAttempts)
	}
	switch {
	case m.OpenSessionID != nil:
		m.State = "in_progress"
	case err == nil:
		m.State = "open"
	default:
		m.State = m.refused(p, errs.Of(err).Code, h.now)
	}
	if m.State == "waiting" {
		at := h.last.UTC().Add(time.Duration(p.settings.CooloffSeconds) * time.Second)
		m.AvailableAt = &at
	}
}

// refused says in one word why a start would be refused.
func (m *Mine) refused(p pass, code errs.Code, now time.Time) string {
	switch {
	case code == errs.AttemptLimitReached:
		return "used_up"
	case code == errs.CooloffActive:
		return "waiting"
	case code != errs.AssignmentNotOpen:
		return "unavailable"
	case p.status != models.AssignmentActive:
		return "closed"
	case m.ValidFrom != nil && now.Before(*m.ValidFrom):
		return "upcoming"
	default:
		return "ended"
	}
}
