package requests

import (
	"time"

	"assess/models"
)

// The states of the time, as jobs have them; the time of a request can also be paused.
const (
	onTrack  = "on_track"
	atRisk   = "at_risk"
	breached = "breached"
	paused   = "paused"
	margin   = 5
)

// SLAStates are all of them.
var SLAStates = []string{onTrack, atRisk, breached, paused}

// The months of article 12(3).
const (
	answerMonths    = 1
	extensionMonths = 2
)

// later is the same day some months later, or the last day of that month (Regulation 1182/71, article 3(2)(c)).
func later(t time.Time, months int) time.Time {
	t = t.UTC()
	end := t.AddDate(0, months, 0)
	if end.Day() != t.Day() {
		end = end.AddDate(0, 0, -end.Day())
	}
	return end
}

// due is when the answer is due: while the time is paused, that moves with the present.
func due(row models.ComplianceRequest, now time.Time) time.Time {
	if row.IdentityAskedAt == nil {
		return row.DueAt
	}
	return row.DueAt.Add(now.Sub(*row.IdentityAskedAt))
}

// slaOf says how the time of a request is.
func slaOf(row models.ComplianceRequest, now time.Time) string {
	at := now
	switch {
	case row.EndedAt != nil:
		at = *row.EndedAt
	case row.IdentityAskedAt != nil:
		at = *row.IdentityAskedAt
	}
	left := row.DueAt.Sub(at)
	switch {
	case left < 0:
		return breached
	case row.EndedAt != nil:
		return onTrack
	case row.IdentityAskedAt != nil:
		return paused
	case left < row.DueAt.Sub(row.ClockFrom)/margin:
		return atRisk
	}
	return onTrack
}

// late is the condition of the index of requests that are open or were answered late.
const late = "(r.ended_at is null or r.ended_at > r.due_at)"

// slaCondition says of a row what slaOf does; ?0 is the present.
var slaCondition = map[string]string{
	breached: late + " and r.due_at < coalesce(r.ended_at, r.identity_asked_at, ?0)",
	paused:   late + " and r.ended_at is null and r.identity_asked_at <= ?0 and r.due_at >= r.identity_asked_at",
	atRisk:   late + " and r.ended_at is null and r.identity_asked_at is null and r.due_at >= ?0 and r.due_at - ?0 < (r.due_at - r.clock_from) / 5",
	onTrack: "(r.ended_at <= r.due_at or r.ended_at is null and r.identity_asked_at is null and r.due_at >= ?0 and " +
		"r.due_at - ?0 >= (r.due_at - r.clock_from) / 5)",
}

// run lets the time go on after somebody was asked to show their identity.
func run(row *models.ComplianceRequest, now time.Time) {
	row.DueAt, row.IdentityAskedAt = due(*row, now), nil
}
