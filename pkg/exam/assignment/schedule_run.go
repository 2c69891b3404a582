package assignment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// madeUp is how many missed runs a schedule makes up for after a pause of the service: the
// newest ones.
const madeUp = 10

// RunSchedule makes the runs of a schedule that are due and gives their number. It is for
// our own job. Of several processes at once one does it, and the others find nothing. What
// a run cannot hand out (the evaluation is archived, nobody is left) is noted with the run,
// and the schedule goes on.
func RunSchedule(ctx context.Context, tx *db.Tx, id ids.ID) (int, error) {
	if tx.Actor().Kind == db.UserActor {
		return 0, errs.New(errs.Forbidden, "Schedules run by themselves.")
	}
	s, org, err := scanSchedule(tx.QueryRow(ctx, "select "+scheduleColumns+` from assignment_schedules
		where tenant_id = $1 and id = $2 and next_at <= $3 for no key update skip locked`, tx.Tenant(), id, tx.Now()))
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("take schedule: %w", err)
	}
	r, bad := parseRecurrence(s.Rule, s.TimeZone, s.StartsAt)
	if len(bad) > 0 {
		return 0, fmt.Errorf("schedule %s: its rule is no longer valid", id)
	}
	n, err := s.catchUp(ctx, tx, org, r)
	if err != nil {
		return 0, err
	}
	s.advanceTo(r, tx.Now().Add(time.Millisecond))
	_, err = tx.Exec(ctx, "update assignment_schedules set next_at = $3, status = $4 where tenant_id = $1 and id = $2",
		tx.Tenant(), id, s.NextAt, s.Status)
	if err != nil {
		return 0, fmt.Errorf("advance schedule: %w", err)
	}
	return n, nil
}

// catchUp makes the runs that are due and gives their number.
func (s Schedule) catchUp(ctx context.Context, tx *db.Tx, org ids.ID, r recurrence) (int, error) {
	if s.NextAt == nil {
		return 0, nil
	}
	due := s.due(r, tx.Now())
	for _, at := range due {
		err := s.run(ctx, tx, org, r, at)
		if err != nil {
			return 0, fmt.Errorf("run of %s: %w", at.UTC().Format(time.RFC3339), err)
		}
	}
	return len(due), nil
}

// due lists the runs from next_at until now, the newest ones where there are many.
func (s Schedule) due(r recurrence, now time.Time) []time.Time {
	due := r.between(*s.NextAt, now)
	return due[max(0, len(due)-madeUp):]
}

// run makes the assignments of one run, unless they were made before: the rule or its start
// may have been changed back.
func (s Schedule) run(ctx context.Context, tx *db.Tx, org ids.ID, r recurrence, at time.Time) error {
	var done bool
	err := tx.QueryRow(ctx, "select exists (select from assignment_occurrences where tenant_id = $1 and schedule_id = $2 and occurs_at = $3)",
		tx.Tenant(), s.ID, at).Scan(&done)
	if err != nil || done {
		return err
	}
	in := CreateInput{BatchID: ids.Ref(ids.New()), schedule: &s.ID, Terms: Terms{EvaluationID: s.EvaluationID,
		RunLabel: labelOf(s.RunLabel, at, r.zone), ValidFrom: &at, SubjectID: s.SubjectID, EngagementID: s.EngagementID}}
	if s.WindowSeconds != nil {
		end := r.windowEnd(at, *s.WindowSeconds)
		in.ValidUntil = &end
	}
	rows, problem, err := s.handOut(ctx, tx, org, in)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		insert into assignment_occurrences (tenant_id, schedule_id, occurs_at, org_unit_id, batch_id, run_label, created, problem, ran_at)
		values ($1, $2, $3, $4, $5, $6, $7, nullif($8, ''), $9)`,
		tx.Tenant(), s.ID, at, org, in.BatchID, in.RunLabel, len(rows), problem, tx.Now())
	if err != nil {
		return fmt.Errorf("note run: %w", err)
	}
	event := s.event("ran", tx, org)
	event.Payload = map[string]any{"occursAt": at.UTC(), "batchId": in.BatchID, "created": len(rows), "problem": problem}
	events := []ledger.Event{event}
	for _, row := range rows {
		events = append(events, eventOf("created", row))
	}
	return ledger.Append(ctx, tx, events...)
}

// handOut gives the new assignments, or the code of what prevents them. It skips targets that have
// left, whose data must not be used, or that already have the assignment.
func (s Schedule) handOut(ctx context.Context, tx *db.Tx, org ids.ID, in CreateInput) ([]models.Assignment, string, error) {
	if in.ValidUntil != nil && !tx.Now().Before(*in.ValidUntil) {
		return nil, "missed", nil
	}
	err := in.Terms.check(ctx, tx, org)
	var refused *errs.Error
	if errors.As(err, &refused) {
		return nil, string(refused.Code), nil
	}
	if err != nil {
		return nil, "", err
	}
	all, err := s.present(ctx, tx, org)
	if err != nil || len(all) == 0 {
		return nil, "no_targets", err
	}
	rows, _ := in.rows(tx, org, all)
	fresh, err := insertAssignments(ctx, tx, rows)
	if err != nil {
		return nil, "", err
	}
	made := []models.Assignment{}
	var assignments []ids.ID
	for _, row := range rows {
		if fresh[row.ID] {
			made, assignments = append(made, row), append(assignments, row.ID)
		}
	}
	if s.Invite && len(made) > 0 {
		_, err = queueInvitations(ctx, tx, assignments, false)
	}
	return made, "", err
}

// present lists the targets that can still be assigned.
func (s Schedule) present(ctx context.Context, tx *db.Tx, org ids.ID) ([]aim, error) {
	users, err := assignableUsers(ctx, tx, org, s.TargetRefs)
	if err != nil {
		return nil, err
	}
	groups, err := groupsOf(ctx, tx, org, s.TargetRefs)
	if err != nil {
		return nil, err
	}
	var all []aim
	for _, ref := range s.TargetRefs {
		one := aim{Target: Target{Type: s.TargetType}, ref: ref}
		if len(checkAims([]aim{one}, users, groups)) == 0 && !users[ref].restricted && !users[ref].erased {
			all = append(all, one)
		}
	}
	return all, nil
}
