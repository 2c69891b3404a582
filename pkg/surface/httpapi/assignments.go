package httpapi

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"assess/pkg/exam/assignment"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

type listAssignmentsInput struct {
	EvaluationID ids.ID `query:"evaluationId"`
	BatchID      ids.ID `query:"batch_id"`
	ScheduleID   ids.ID `query:"scheduleId"`
	TargetType   string `query:"target_type" enum:"user_id,email,group_id,public_link"`
	Status       string `query:"status" enum:"active,closed"`
	AssignmentRunQuery
	PageQuery
}

// AssignmentRunQuery is RunQuery as assignments spell the label.
type AssignmentRunQuery struct {
	RunLabel string `query:"run_label" maxLength:"200" doc:"Only what belongs to this run; empty: only what belongs to none"`
	asked    bool
}

// Resolve looks whether the filter is there at all.
func (q *AssignmentRunQuery) Resolve(hc huma.Context) []error {
	u := hc.URL()
	q.asked = u.Query().Has("run_label")
	return nil
}

func (q AssignmentRunQuery) run() *string {
	if !q.asked {
		return nil
	}
	return &q.RunLabel
}

func listAssignments(ctx context.Context, tx *db.Tx, in *listAssignmentsInput) (db.List[assignment.Assignment], error) {
	return assignment.List(ctx, tx, assignment.Filter{EvaluationID: in.EvaluationID, BatchID: in.BatchID, ScheduleID: in.ScheduleID,
		TargetType: in.TargetType, Status: in.Status, RunLabel: in.run(), Page: in.page()})
}

type createAssignmentInput struct{ Body assignment.CreateInput }

func createAssignment(ctx context.Context, tx *db.Tx, in *createAssignmentInput) (assignment.Created, error) {
	return assignment.Create(ctx, tx, in.Body)
}

func getAssignment(ctx context.Context, tx *db.Tx, in *ByID) (assignment.Assignment, error) {
	return assignment.Get(ctx, tx, in.ID)
}

type updateAssignmentInput struct {
	ByID
	Body assignment.Patch
}

func updateAssignment(ctx context.Context, tx *db.Tx, in *updateAssignmentInput) (assignment.Assignment, error) {
	return assignment.Update(ctx, tx, in.ID, in.Body)
}

type redeemTokenInput struct {
	Body struct {
		Token string `json:"token" minLength:"1" maxLength:"200" doc:"What the link carries"`
	}
}

func redeemAssignmentToken(ctx context.Context, tx *db.Tx, in *redeemTokenInput) (assignment.Redemption, error) {
	return assignment.RedeemToken(ctx, tx, in.Body.Token)
}

func redeemAssignment(ctx context.Context, tx *db.Tx, in *ByID) (assignment.Redemption, error) {
	return assignment.Redeem(ctx, tx, in.ID)
}

func rotateAssignmentToken(ctx context.Context, tx *db.Tx, in *ByID) (assignment.Rotated, error) {
	return assignment.RotateToken(ctx, tx, in.ID)
}

type overrideAssignmentInput struct {
	ByID
	Body assignment.OverrideInput
}

func overrideAssignment(ctx context.Context, tx *db.Tx, in *overrideAssignmentInput) (assignment.Override, error) {
	return assignment.SetOverride(ctx, tx, in.ID, in.Body)
}

type inviteInput struct {
	ByID
	Body assignment.InviteInput
}

func inviteToAssignment(ctx context.Context, tx *db.Tx, in *inviteInput) (assignment.Invited, error) {
	return assignment.Invite(ctx, tx, in.ID, in.Body)
}

type monitorInput struct {
	ByID
	Batch bool   `query:"batch" doc:"All assignments of the same batch"`
	State string `query:"state" enum:"not_started,in_progress,completed,expired,overridden"`
	PageQuery
}

func monitorAssignment(ctx context.Context, tx *db.Tx, in *monitorInput) (assignment.Monitor, error) {
	return assignment.Watch(ctx, tx, assignment.MonitorInput{ID: in.ID, Batch: in.Batch, State: in.State, Page: in.page()})
}

func listSchedules(ctx context.Context, tx *db.Tx, in *PageQuery) (db.List[assignment.Schedule], error) {
	return assignment.ListSchedules(ctx, tx, in.page())
}

type createScheduleInput struct{ Body assignment.ScheduleInput }

func createSchedule(ctx context.Context, tx *db.Tx, in *createScheduleInput) (assignment.Schedule, error) {
	return assignment.CreateSchedule(ctx, tx, in.Body)
}

type previewScheduleInput struct {
	Rule     string    `query:"rule" required:"true" maxLength:"300" doc:"Recurrence rule of RFC 5545" example:"FREQ=MONTHLY;BYDAY=1MO"`
	TimeZone string    `query:"timeZone" required:"true" maxLength:"64" example:"Europe/Berlin"`
	StartsAt time.Time `query:"startsAt" required:"true"`
	RunLabel string    `query:"run_label" required:"true" maxLength:"160" example:"safety {date}"`
}

func previewSchedule(ctx context.Context, tx *db.Tx, in *previewScheduleInput) (db.List[assignment.Coming], error) {
	return assignment.Preview(ctx, tx, assignment.Timing{Rule: in.Rule, TimeZone: in.TimeZone, StartsAt: in.StartsAt, RunLabel: in.RunLabel})
}

func getSchedule(ctx context.Context, tx *db.Tx, in *ByID) (assignment.Schedule, error) {
	return assignment.GetSchedule(ctx, tx, in.ID)
}

type updateScheduleInput struct {
	ByID
	Body assignment.SchedulePatch
}

func updateSchedule(ctx context.Context, tx *db.Tx, in *updateScheduleInput) (assignment.Schedule, error) {
	return assignment.UpdateSchedule(ctx, tx, in.ID, in.Body)
}

func deleteSchedule(ctx context.Context, tx *db.Tx, in *ByID) (none, error) {
	return none{}, assignment.DeleteSchedule(ctx, tx, in.ID)
}

func listOwnAssignments(ctx context.Context, tx *db.Tx, in *PageQuery) (db.List[assignment.Mine], error) {
	return assignment.ListMine(ctx, tx, in.page())
}
