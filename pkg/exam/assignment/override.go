package assignment

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/people"
)

// The bounds of an override.
const (
	maxExtraSeconds  = 7 * 24 * 60 * 60
	maxExtraAttempts = 100
)

// OverrideInput gives one invitee other terms. It changes what it names of an earlier
// override and leaves the rest; Clear takes an end of the window back.
type OverrideInput struct {
	UserID           ids.ID     `json:"userId" noun:"user"`
	ExtraTimeSeconds *int       `json:"extraTimeSeconds,omitempty" minimum:"0" maximum:"604800" doc:"Added to the time limit of sessions, the running one too"`
	ExtraAttempts    *int       `json:"extraAttempts,omitempty" minimum:"0" maximum:"100" doc:"Further attempts"`
	ValidFrom        *time.Time `json:"validFrom,omitempty" doc:"Instead of the assignment's"`
	ValidUntil       *time.Time `json:"validUntil,omitempty" doc:"Instead of the assignment's"`
	Clear            []string   `json:"clear,omitempty" nullable:"false" maxItems:"10" enum:"validFrom,validUntil" doc:"What the assignment says holds again"`
	Reason           string     `json:"reason" minLength:"1" maxLength:"500" doc:"Why; name nobody here"`
}

// Override replaces the terms of the assignment for one invitee.
type Override struct {
	AssignmentID     ids.ID     `json:"assignmentId"`
	UserID           ids.ID     `json:"userId"`
	ExtraTimeSeconds int        `json:"extraTimeSeconds"`
	ExtraAttempts    int        `json:"extraAttempts"`
	ValidFrom        *time.Time `json:"validFrom"`
	ValidUntil       *time.Time `json:"validUntil"`
	SessionsExtended int        `json:"sessionsExtended" doc:"Running sessions that got more time"`
	UpdatedAt        time.Time  `json:"updatedAt"`
}

// SetOverride gives an invitee more time, more attempts or another window. It needs
// assignments.override. A running session gets the time that it does not have yet, unless
// its time is over; no session ever loses time. Overrides, redemptions and starts of one person
// under one assignment come one after the other. Errors: not_found, also for a person who is
// not invited by the assignment; validation_failed; four_eyes_required for oneself.
func SetOverride(ctx context.Context, tx *db.Tx, id ids.ID, in OverrideInput) (Override, error) {
	err := tx.Require(capability.AssignmentsOverride)
	if err != nil {
		return Override{}, err
	}
	err = errs.Invalid(in.problems()...)
	if err != nil {
		return Override{}, err
	}
	if tx.Actor().Is(in.UserID) {
		return Override{}, errOwnTerms
	}
	_, err = tx.Exec(ctx, turnSQL(byID), tx.Tenant(), id, in.UserID, tx.Scope().All, tx.Scope().OrgUnit)
	if err != nil {
		return Override{}, fmt.Errorf("wait for the user's turn: %w", err)
	}
	row, err := find(ctx, tx, id, "share")
	if err != nil {
		return Override{}, err
	}
	err = people.RefuseErased(ctx, tx, in.UserID)
	if err != nil {
		return Override{}, err
	}
	next, err := checkInvitee(ctx, tx, row, in.UserID)
	if err != nil {
		return Override{}, err
	}
	in.apply(&next)
	err = errs.Invalid(next.problems(row)...)
	if err != nil {
		return Override{}, err
	}
	err = next.store(ctx, tx, row, in)
	if err != nil {
		return Override{}, err
	}
	extended, err := extendSessions(ctx, tx, id, in.UserID, next.extraTimeSeconds)
	if err != nil {
		return Override{}, err
	}
	o := Override{AssignmentID: id, UserID: in.UserID, ExtraTimeSeconds: next.extraTimeSeconds, ExtraAttempts: next.extraAttempts,
		ValidFrom: db.UTC(next.validFrom), ValidUntil: db.UTC(next.validUntil), SessionsExtended: extended, UpdatedAt: tx.Now()}
	return o, ledger.Append(ctx, tx, o.event(row.OrgUnitID))
}

func (in OverrideInput) problems() []errs.Field {
	bad := errs.Prose("reason", in.Reason, maxReason, true)
	for _, n := range []struct {
		path  string
		value *int
		most  int
	}{{"extraTimeSeconds", in.ExtraTimeSeconds, maxExtraSeconds}, {"extraAttempts", in.ExtraAttempts, maxExtraAttempts}} {
		if n.value != nil && (*n.value < 0 || *n.value > n.most) {
			bad = append(bad, errs.Field{Path: n.path, Code: "out_of_range", Message: fmt.Sprintf("0 to %d", n.most)})
		}
	}
	for i, field := range in.Clear {
		if field != "validFrom" && field != "validUntil" {
			bad = append(bad, errs.Field{Path: fmt.Sprintf("clear[%d]", i), Code: "invalid_choice", Message: "expected validFrom or validUntil"})
		}
	}
	return bad
}

