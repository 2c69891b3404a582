package cli

import (
	"assess/pkg/exam/assignment"
)

var assignmentColumns = columns(`TargetType = Target, Who, Run label, Status, ValidFrom = From (UTC), ValidUntil = Until (UTC),
	ID*`,
	Column[assignment.Assignment]{Header: "Who", Cell: func(a assignment.Assignment) string {
		if a.Email != "" {
			return a.Email
		}
		return a.TargetRef
	}},
	Column[assignment.Assignment]{Header: "Run label", Cell: func(a assignment.Assignment) string {
		if a.RunLabel == nil {
			return none
		}
		return *a.RunLabel
	}},
)

var handedColumns = columns[assignment.Handed]("TargetType = Target, TargetRef = Who, Token, ID")

var overrideColumns = columns[assignment.Override](`UserID, ExtraTimeSeconds = Extra time (s), ExtraAttempts, ValidFrom = From (UTC),
	ValidUntil = Until (UTC), SessionsExtended`)

var invitedColumns = columns[assignment.Invited]("Invitees, Queued = Queued now")

var inviteeColumns = columns[assignment.Invitee]("Email = E-mail, State, Attempts, CompletedAt, Invitation, UserID*")

var scheduleColumns = columns[assignment.Schedule]("Rule, TimeZone, RunLabel, Status, NextAt, ID*")

var comingColumns = columns[assignment.Coming]("At = At (UTC), Local = On the wall, RunLabel")
