package httpapi

import (
	"context"
	"time"

	"assess/pkg/exam/assignment"
	"assess/pkg/kernel/db"
)

type previewScheduleInput struct {
	Rule     string    `query:"rule" required:"true" maxLength:"300" doc:"Recurrence rule of RFC 5545" example:"FREQ=MONTHLY;BYDAY=1MO"`
	TimeZone string    `query:"timeZone" required:"true" maxLength:"64" example:"Europe/Berlin"`
	StartsAt time.Time `query:"startsAt" required:"true"`
	RunLabel string    `query:"run_label" required:"true" maxLength:"160" example:"safety {date}"`
}

func previewSchedule(ctx context.Context, tx *db.Tx, in *previewScheduleInput) (db.List[assignment.Coming], error) {
	return assignment.Preview(ctx, tx, assignment.Timing{Rule: in.Rule, TimeZone: in.TimeZone, StartsAt: in.StartsAt, RunLabel: in.RunLabel})
}

func listOwnAssignments(ctx context.Context, tx *db.Tx, in *PageQuery) (db.List[assignment.Mine], error) {
	return assignment.ListMine(ctx, tx, in.page())
}
