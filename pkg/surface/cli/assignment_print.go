package cli

import (
	"strconv"

	"assess/pkg/exam/assignment"
)

var assignmentColumns = []Column[assignment.Assignment]{
	{Header: "Target", Cell: func(a assignment.Assignment) string { return a.TargetType }},
	{Header: "Who", Cell: func(a assignment.Assignment) string {
		if a.Email != "" {
			return a.Email
		}
		return a.TargetRef
	}},
	{Header: "Run label", Cell: func(a assignment.Assignment) string {
		if a.RunLabel == nil {
			return none
		}
		return *a.RunLabel
	}},
	{Header: "Status", Cell: func(a assignment.Assignment) string { return a.Status }},
	{Header: "From (UTC)", Cell: func(a assignment.Assignment) string { return optionalMoment(a.ValidFrom) }},
	{Header: "Until (UTC)", Cell: func(a assignment.Assignment) string { return optionalMoment(a.ValidUntil) }},
	{Header: "Id", Cell: func(a assignment.Assignment) string { return a.ID.String() }, Spare: true},
}

var handedColumns = []Column[assignment.Handed]{
	{Header: "Target", Cell: func(h assignment.Handed) string { return h.TargetType }},
	{Header: "Who", Cell: func(h assignment.Handed) string { return h.TargetRef }},
	{Header: "Token", Cell: func(h assignment.Handed) string { return h.Token }},
	{Header: "Id", Cell: func(h assignment.Handed) string { return h.ID.String() }},
}

var overrideColumns = []Column[assignment.Override]{
	{Header: "User", Cell: func(o assignment.Override) string { return o.UserID.String() }},
	{Header: "Extra time (s)", Cell: func(o assignment.Override) string { return strconv.Itoa(o.ExtraTimeSeconds) }},
	{Header: "Extra attempts", Cell: func(o assignment.Override) string { return strconv.Itoa(o.ExtraAttempts) }},
	{Header: "From (UTC)", Cell: func(o assignment.Override) string { return optionalMoment(o.ValidFrom) }},
	{Header: "Until (UTC)", Cell: func(o assignment.Override) string { return optionalMoment(o.ValidUntil) }},
	{Header: "Sessions extended", Cell: func(o assignment.Override) string { return strconv.Itoa(o.SessionsExtended) }},
}

var invitedColumns = []Column[assignment.Invited]{
	{Header: "Invitees", Cell: func(i assignment.Invited) string { return strconv.Itoa(i.Invitees) }},
	{Header: "Queued now", Cell: func(i assignment.Invited) string { return strconv.Itoa(i.Queued) }},
}

var inviteeColumns = []Column[assignment.Invitee]{
	{Header: "E-mail", Cell: func(i assignment.Invitee) string { return i.Email }},
	{Header: "State", Cell: func(i assignment.Invitee) string { return i.State }},
	{Header: "Attempts", Cell: func(i assignment.Invitee) string { return strconv.Itoa(i.Attempts) }, Align: Right},
	{Header: "Completed (UTC)", Cell: func(i assignment.Invitee) string { return optionalMoment(i.CompletedAt) }},
	{Header: "Invitation", Cell: func(i assignment.Invitee) string { return i.Invitation }},
	{Header: "User", Cell: func(i assignment.Invitee) string { return i.UserID.String() }, Spare: true},
}

var scheduleColumns = []Column[assignment.Schedule]{
	{Header: "Rule", Cell: func(s assignment.Schedule) string { return s.Rule }},
	{Header: "Time zone", Cell: func(s assignment.Schedule) string { return s.TimeZone }},
	{Header: "Run label", Cell: func(s assignment.Schedule) string { return s.RunLabel }},
	{Header: "Status", Cell: func(s assignment.Schedule) string { return s.Status }},
	{Header: "Next (UTC)", Cell: func(s assignment.Schedule) string { return optionalMoment(s.NextAt) }},
	{Header: "Id", Cell: func(s assignment.Schedule) string { return s.ID.String() }, Spare: true},
}

var comingColumns = []Column[assignment.Coming]{
	{Header: "At (UTC)", Cell: func(c assignment.Coming) string { return moment(c.At) }},
	{Header: "On the wall", Cell: func(c assignment.Coming) string { return c.Local }},
	{Header: "Run label", Cell: func(c assignment.Coming) string { return c.RunLabel }},
}
