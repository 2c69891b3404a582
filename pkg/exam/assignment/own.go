package assignment

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

var errOwnTerms = errs.New(errs.FourEyesRequired, "Nobody changes the terms of their own exam; somebody else has to do it.")

// reach says which assignments reach the actor: the ones for them or for a group that they are in,
// and the ones that they redeemed. Nothing reaches operators and jobs.
type reach struct {
	// targets are the references of the actor and of their groups.
	targets     []string
	assignments []ids.ID
	evaluations []ids.ID
}

// reachSQL finds the assignments of a person by all three ways in one round trip.
const reachSQL = `
with mine as (
	select array(select $2::uuid::text union all
		select group_id::text from group_members where tenant_id = $1 and user_id = $2) as targets
), reaching as (
	select id, evaluation_id from assignments where tenant_id = $1 and target_ref = any ((select targets from mine)::text[])
	union
	select a.id, a.evaluation_id from assignment_redemptions r
	join assignments a on a.tenant_id = r.tenant_id and a.id = r.assignment_id
	where r.tenant_id = $1 and r.user_id = $2
)
select targets, array(select id from reaching), array(select distinct evaluation_id from reaching) from mine`

func loadReach(ctx context.Context, tx *db.Tx) (reach, error) {
	var r reach
	if tx.Actor().Kind != db.UserActor {
		return r, nil
	}
	err := tx.QueryRow(ctx, reachSQL,
		tx.Tenant(), tx.Actor().ID).Scan(&r.targets, &r.assignments, &r.evaluations)
	if err != nil {
		return r, fmt.Errorf("look for what reaches the actor: %w", err)
	}
	return r, nil
}

// again says that handing out the evaluation to the target gives the actor, who had it before,
// another window.
func (r reach) again(evaluation ids.ID, target string) bool {
	return slices.Contains(r.targets, target) && slices.Contains(r.evaluations, evaluation)
}

// refuseOwnTerms keeps the actor from reopening an assignment that reaches them, or moving its
// window. Closing it gives them nothing.
func refuseOwnTerms(ctx context.Context, tx *db.Tx, was, row models.Assignment) error {
	opens := row.Status == models.AssignmentActive && was.Status != models.AssignmentActive
	if !opens && sameTime(was.ValidFrom, row.ValidFrom) && sameTime(was.ValidUntil, row.ValidUntil) {
		return nil
	}
	r, err := loadReach(ctx, tx)
	if err == nil && slices.Contains(r.assignments, row.ID) {
		err = errOwnTerms
	}
	return err
}

// refuseOwnSchedule keeps the actor from changing a schedule so that it hands an earlier
// assignment out to them again. Pausing it gives them nothing, and neither does an invitation.
func refuseOwnSchedule(ctx context.Context, tx *db.Tx, was, now Schedule) error {
	runsAgain := now.Status == ScheduleActive && was.Status != ScheduleActive
	moved := now.Rule != was.Rule || now.TimeZone != was.TimeZone || now.RunLabel != was.RunLabel || !now.StartsAt.Equal(was.StartsAt)
	if !runsAgain && !moved && reflect.DeepEqual(now.WindowSeconds, was.WindowSeconds) {
		return nil
	}
	return refuseOwnHandingOut(ctx, tx, now.EvaluationID, now.TargetRefs)
}

// refuseOwnHandingOut keeps the actor from handing out an evaluation to themselves again, by
// name or by a group.
func refuseOwnHandingOut(ctx context.Context, tx *db.Tx, evaluation ids.ID, targets []ids.ID) error {
	r, err := loadReach(ctx, tx)
	if err == nil && slices.ContainsFunc(targets, func(t ids.ID) bool { return r.again(evaluation, t.String()) }) {
		err = errOwnTerms
	}
	return err
}

// refuseOwnRows does the same for the rows of a file.
func refuseOwnRows(ctx context.Context, tx *db.Tx, checks []ImportCheck) error {
	r, err := loadReach(ctx, tx)
	if err != nil {
		return err
	}
	for i := range checks {
		c := &checks[i]
		if c.stored == nil && r.again(c.slot.Evaluation, c.slot.Target) || c.changes && slices.Contains(r.assignments, *c.stored) {
			c.add("targetRef", string(errs.FourEyesRequired), "the assignment reaches you; somebody else has to hand it out or change it")
		}
	}
	return nil
}
