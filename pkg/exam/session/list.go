package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Summary is a session as a row of a list: nothing of its content.
type Summary struct {
	ID                  ids.ID     `json:"id"`
	State               string     `json:"state" enum:"open,submitted,expired,closed,abandoned"`
	UserID              ids.ID     `json:"userId"`
	EvaluationID        ids.ID     `json:"evaluationId"`
	EvaluationVersionID ids.ID     `json:"evaluationVersionId"`
	AssignmentID        *ids.ID    `json:"assignmentId"`
	RunLabel            *string    `json:"run_label"`
	StartedBy           string     `json:"startedBy" doc:"user:<id> or operator:<name>"`
	StartedAt           time.Time  `json:"startedAt"`
	DeadlineAt          *time.Time `json:"deadlineAt"`
	ExtraTimeSeconds    int        `json:"extraTimeSeconds" doc:"What overrides and proctors have added"`
	LastActivityAt      time.Time  `json:"lastActivityAt"`
	EndedAt             *time.Time `json:"endedAt"`
	Revision            int64      `json:"revision" doc:"Number of saves so far"`
	View                int        `json:"view" doc:"Counts the devices that took the session over"`

	orgUnit ids.ID
}

const summaryColumns = `id, state, user_id, evaluation_id, evaluation_version_id, assignment_id, run_label, started_by, started_at,
	deadline_at, extra_time_seconds, last_activity_at, ended_at, revision, view, org_unit_id`

// scanSummary reads the columns above; an open session whose time is over is shown as
// expired, as Get does.
func scanSummary(now time.Time) func(pgx.CollectableRow) (Summary, error) {
	return func(row pgx.CollectableRow) (Summary, error) {
		var s Summary
		err := row.Scan(&s.ID, &s.State, &s.UserID, &s.EvaluationID, &s.EvaluationVersionID, &s.AssignmentID, &s.RunLabel, &s.StartedBy,
			&s.StartedAt, &s.DeadlineAt, &s.ExtraTimeSeconds, &s.LastActivityAt, &s.EndedAt, &s.Revision, &s.View, &s.orgUnit)
		if overdue(models.Session{State: s.State, DeadlineAt: s.DeadlineAt}, now) {
			s.State = models.SessionExpired
		}
		s.StartedAt, s.LastActivityAt = s.StartedAt.UTC(), s.LastActivityAt.UTC()
		s.DeadlineAt, s.EndedAt = db.UTC(s.DeadlineAt), db.UTC(s.EndedAt)
		return s, err
	}
}

// Filter narrows a list of sessions; empty fields do not.
type Filter struct {
	db.Page
	// State as the list shows it: an open session whose time is over counts as expired.
	State        string
	UserID       *ids.ID
	AssignmentID *ids.ID
	// RunLabel chooses the sessions of a run; an empty label chooses sessions without a run.
	RunLabel *string
}

// States are the states that a list can be narrowed to.
var States = []string{models.SessionOpen, models.SessionSubmitted, models.SessionExpired, models.SessionClosed, models.SessionAbandoned}

func (f Filter) check() (Filter, error) {
	page, err := f.Page.Check()
	var bad []errs.Field
	if err != nil {
		bad = errs.Of(err).Fields
	}
	bad = append(bad, errs.OneOf("state", f.State, States)...)
	if f.RunLabel != nil {
		bad = append(bad, errs.Line("run_label", *f.RunLabel, maxRunLabel, false)...)
	}
	f.Page = page
	return f, errs.Invalid(bad...)
}

