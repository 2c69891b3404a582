package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/people"
)

const (
	// maxReason bounds a reason, in characters.
	maxReason = 500
	// maxExtraSeconds bounds what a proctor adds at once.
	maxExtraSeconds = 7 * 24 * 60 * 60
)

// CloseInput ends a session without a submission.
type CloseInput struct {
	EvaluationID ids.ID `json:"-"`
	SessionID    ids.ID `json:"-"`
	Reason       string `json:"reason" minLength:"1" maxLength:"500" doc:"Why; name nobody here"`
}

// ExtendInput gives a session more time.
type ExtendInput struct {
	EvaluationID     ids.ID `json:"-"`
	SessionID        ids.ID `json:"-"`
	ExtraTimeSeconds int    `json:"extraTimeSeconds" minimum:"1" maximum:"604800" doc:"Added to the time limit, and to those of sections"`
	Reason           string `json:"reason" minLength:"1" maxLength:"500" doc:"Why; name nobody here"`
}

// closeOneSQL ends a session and keeps who did it and why. Like CloseSessions it leaves a
// session whose time is over to expiry, which submits what was saved in time.
const closeOneSQL = `
with touched as (
	update sessions set state = $7, ended_at = greatest($3, last_activity_at)
	where tenant_id = $1 and id = $2 and state || '' = 'open' and (deadline_at is null or deadline_at >= $3)
	returning *
), noted as (
	insert into session_actions (tenant_id, session_id, id, org_unit_id, action, actor, reason, acted_at)
	select s.tenant_id, touched.id, $4, org_unit_id, 'close', $5, $6, $3
	from touched cross join (select tenant_id from sessions where tenant_id = $1 and id = $2) s returning true
)
select ` + summaryColumns + ` from touched`

const extendSQL = `
with touched as (
	update sessions set deadline_at = later_by(deadline_at, $7::int), extra_time_seconds = extra_time_seconds + $7::int
	where tenant_id = $1 and id = $2 and state || '' = 'open' and (deadline_at >= $3 or deadline_at is null and section_starts is not null)
	returning *
), noted as (
	insert into session_actions (tenant_id, session_id, id, org_unit_id, action, actor, reason, extra_time_seconds, acted_at)
	select s.tenant_id, touched.id, $4, org_unit_id, 'extend', $5, $6, $7, $3
	from touched cross join (select tenant_id from sessions where tenant_id = $1 and id = $2) s returning true
)
select ` + summaryColumns + ` from touched`

// Close ends an open session for good: what was saved stays and can be read, nothing is
// submitted, and the attempt does not count. Capability: sessions.proctor. Errors:
// not_found, session_not_open, validation_failed, four_eyes_required for one's own, subject_erased.
func (d *Desk) Close(ctx context.Context, tx *db.Tx, in CloseInput) (Summary, error) {
	err := d.oversee(ctx, tx, in.EvaluationID, in.SessionID, errs.Prose("reason", in.Reason, maxReason, true))
	if err != nil {
		return Summary{}, err
	}
	s, err := d.act(ctx, tx, in.SessionID, "session.closed", nil, closeOneSQL, in.Reason, closing.To)
	if err != nil {
		return Summary{}, err
	}
	ended(tx, closing.To, 1)
	// As a part of the statement above it would need every node of a cluster.
	_, err = tx.Exec(ctx, "insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) values ($1, 'session', $2, $3)",
		tx.Tenant(), in.SessionID, tx.Now())
	if err != nil {
		return Summary{}, fmt.Errorf("queue the closed session: %w", err)
	}
	return s, nil
}

// Extend moves the deadline of an open session, and of its sections, further away.
// Capability: sessions.proctor. Errors: not_found, session_not_open, no_time_limit,
// validation_failed, four_eyes_required for one's own, subject_erased.
func (d *Desk) Extend(ctx context.Context, tx *db.Tx, in ExtendInput) (Summary, error) {
	bad := errs.Prose("reason", in.Reason, maxReason, true)
	if in.ExtraTimeSeconds < 1 || in.ExtraTimeSeconds > maxExtraSeconds {
		bad = append(bad, errs.Field{Path: "extraTimeSeconds", Code: "out_of_range", Message: "1 second to 7 days"})
	}
	err := d.oversee(ctx, tx, in.EvaluationID, in.SessionID, bad)
	if err != nil {
		return Summary{}, err
	}
	payload := map[string]any{"extraTimeSeconds": in.ExtraTimeSeconds}
	return d.act(ctx, tx, in.SessionID, "session.extended", payload, extendSQL, in.Reason, in.ExtraTimeSeconds)
}

