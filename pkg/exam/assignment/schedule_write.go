package assignment

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// SchedulePatch changes what it names and leaves the rest; Clear empties fields. What a schedule
// hands out, and to whom, never changes: make another one.
type SchedulePatch struct {
	UpdatedAt     *time.Time `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	Status        *string    `json:"status,omitempty" enum:"active,paused" doc:"A paused schedule misses its runs; they are not made up for"`
	Rule          *string    `json:"rule,omitempty" maxLength:"300" doc:"Recurrence rule of RFC 5545; HOURLY at most"`
	TimeZone      *string    `json:"timeZone,omitempty" maxLength:"64" doc:"Of the IANA database; the runs follow its clock on the wall"`
	StartsAt      *time.Time `json:"startsAt,omitempty" doc:"First moment of the rule, and the time of day of its runs"`
	RunLabel      *string    `json:"run_label,omitempty" maxLength:"160" doc:"With {date}, {time}, {week}, {month} or {year} of the run"`
	WindowSeconds *int       `json:"windowSeconds,omitempty" minimum:"60" doc:"How long each assignment is open, from its run on"`
	Invite        *bool      `json:"invite,omitempty" doc:"Mail an invitation at each run"`
	Clear         []string   `json:"clear,omitempty" nullable:"false" maxItems:"10" enum:"windowSeconds" doc:"Fields to empty"`
}

// Preview lists the next runs of a timing, ten at most, and stores nothing. It needs
// assignments.create. Errors: validation_failed.
func Preview(_ context.Context, tx *db.Tx, in Timing) (db.List[Coming], error) {
	err := tx.Require(capability.AssignmentsCreate)
	if err != nil {
		return db.List[Coming]{}, err
	}
	r, bad := in.parse()
	err = errs.Invalid(bad...)
	if err != nil {
		return db.List[Coming]{}, err
	}
	coming := in.coming(r, tx.Now())
	return db.NewList(coming, db.Page{Page: 1, Limit: listedRuns}, len(coming)), nil
}

// CreateSchedule adds a schedule to the org unit. It needs assignments.create. It ignores runs
// before now. Errors: validation_failed, not_found, archived, not_published, four_eyes_required for
// a schedule that hands out to oneself again.
func CreateSchedule(ctx context.Context, tx *db.Tx, in ScheduleInput) (Schedule, error) {
	err := tx.Require(capability.AssignmentsCreate)
	if err != nil {
		return Schedule{}, err
	}
	org, err := tx.HomeOrgUnit()
	if err != nil {
		return Schedule{}, err
	}
	r, bad := in.parse()
	err = errs.Invalid(append(bad, in.problems()...)...)
	if err != nil {
		return Schedule{}, err
	}
	err = Terms{EvaluationID: in.EvaluationID, SubjectID: in.SubjectID, EngagementID: in.EngagementID}.check(ctx, tx, org)
	if err != nil {
		return Schedule{}, err
	}
	targets, err := in.targets(ctx, tx, org)
	if err != nil {
		return Schedule{}, err
	}
	s := Schedule{ID: ids.New(), EvaluationID: in.EvaluationID, Rule: in.Rule, TimeZone: in.TimeZone,
		StartsAt: in.StartsAt.UTC().Truncate(time.Second), RunLabel: in.RunLabel, TargetType: in.TargetType, TargetRefs: targets,
		WindowSeconds: in.WindowSeconds, SubjectID: in.SubjectID, EngagementID: in.EngagementID, Invite: in.Invite,
		Status: ScheduleActive, Past: []Run{}, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
	s.advanceTo(r, tx.Now())
	s.Coming = s.timing().coming(r, tx.Now())
	err = insertSchedule(ctx, tx, org, s)
	if err != nil {
		return Schedule{}, err
	}
	return s, ledger.Append(ctx, tx, s.event("created", tx, org))
}

// targets resolves the references once, so that no address is stored.
func (in ScheduleInput) targets(ctx context.Context, tx *db.Tx, org ids.ID) ([]ids.ID, error) {
	all := make([]aim, len(in.TargetRefs))
	for i, ref := range in.TargetRefs {
		all[i] = aim{Target: Target{in.TargetType, ref}}
	}
	bad, err := resolve(ctx, tx, org, all)
	if err != nil {
		return nil, err
	}
	refs := refsOf(all, anyTarget)
	err = errs.Invalid(bad...)
	if err == nil {
		err = refuseOwnHandingOut(ctx, tx, in.EvaluationID, refs)
	}
	return refs, err
}

func insertSchedule(ctx context.Context, tx *db.Tx, org ids.ID, s Schedule) error {
	_, err := tx.Exec(ctx, `
		insert into assignment_schedules (tenant_id, id, org_unit_id, evaluation_id, rule, time_zone, starts_at, target_type, target_refs,
			window_seconds, run_label_pattern, subject_id, engagement_id, invite, status, next_at, created_by, created_at, updated_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $18)`,
		tx.Tenant(), s.ID, org, s.EvaluationID, s.Rule, s.TimeZone, s.StartsAt, s.TargetType, s.TargetRefs, s.WindowSeconds, s.RunLabel,
		s.SubjectID, s.EngagementID, s.Invite, s.Status, s.NextAt, tx.Actor().String(), tx.Now())
	if err != nil {
		return fmt.Errorf("create schedule: %w", err)
	}
	return nil
}

// UpdateSchedule changes a schedule. It needs assignments.manage. A run that is due is made
// first, by the old schedule; the change applies to later runs. Errors: not_found, stale_update,
// validation_failed, four_eyes_required for a change that hands out to oneself again.
func UpdateSchedule(ctx context.Context, tx *db.Tx, id ids.ID, patch SchedulePatch) (Schedule, error) {
	err := tx.Require(capability.AssignmentsManage)
	if err != nil {
		return Schedule{}, err
	}
	s, org, err := findSchedule(ctx, tx, id, "for no key update")
	if err != nil {
		return Schedule{}, err
	}
	err = db.Fresh(patch.UpdatedAt, s.UpdatedAt)
	if err != nil {
		return Schedule{}, err
	}
	was := s
	bad := patch.apply(&s)
	r, more := s.timing().parse()
	bad = append(bad, more...)
	bad = append(bad, ScheduleInput{TargetRefs: make([]string, 1), WindowSeconds: s.WindowSeconds}.problems()...)
	err = errs.Invalid(bad...)
	if err != nil {
		return Schedule{}, err
	}
	past, unreadable := parseRecurrence(was.Rule, was.TimeZone, was.StartsAt)
	if len(unreadable) == 0 { // An old rule that is valid no longer makes no runs; the new one replaces it.
		_, err = was.catchUp(ctx, tx, org, past)
		if err != nil {
			return Schedule{}, err
		}
	}
	err = refuseOwnSchedule(ctx, tx, was, s)
	if err != nil {
		return Schedule{}, err
	}
	s.advanceTo(r, tx.Now().Add(time.Millisecond))
	s.UpdatedAt = tx.ChangedAt(s.UpdatedAt)
	_, err = tx.Exec(ctx, `
		update assignment_schedules set rule = $3, time_zone = $4, starts_at = $5, run_label_pattern = $6, window_seconds = $7, invite = $8,
			status = $9, next_at = $10, updated_at = $11
		where tenant_id = $1 and id = $2`, tx.Tenant(), id, s.Rule, s.TimeZone, s.StartsAt, s.RunLabel, s.WindowSeconds, s.Invite,
		s.Status, s.NextAt, s.UpdatedAt)
	if err != nil {
		return Schedule{}, fmt.Errorf("update schedule: %w", err)
	}
	err = ledger.Append(ctx, tx, s.event("updated", tx, org))
	if err != nil {
		return Schedule{}, err
	}
	return GetSchedule(ctx, tx, id)
}

func (p SchedulePatch) apply(s *Schedule) []errs.Field {
	var bad []errs.Field
	for i, field := range p.Clear {
		if field != "windowSeconds" {
			bad = append(bad, errs.Field{Path: fmt.Sprintf("clear[%d]", i), Code: "invalid_choice", Message: "this field cannot be emptied"})
		}
		s.WindowSeconds = nil
	}
	for field, value := range map[*string]*string{&s.Rule: p.Rule, &s.TimeZone: p.TimeZone, &s.RunLabel: p.RunLabel, &s.Status: p.Status} {
		if value != nil {
			*field = *value
		}
	}
	set(&s.WindowSeconds, p.WindowSeconds)
	if p.StartsAt != nil {
		s.StartsAt = p.StartsAt.UTC().Truncate(time.Second)
	}
	if p.Invite != nil {
		s.Invite = *p.Invite
	}
	if p.Status != nil && *p.Status != ScheduleActive && *p.Status != SchedulePaused {
		bad = append(bad, errs.Field{Path: "status", Code: "invalid_choice", Message: "expected active or paused"})
	}
	return bad
}

// DeleteSchedule removes a schedule; the assignments that it made stay. It needs
// assignments.manage. Errors: not_found.
func DeleteSchedule(ctx context.Context, tx *db.Tx, id ids.ID) error {
	err := tx.Require(capability.AssignmentsManage)
	if err != nil {
		return err
	}
	s, org, err := findSchedule(ctx, tx, id, "for update")
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "delete from assignment_schedules where tenant_id = $1 and id = $2", tx.Tenant(), id)
	if err != nil {
		return fmt.Errorf("delete schedule: %w", err)
	}
	return ledger.Append(ctx, tx, s.event("deleted", tx, org))
}