// List gives the sessions of all versions of an evaluation, newest first: to proctors all
// of the scope, to anybody else with sessions.take their own. Errors: not_found,
// validation_failed.
func List(ctx context.Context, tx *db.Tx, evaluation ids.ID, f Filter) (db.List[Summary], error) {
	var none db.List[Summary]
	err := requireTaker(tx)
	if err != nil {
		return none, err
	}
	f, err = f.check()
	if err != nil {
		return none, err
	}
	q := f.query(tx, evaluation)
	var exists bool
	var total int
	err = tx.QueryRow(ctx, `select exists (select from evaluations where tenant_id = $1 and id = $2),
		(select count(*) from (`+q.found("")+`) s)`, q.args...).Scan(&exists, &total)
	if err != nil {
		return none, fmt.Errorf("count sessions: %w", err)
	}
	if !exists {
		return none, errs.New(errs.NotFound, "There is no such evaluation in your scope.")
	}
	w := f.Window(total)
	order := "order by s.id desc"
	if w.FromEnd {
		order = "order by s.id"
	}
	first := fmt.Sprintf("%s limit %d", order, w.Skip+w.Take)
	rows, err := tx.Query(ctx, fmt.Sprintf(listSQL, q.found(first), order, w.Take, w.Skip), q.args...)
	if err != nil {
		return none, fmt.Errorf("list sessions: %w", err)
	}
	items, err := pgx.CollectRows(rows, scanSummary(tx.Now()))
	if err != nil {
		return none, fmt.Errorf("list sessions: %w", err)
	}
	return db.NewList(items, f.Page, total), nil
}

// listSQL finds the ids of the page and then reads these rows and no others. Ids grow with
// time.
const listSQL = `
select ` + summaryColumns + `
from sessions where tenant_id = $1 and id in (select s.id from (%s) s %s limit %d offset %d)
order by id desc`

// narrowing is conditions on sessions, with their arguments. key has the conditions on a person and
// an assignment; if there are any, the sessions are found by their index.
type narrowing struct {
	key, where string
	args       []any
}

// found are the ids of the sessions of the evaluation. Without a person or an assignment they
// come version by version, the first of an order if that is requested, out of the index
// sessions_version, which holds the columns that states and run labels are filtered by. Sessions of
// a key are found before any other condition applies: without statistics other indexes seem as good.
func (q narrowing) found(first string) string {
	if q.key != "" {
		return `select s.id from (select * from sessions s where s.tenant_id = $1` + q.key + ` offset 0) s
			where s.evaluation_id = $2` + q.where + ` offset 0`
	}
	return `select s.id from (select id as version from evaluation_versions where tenant_id = $1 and evaluation_id = $2) v
		cross join lateral (
			select s.id from sessions s where s.tenant_id = $1 and s.evaluation_version_id = v.version` + q.where + ` ` + first + `) s`
}

func (f Filter) query(tx *db.Tx, evaluation ids.ID) narrowing {
	q := narrowing{args: []any{tx.Tenant(), evaluation}}
	var key, where strings.Builder
	to := func(part *strings.Builder, condition string, value any) {
		q.args = append(q.args, value)
		fmt.Fprintf(part, " and "+condition, len(q.args))
	}
	add := func(condition string, value any) { to(&where, condition, value) }
	if !tx.Scope().All {
		add("s.org_unit_id = $%d", tx.Scope().OrgUnit)
	}
	if !tx.Can(capability.SessionsProctor) {
		to(&key, "s.user_id = $%d", tx.Actor().ID)
	}
	if f.UserID != nil {
		to(&key, "s.user_id = $%d", *f.UserID)
	}
	if f.AssignmentID != nil {
		to(&key, "s.assignment_id = $%d", *f.AssignmentID)
	}
	if f.RunLabel != nil {
		add("coalesce(s.run_label, '') = $%d", *f.RunLabel)
	}
	switch f.State {
	case "":
	case models.SessionOpen:
		add("s.state = 'open' and (s.deadline_at is null or s.deadline_at >= $%d)", tx.Now())
	case models.SessionExpired:
		add("(s.state = 'expired' or s.state = 'open' and s.deadline_at < $%d)", tx.Now())
	default:
		add("s.state = $%d", f.State)
	}
	q.key, q.where = key.String(), where.String()
	return q
}
