package models

// What a row of projection_outbox, which is written in the transaction of its cause, asks the
// projector to look at. The statements that start and end sessions write "session" by themselves.
const (
	OutboxSubmission = "submission"
	OutboxFinding    = "finding"
	OutboxAssignment = "assignment"
	OutboxKey        = "key"
	OutboxReadiness  = "readiness"
	OutboxPolicy     = "policy"
	OutboxTerms      = "terms"
	OutboxMember     = "member"
	OutboxLevels     = "levels"
)
