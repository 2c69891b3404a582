package op

import (
	"context"
	"time"

	"assess/pkg/exam/assignment"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
)

// Assignments are the operations on assignments. Commands that take targets by name, or change nothing but the status, are by hand.
func Assignments() []Line {
	creates, takes := needs(capability.AssignmentsCreate), needs(capability.SessionsTake)
	reads := needs(capability.AssignmentsMonitor, capability.AssignmentsCreate, capability.AssignmentsManage)
	manages := needs(capability.AssignmentsManage)
	return []Line{
		read("GET /assignments", "listAssignments", "assignment list", reads, "List assignments, newest first", assignment.List),
		write("POST /assignments", "createAssignment", "", creates, "Hand out an evaluation to one target or many", assignment.Create).creates().secret(),
		write("POST /assignments/redeem", "redeemAssignmentToken", "", takes, "Take up an assignment by its token", redeem).limited(10, time.Minute),
		read("GET /assignments/{id}", "getAssignment", "assignment show ASSIGNMENT", reads, "Read an assignment", one(assignment.Get)),
		write("PATCH /assignments/{id}", "updateAssignment", "assignment update ASSIGNMENT", manages, "Change the window of an assignment, close it or open it again", ofOne(assignment.Update)),
		write("POST /assignments/{id}/redeem", "redeemAssignment", "", takes, "Take up an assignment", one(assignment.Redeem)),
		write("POST /assignments/{id}/token", "rotateAssignmentToken", "assignment rotate-token ASSIGNMENT", manages, "Give an assignment a new token, which is shown once and ends the one before", one(assignment.RotateToken)).secret(),
		write("POST /assignments/{id}/override", "overrideAssignment", "assignment override ASSIGNMENT USER", needs(capability.AssignmentsOverride), "Give one invitee more time, more attempts or another window", ofOne(assignment.SetOverride)).
			says("An earlier override keeps what this one leaves out."),
		write("POST /assignments/{id}/invitations", "inviteToAssignment", "assignment invite ASSIGNMENT", creates, "Queue invitations by mail to those who have had none", ofOne(assignment.Invite)),
		read("GET /assignments/{id}/monitor", "monitorAssignment", "assignment monitor ASSIGNMENT", needs(capability.AssignmentsMonitor), "Show how far the invitees are", assignment.Watch),
	}
}

type token struct {
	Token string `json:"token" minLength:"1" maxLength:"200" doc:"What the link carries"`
}

func redeem(ctx context.Context, tx *db.Tx, input token) (assignment.Redemption, error) {
	return assignment.RedeemToken(ctx, tx, input.Token)
}

// Schedules are the operations on schedules of assignments.
func Schedules() []Line {
	reads := needs(capability.AssignmentsMonitor, capability.AssignmentsCreate, capability.AssignmentsManage)
	manages := needs(capability.AssignmentsManage)
	return []Line{
		read("GET /assignments/schedules", "listSchedules", "assignment schedule list", reads, "List the schedules of assignments, newest change first", assignment.ListSchedules),
		write("POST /assignments/schedules", "createSchedule", "", needs(capability.AssignmentsCreate), "Make assignments by a recurrence rule", assignment.CreateSchedule).creates(),
		read("GET /assignments/schedules/{id}", "getSchedule", "assignment schedule show SCHEDULE", reads, "Read a schedule with its coming and past runs", one(assignment.GetSchedule)),
		write("PATCH /assignments/schedules/{id}", "updateSchedule", "assignment schedule update SCHEDULE", manages, "Change, pause or resume a schedule", ofOne(assignment.UpdateSchedule)),
		write("DELETE /assignments/schedules/{id}", "deleteSchedule", "assignment schedule delete SCHEDULE", manages, "Delete a schedule; its assignments stay", gone(assignment.DeleteSchedule)).asks("Delete the schedule %[1]s?"),
	}
}
