package models

// The kinds of rows of projection_outbox: what the projector has to look at. A row is written in the
// transaction of its cause. The statements that start and end sessions write "session" themselves.
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