func (in OverrideInput) apply(g *grant) {
	if in.ExtraTimeSeconds != nil {
		g.extraTimeSeconds = *in.ExtraTimeSeconds
	}
	if in.ExtraAttempts != nil {
		g.extraAttempts = *in.ExtraAttempts
	}
	if slices.Contains(in.Clear, "validFrom") {
		g.validFrom = nil
	}
	if slices.Contains(in.Clear, "validUntil") {
		g.validUntil = nil
	}
	set(&g.validFrom, in.ValidFrom)
	set(&g.validUntil, in.ValidUntil)
}

// problems looks at the window as the invitee has it, end by end.
func (g grant) problems(row models.Assignment) []errs.Field {
	from, until := pass{validFrom: row.ValidFrom, validUntil: row.ValidUntil, grant: g}.window()
	return checkWindow(from, until)
}

// store keeps the grant.
func (g grant) store(ctx context.Context, tx *db.Tx, row models.Assignment, in OverrideInput) error {
	_, err := tx.Exec(ctx, `
		insert into assignment_overrides (tenant_id, assignment_id, user_id, org_unit_id, extra_time_seconds, extra_attempts,
			valid_from, valid_until, reason, created_by, created_at, updated_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
		on conflict (tenant_id, assignment_id, user_id) do update
		set extra_time_seconds = $5, extra_attempts = $6, valid_from = $7, valid_until = $8, reason = $9, created_by = $10, updated_at = $11`,
		tx.Tenant(), row.ID, in.UserID, row.OrgUnitID, g.extraTimeSeconds, g.extraAttempts, g.validFrom, g.validUntil,
		strings.TrimSpace(in.Reason), tx.Actor().String(), tx.Now())
	if err != nil {
		return fmt.Errorf("store override: %w", err)
	}
	return nil
}

// checkInvitee refuses people who are not invited by the assignment, and gives the terms of an
// earlier override.
func checkInvitee(ctx context.Context, tx *db.Tx, row models.Assignment, user ids.ID) (grant, error) {
	var invited bool
	var g grant
	err := tx.QueryRow(ctx, `
		select coalesce(extra_time_seconds, 0), coalesce(extra_attempts, 0), valid_from, valid_until,
			case $4 when 'group_id' then exists (select from group_members where tenant_id = $1 and group_id::text = $5 and user_id = $3)
			when 'public_link' then false else $5 = $3::uuid::text end
			or exists (select from assignment_redemptions where tenant_id = $1 and assignment_id = $2 and user_id = $3)
		from (select) one left join assignment_overrides on tenant_id = $1 and assignment_id = $2 and user_id = $3`,
		tx.Tenant(), row.ID, user, row.TargetType, row.TargetRef).
		Scan(&g.extraTimeSeconds, &g.extraAttempts, &g.validFrom, &g.validUntil, &invited)
	if err != nil {
		return g, fmt.Errorf("look up invitee: %w", err)
	}
	if !invited {
		return g, errs.New(errs.NotFound, "The assignment invites no such user.")
	}
	return g, nil
}

// extendSessions gives running sessions the time that they lack. Each remembers what it has
// got by override, so that one which is given again does not count twice, and one that is given
// after a proctor added time counts in full.
func extendSessions(ctx context.Context, tx *db.Tx, id, user ids.ID, seconds int) (int, error) {
	n, err := tx.Exec(ctx, `
		update sessions set deadline_at = later_by(deadline_at, $4 - override_seconds),
			extra_time_seconds = extra_time_seconds + $4 - override_seconds, override_seconds = $4
		where tenant_id = $1 and assignment_id = $2 and user_id = $3 and state = 'open' and override_seconds < $4
		and (deadline_at >= $5 or deadline_at is null and section_starts is not null)`,
		tx.Tenant(), id, user, seconds, tx.Now())
	if err != nil {
		return 0, fmt.Errorf("extend sessions: %w", err)
	}
	return int(n), nil
}

func (o Override) event(org ids.ID) ledger.Event {
	return ledger.Event{Type: "assignment.overridden", SubjectType: "assignment", SubjectID: o.AssignmentID, OrgUnit: org,
		Payload: map[string]any{"userId": o.UserID, "extraTimeSeconds": o.ExtraTimeSeconds, "extraAttempts": o.ExtraAttempts,
			"validFrom": o.ValidFrom, "validUntil": o.ValidUntil, "sessionsExtended": o.SessionsExtended}}
}
