package assignment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/hold"
	"assess/pkg/people/people"
)

// pass is an assignment together with the terms that apply to one user.
type pass struct {
	id, orgUnit, evaluation ids.ID
	targetType, status      string
	targetRef, runLabel     *string
	validFrom, validUntil   *time.Time
	evaluationStatus        string
	version                 *ids.ID
	settings                authoring.Settings
	redeemed, inOrgUnit     bool
	restricted, erased      bool
	grant                   grant
}

// grant is the override that a user has; zero without one.
type grant struct {
	extraTimeSeconds, extraAttempts int
	validFrom, validUntil           *time.Time
}

// The two ways to name an assignment.
const (
	byID    = "a.id = $2"
	byToken = "a.token_hash = $2"
)

// turnSQL waits until nobody else changes or uses the terms that a user ($3) has under an
// assignment. Other users of the same assignment do not wait.
func turnSQL(named string) string {
	return `
		select pg_advisory_xact_lock(hashtextextended(concat_ws('/', 'assignment', a.id::text, $3::text), 0))
		from assignments a where a.tenant_id = $1 and ` + named + " and ($4 or a.org_unit_id = $5)"
}

// loadPass waits for the user's turn and then reads all of it in one statement, which sees an
// override that was waited for. It keeps the assignment from being closed, the evaluation
// from being archived and the user from being restricted until the transaction ends.
func loadPass(ctx context.Context, tx *db.Tx, named string, key any, user ids.ID) (pass, error) {
	var p pass
	var settings []byte
	args := []any{tx.Tenant(), key, user, tx.Scope().All, tx.Scope().OrgUnit}
	_, err := tx.Exec(ctx, turnSQL(named), args...)
	if err != nil {
		return pass{}, fmt.Errorf("wait for the user's turn: %w", err)
	}
	err = tx.QueryRow(ctx, `
		select a.id, a.org_unit_id, a.evaluation_id, a.target_type, a.status, a.target_ref, a.run_label, a.valid_from, a.valid_until,
			e.status, e.published_id, (select settings from evaluation_versions v where v.tenant_id = $1 and v.id = e.published_id),
			exists (select from assignment_redemptions r where r.tenant_id = $1 and r.assignment_id = a.id and r.user_id = $3),
			exists (select from user_org_units m where m.tenant_id = $1 and m.user_id = $3 and m.org_unit_id = a.org_unit_id),
			coalesce(o.extra_time_seconds, 0), coalesce(o.extra_attempts, 0), o.valid_from, o.valid_until, u.restricted, `+people.IsErased+`
		from assignments a
		join evaluations e on e.tenant_id = a.tenant_id and e.id = a.evaluation_id
		join users u on u.tenant_id = a.tenant_id and u.id = $3
		left join assignment_overrides o on o.tenant_id = a.tenant_id and o.assignment_id = a.id and o.user_id = $3
		where a.tenant_id = $1 and `+named+` and ($4 or a.org_unit_id = $5) for share of a, e for key share of u`, args...).
		Scan(&p.id, &p.orgUnit, &p.evaluation, &p.targetType, &p.status, &p.targetRef, &p.runLabel, &p.validFrom, &p.validUntil,
			&p.evaluationStatus, &p.version, &settings, &p.redeemed, &p.inOrgUnit,
			&p.grant.extraTimeSeconds, &p.grant.extraAttempts, &p.grant.validFrom, &p.grant.validUntil, &p.restricted, &p.erased)
	if errors.Is(err, pgx.ErrNoRows) {
		return pass{}, errNone()
	}
	if err != nil {
		return pass{}, fmt.Errorf("read assignment: %w", err)
	}
	if settings != nil {
		err = json.Unmarshal(settings, &p.settings)
	}
	if err != nil {
		return pass{}, fmt.Errorf("read settings: %w", err)
	}
	return p, nil
}

// window is when the user may redeem and start: the assignment's, or what an override says
// instead, end by end.
func (p pass) window() (*time.Time, *time.Time) {
	from, until := p.validFrom, p.validUntil
	set(&from, p.grant.validFrom)
	set(&until, p.grant.validUntil)
	return db.UTC(from), db.UTC(until)
}

// checkOpen refuses outside the window, when something is closed, archived or not published, and when
// the person's data must not be used.
func (p pass) checkOpen(now time.Time) error {
	from, until := p.window()
	switch {
	case p.erased:
		return people.Erased()
	case p.status != models.AssignmentActive:
		return errs.New(errs.AssignmentNotOpen, "The assignment is closed.").With("status", p.status)
	case p.restricted:
		return hold.Restricted()
	case !within(from, until, now):
		return errs.New(errs.AssignmentNotOpen, "The assignment is not open at this time.").
			With("validFrom", from).With("validUntil", until)
	case p.evaluationStatus == models.AuthoringArchived:
		return errs.New(errs.Archived, "The evaluation is archived.")
	case p.version == nil:
		return errs.New(errs.NotPublished, "The evaluation has no published version.")
	}
	return nil
}

// checkTarget says whether the assignment is the user's to take. A membership that it rests
// on lasts until the transaction ends. To other people, an assignment to a person does not
// exist.
func (p pass) checkTarget(ctx context.Context, tx *db.Tx, user ids.ID) error {
	switch {
	case isPerson(p.targetType) && orEmpty(p.targetRef) != user.String(), !p.inOrgUnit:
		return errNone()
	case p.targetType != models.TargetGroup:
		return nil
	}
	n, err := tx.Exec(ctx, "select from group_members where tenant_id = $1 and group_id = $2::uuid and user_id = $3 for key share",
		tx.Tenant(), orEmpty(p.targetRef), user)
	if err != nil {
		return fmt.Errorf("look up membership: %w", err)
	}
	if n == 0 {
		return errs.New(errs.GroupMembershipRequired, "Only current members of the group can take this assignment.")
	}
	return nil
}
