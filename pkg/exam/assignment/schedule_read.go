package assignment

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

const scheduleColumns = `id, org_unit_id, evaluation_id, rule, time_zone, starts_at, run_label_pattern, target_type, target_refs,
	window_seconds, subject_id, engagement_id, invite, status, next_at, created_at, updated_at`

func scanSchedule(row pgx.Row) (Schedule, ids.ID, error) {
	s := Schedule{Coming: []Coming{}, Past: []Run{}}
	var org ids.ID
	err := row.Scan(&s.ID, &org, &s.EvaluationID, &s.Rule, &s.TimeZone, &s.StartsAt, &s.RunLabel, &s.TargetType, &s.TargetRefs,
		&s.WindowSeconds, &s.SubjectID, &s.EngagementID, &s.Invite, &s.Status, &s.NextAt, &s.CreatedAt, &s.UpdatedAt)
	s.StartsAt, s.CreatedAt, s.UpdatedAt, s.NextAt = s.StartsAt.UTC(), s.CreatedAt.UTC(), s.UpdatedAt.UTC(), db.UTC(s.NextAt)
	return s, org, err
}

// findSchedule reads a schedule of the scope; lock is a locking clause or "".
func findSchedule(ctx context.Context, tx *db.Tx, id ids.ID, lock string) (Schedule, ids.ID, error) {
	s, org, err := scanSchedule(tx.QueryRow(ctx, "select "+scheduleColumns+` from assignment_schedules
		where tenant_id = $1 and id = $2 and ($3 or org_unit_id = $4) `+lock, tx.Tenant(), id, tx.Scope().All, tx.Scope().OrgUnit))
	if errors.Is(err, pgx.ErrNoRows) {
		return Schedule{}, ids.None, errs.New(errs.NotFound, "There is no such schedule in your scope.")
	}
	if err != nil {
		return Schedule{}, ids.None, fmt.Errorf("read schedule: %w", err)
	}
	return s, org, nil
}

// GetSchedule reads a schedule with its coming and past runs. It needs what Get needs.
// Errors: not_found.
func GetSchedule(ctx context.Context, tx *db.Tx, id ids.ID) (Schedule, error) {
	err := requireReader(tx)
	if err != nil {
		return Schedule{}, err
	}
	s, _, err := findSchedule(ctx, tx, id, "")
	if err != nil {
		return Schedule{}, err
	}
	r, bad := parseRecurrence(s.Rule, s.TimeZone, s.StartsAt)
	if s.NextAt != nil && len(bad) == 0 {
		s.Coming = s.timing().coming(r, *s.NextAt)
	}
	rows, err := tx.Query(ctx, `
		select occurs_at, run_label, batch_id, created, coalesce(problem, ''), ran_at from assignment_occurrences
		where tenant_id = $1 and schedule_id = $2 order by occurs_at desc limit $3`, tx.Tenant(), id, listedRuns)
	if err != nil {
		return Schedule{}, fmt.Errorf("read runs: %w", err)
	}
	s.Past, err = pgx.AppendRows(s.Past, rows, func(row pgx.CollectableRow) (Run, error) {
		var r Run
		err := row.Scan(&r.At, &r.RunLabel, &r.BatchID, &r.Created, &r.Problem, &r.RanAt)
		r.At, r.RanAt = r.At.UTC(), r.RanAt.UTC()
		return r, err
	})
	if err != nil {
		return Schedule{}, fmt.Errorf("read runs: %w", err)
	}
	return s, nil
}

// ListSchedules lists schedules, newest change first, without their runs. It needs what Get
// needs.
func ListSchedules(ctx context.Context, tx *db.Tx, page db.Page) (db.List[Schedule], error) {
	err := requireReader(tx)
	if err != nil {
		return db.List[Schedule]{}, err
	}
	page, err = page.Check()
	if err != nil {
		return db.List[Schedule]{}, err
	}
	var total int
	err = tx.QueryRow(ctx, "select count(*) from assignment_schedules where tenant_id = $1 and ($2 or org_unit_id = $3)",
		tx.Tenant(), tx.Scope().All, tx.Scope().OrgUnit).Scan(&total)
	if err != nil {
		return db.List[Schedule]{}, fmt.Errorf("count schedules: %w", err)
	}
	rows, err := tx.Query(ctx, "select "+scheduleColumns+` from assignment_schedules where tenant_id = $1 and ($2 or org_unit_id = $3)
		order by updated_at desc, id limit $4 offset $5`, tx.Tenant(), tx.Scope().All, tx.Scope().OrgUnit, page.Limit, page.Offset())
	if err != nil {
		return db.List[Schedule]{}, fmt.Errorf("list schedules: %w", err)
	}
	items, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Schedule, error) {
		s, _, err := scanSchedule(row)
		return s, err
	})
	if err != nil {
		return db.List[Schedule]{}, fmt.Errorf("list schedules: %w", err)
	}
	return db.NewList(items, page, total), nil
}