var errOwnSession = errs.New(errs.FourEyesRequired, "Nobody proctors their own session; somebody else has to do it.")

// oversee lets proctors through to a session of their scope, but not to their own: one that is
// closed is no attempt, and more time is theirs to take.
func (d *Desk) oversee(ctx context.Context, tx *db.Tx, evaluation, session ids.ID, bad []errs.Field) error {
	err := tx.Require(capability.SessionsProctor)
	if err != nil {
		return err
	}
	err = errs.Invalid(bad...)
	if err != nil {
		return err
	}
	o, err := d.owner(ctx, tx, session)
	if err != nil {
		return err
	}
	err = o.admit(tx, evaluation)
	if err == nil && isSelf(tx, o.user) {
		return errOwnSession
	}
	if err != nil {
		return err
	}
	return people.RefuseErased(ctx, tx, o.user)
}

// act runs the statement of a proctor's action, which changes an open session or none, and
// writes the ledger event.
func (d *Desk) act(ctx context.Context, tx *db.Tx, session ids.ID, event string, payload map[string]any, sql, reason string, more ...any) (Summary, error) {
	action := ids.New()
	args := append([]any{tx.Tenant(), session, tx.Now(), action, tx.Actor().String(), strings.TrimSpace(reason)}, more...)
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return Summary{}, fmt.Errorf("%s: %w", event, err)
	}
	s, err := pgx.CollectExactlyOneRow(rows, scanSummary(tx.Now()))
	if errors.Is(err, pgx.ErrNoRows) {
		return Summary{}, cannotAct(ctx, tx, session)
	}
	if err != nil {
		return Summary{}, fmt.Errorf("%s: %w", event, err)
	}
	if payload == nil {
		payload = map[string]any{}
	}
	payload["actionId"], payload["revision"] = action, s.Revision
	return s, ledger.Append(ctx, tx, ledger.Event{Type: event, SubjectType: "session", SubjectID: session, OrgUnit: s.orgUnit, Payload: payload})
}

func cannotAct(ctx context.Context, tx *db.Tx, session ids.ID) error {
	a, err := findSession(ctx, tx, session)
	switch {
	case err != nil:
		return fmt.Errorf("find session: %w", err)
	case a.State != models.SessionOpen || overdue(a.Session, tx.Now()):
		return notOpen(a.Session, tx.Now())
	}
	return errs.New(errs.NoTimeLimit, "The session has no time limit to extend.")
}

// Action is a proctor's action on a session.
type Action struct {
	ID               ids.ID    `json:"id"`
	Action           string    `json:"action" enum:"close,extend"`
	By               string    `json:"by" doc:"user:<id> or operator:<name>"`
	Reason           string    `json:"reason"`
	ExtraTimeSeconds *int      `json:"extraTimeSeconds,omitempty"`
	At               time.Time `json:"at"`
}

// actionsOf lists what proctors did with a session, oldest first.
func actionsOf(ctx context.Context, tx *db.Tx, session ids.ID) ([]Action, error) {
	rows, err := tx.Query(ctx, `
		select id, action, actor, reason, extra_time_seconds, acted_at from session_actions
		where tenant_id = $1 and session_id = $2 order by id`, tx.Tenant(), session)
	if err != nil {
		return nil, fmt.Errorf("find actions of session: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Action, error) {
		var a Action
		err := row.Scan(&a.ID, &a.Action, &a.By, &a.Reason, &a.ExtraTimeSeconds, &a.At)
		a.At = a.At.UTC()
		return a, err
	})
	if err != nil {
		return nil, fmt.Errorf("find actions of session: %w", err)
	}
	return all, nil
}
