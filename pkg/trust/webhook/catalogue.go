package webhook

import (
	"strings"
	"time"

	"assess/pkg/exam/submission"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/translog"
)

// The events that receivers are told of.
const (
	SubmissionCompleted = "submission.completed"
	SubmissionScored    = "submission.scored"
	SubmissionCorrected = "submission.corrected"
	SubmissionDecided   = "submission.decided"
	SubmissionVoided    = "submission.voided"
	SessionExpired      = "session.expired"
	EvaluationPublished = "evaluation.published"
	AssignmentCreated   = "assignment.created"
	ImportCompleted     = "import.completed"
	JobCompleted        = "job.completed"
	UserDeactivated     = "user.deactivated"
	// RecipientTask goes to the endpoint of the recipient only, whatever events that lists.
	RecipientTask = "recipient.task"
	// Test is sent when somebody requests it, to the endpoint that they name.
	Test = "webhook.test"
)

// Kind is an event of the catalogue.
type Kind struct {
	Type, Meaning string
}

// Catalogue lists what an endpoint can subscribe to. The description of the interface, the check of subscriptions, and the
// page of the documentation follow from it.
var Catalogue = []Kind{
	{SubmissionCompleted, "A session was handed in, or its time was over and what was saved counts"},
	{SubmissionScored, "The score of a submission counts: nothing in it waits for a person any more. It may come again; the greatest scoreVersion counts"},
	{SubmissionCorrected, "A remediation changed the score of a submission, or was taken back"},
	{SubmissionDecided, "A reviewer approved, rejected or reopened a submission, or asked for changes; decision says which"},
	{SubmissionVoided, "A submission was voided"},
	{SessionExpired, "The time of a session was over; its submission is told of as well"},
	{EvaluationPublished, "A version of an evaluation was published"},
	{AssignmentCreated, "An evaluation was handed out"},
	{ImportCompleted, "An import wrote something"},
	{JobCompleted, "A compliance job is done"},
	{UserDeactivated, "A user was deactivated"},
	{RecipientTask, "A recipient of data has to act on a request, or is reminded of it; what is erasure, rectification, restriction or objection. It goes only to the webhook of the recipient, whatever events that lists"},
}

// Types are the names in the catalogue.
func Types() []string {
	var all []string
	for _, k := range Catalogue {
		all = append(all, k.Type)
	}
	return all
}

// Message is the body of a call.
type Message struct {
	Type      string    `json:"type" doc:"What happened"`
	Timestamp time.Time `json:"timestamp" doc:"When it happened"`
	Data      Data      `json:"data"`
}

// Data says what an event is about: ids, states and hashes, never names.
type Data struct {
	Seq          int64    `json:"seq" doc:"The event of the ledger that it follows from; a greater one happened later. Calls may arrive in another order"`
	TenantID     ids.ID   `json:"tenantId"`
	OrgUnitID    *ids.ID  `json:"orgUnitId,omitempty" doc:"Absent for what belongs to the whole tenant"`
	SubmissionID *ids.ID  `json:"submissionId,omitempty"`
	SessionID    *ids.ID  `json:"sessionId,omitempty"`
	EvaluationID *ids.ID  `json:"evaluationId,omitempty"`
	AssignmentID *ids.ID  `json:"assignmentId,omitempty"`
	UserID       *ids.ID  `json:"userId,omitempty" doc:"Whom it is about"`
	ImportID     *ids.ID  `json:"importId,omitempty"`
	JobID        *ids.ID  `json:"jobId,omitempty"`
	TaskID       *ids.ID  `json:"taskId,omitempty" doc:"The task of a recipient of data"`
	WebhookID    *ids.ID  `json:"webhookId,omitempty"`
	What         string   `json:"what,omitempty" doc:"What was imported, the type of the job, or what a recipient is to do" example:"forget"`
	Decision     string   `json:"decision,omitempty" enum:"approved,rejected,changes_requested,reopened"`
	ScoreVersion int      `json:"scoreVersion,omitempty" doc:"The version of the scores; the greatest counts"`
	StateHash    string   `json:"stateHash,omitempty" doc:"The state of the submission, as the log has it"`
	SnapshotHash string   `json:"snapshotHash,omitempty" doc:"What was published"`
	Score        *float64 `json:"score,omitempty" doc:"Only for endpoints that include scores"`
	MaxScore     *float64 `json:"maxScore,omitempty"`
	Outcome      string   `json:"outcome_code,omitempty" enum:"pass,fail,incomplete"`
}

// without leaves out the fields that are only for endpoints that include scores.
func (d Data) without() Data {
	d.Score, d.MaxScore, d.Outcome = nil, nil, ""
	return d
}

// kindOf gives the kind of event that a ledger entry makes, where the entry is enough to tell; empty for none.
func kindOf(e entry) string {
	switch e.Type {
	case "submission.approved", "submission.rejected", "submission.changes_requested", "submission.reopened":
		return SubmissionDecided
	case "submission.voided":
		return SubmissionVoided
	case "recipient_task.created", "recipient_task.reminded":
		return RecipientTask
	case "evaluation.published":
		return EvaluationPublished
	case "assignment.created":
		return AssignmentCreated
	case submission.VersionEvent, translog.BatchEvent, "user.updated":
		return "" // it takes a look at more than the entry
	}
	switch {
	case e.SubjectType == "import" && strings.HasSuffix(e.Type, ".imported"):
		return ImportCompleted
	case strings.HasSuffix(e.Type, ".completed") && isJob[strings.TrimSuffix(e.Type, ".completed")]:
		return JobCompleted
	}
	return ""
}
