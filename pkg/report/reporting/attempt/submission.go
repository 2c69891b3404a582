package attempt

import (
	"time"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/kernel/ids"
)

// User is the person, as the user record shows them now: one who was made anonymous is
// anonymous here too.
type User struct {
	ID     ids.ID `json:"id"`
	Name   string `json:"name"`
	Email  string `json:"email"`
	Status string `json:"status" doc:"Status of the user record"`
}

// Submission is the durable record. It has no session id: the session has the same id.
type Submission struct {
	ID                  ids.ID              `json:"id"`
	EvaluationID        ids.ID              `json:"evaluationId"`
	EvaluationVersionID ids.ID              `json:"evaluationVersionId"`
	UserID              ids.ID              `json:"userId"`
	Status              string              `json:"status" enum:"completed,voided"`
	StartedAt           time.Time           `json:"startedAt"`
	CompletedAt         time.Time           `json:"completedAt"`
	Score               float64             `json:"score" doc:"By the newest score version"`
	MaxScore            float64             `json:"maxScore"`
	OutcomeCode         string              `json:"outcome_code" enum:"pass,fail,incomplete"`
	OutcomeLabel        string              `json:"outcome_label"`
	ScoreVersion        int                 `json:"scoreVersion" doc:"1 is the score of the submit; each correction adds one"`
	ApprovalStatus      string              `json:"approval_status" enum:"not_required,pending_review,approved,rejected,changes_requested"`
	CompletionMethod    string              `json:"completionMethod" enum:"submitted,auto_submitted,proctor_submitted,imported"`
	SubmittedBy         string              `json:"submittedBy" doc:"Who handed it in: user:<id>, operator:<name> or system:<job>"`
	RunLabel            *string             `json:"run_label"`
	SnapshotHash        string              `json:"snapshotHash" doc:"SHA-256 of the snapshot's canonical form (RFC 8785)"`
	VersionSnapshot     *authoring.Snapshot `json:"versionSnapshot" doc:"Structure, texts, keys and tags as they were frozen"`

	orgUnit ids.ID
}

// Session is what we know of the session.
type Session struct {
	ID             ids.ID     `json:"id" doc:"The id of the submission"`
	StartedAt      time.Time  `json:"startedAt"`
	EndedAt        time.Time  `json:"endedAt" doc:"When it was submitted, or its time was over"`
	LastActivityAt time.Time  `json:"lastActivityAt" doc:"The newest save, answer or runtime event that is known"`
	RunLabel       *string    `json:"run_label"`
	Overrides      *Overrides `json:"overrides" doc:"Null when the person had the terms of everybody"`
}

// Overrides are the terms that this person had instead of everybody's.
type Overrides struct {
	ExtraTimeSeconds int        `json:"extraTimeSeconds"`
	ExtraAttempts    int        `json:"extraAttempts"`
	ValidFrom        *time.Time `json:"validFrom"`
	ValidUntil       *time.Time `json:"validUntil"`
}

// ActionsAllowed says what the state of the submission allows. Whether the caller may do it is
// another matter.
type ActionsAllowed struct {
	Approve        bool `json:"approve"`
	Reject         bool `json:"reject"`
	RequestChanges bool `json:"requestChanges"`
	Reopen         bool `json:"reopen"`
	Void           bool `json:"void"`
	Remediate      bool `json:"remediate"`
	Export         bool `json:"export"`
}

// Links hold the parameters of further routes, not their addresses.
type Links struct {
	Remediation       RemediationLink `json:"remediation"`
	EvaluationSummary SummaryLink     `json:"evaluationSummary"`
	Submission        SubmissionLink  `json:"submission"`
	UserProfile       UserLink        `json:"userProfile"`
}

// RemediationLink leads to corrections of this submission.
type RemediationLink struct {
	EvaluationVersionID ids.ID `json:"evaluationVersionId"`
	SubmissionID        ids.ID `json:"submissionId"`
}

// SummaryLink leads to the evaluation summary of the run.
type SummaryLink struct {
	EvaluationVersionID ids.ID  `json:"evaluationVersionId"`
	RunLabel            *string `json:"run_label"`
}

// SubmissionLink leads to the submission.
type SubmissionLink struct {
	SubmissionID ids.ID `json:"submissionId"`
}

// UserLink leads to the user record.
type UserLink struct {
	UserID ids.ID `json:"userId"`
}

func (r record) submission() Submission {
	return Submission{ID: r.ID, EvaluationID: r.EvaluationID, EvaluationVersionID: r.EvaluationVersionID, UserID: r.UserID,
		Status: r.Status, StartedAt: r.StartedAt.UTC(), CompletedAt: r.CompletedAt.UTC(), Score: r.Score, MaxScore: r.MaxScore,
		OutcomeCode: r.OutcomeCode, OutcomeLabel: r.OutcomeLabel, ScoreVersion: r.ScoreVersion, ApprovalStatus: r.ApprovalStatus,
		CompletionMethod: r.CompletionMethod, SubmittedBy: r.SubmittedBy, RunLabel: r.RunLabel, SnapshotHash: r.SnapshotHash,
		VersionSnapshot: r.snapshot, orgUnit: r.OrgUnitID}
}

func (r record) session() Session {
	s := Session{ID: r.ID, StartedAt: r.StartedAt.UTC(), EndedAt: r.CompletedAt.UTC(), LastActivityAt: r.StartedAt.UTC(),
		RunLabel: r.RunLabel, Overrides: r.overrides}
	latest := func(at *time.Time) {
		if at != nil && at.After(s.LastActivityAt) {
			s.LastActivityAt = at.UTC()
		}
	}
	latest(r.lastSaved)
	for _, item := range r.items {
		latest(item.AnsweredAt)
	}
	if r.telemetry != nil {
		latest(r.telemetry.LastActivityAt)
	}
	return s
}

// actions follow the states of package review: a voided submission allows no decision.
func (r record) actions() ActionsAllowed {
	stands := r.Status == models.SubmissionCompleted
	waits := stands && r.ApprovalStatus == models.ApprovalPendingReview
	decided := stands && !waits && r.ApprovalStatus != models.ApprovalNotRequired
	return ActionsAllowed{Approve: waits, Reject: waits, RequestChanges: waits, Reopen: decided, Void: stands, Remediate: stands, Export: true}
}

func (r record) links() Links {
	return Links{Remediation: RemediationLink{r.EvaluationVersionID, r.ID},
		EvaluationSummary: SummaryLink{r.EvaluationVersionID, r.RunLabel}, Submission: SubmissionLink{r.ID}, UserProfile: UserLink{r.UserID}}
}
