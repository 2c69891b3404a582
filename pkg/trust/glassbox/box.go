package glassbox

import (
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/readiness"
	"assess/pkg/trust/translog"
)

// Box is what a link shows of a submission. Its types have no field for names of people, texts and answers, so
// that none gets in when the records behind them grow.
type Box struct {
	Organisation        string    `json:"organisation" doc:"Whose proof this is: the name of the tenant"`
	Title               string    `json:"title" doc:"What the exam was called when it was taken"`
	SubmissionID        ids.ID    `json:"submissionId"`
	EvaluationID        ids.ID    `json:"evaluationId"`
	EvaluationVersionID ids.ID    `json:"evaluationVersionId"`
	Status              string    `json:"status" enum:"completed,voided"`
	CompletionMethod    string    `json:"completionMethod" enum:"submitted,auto_submitted,proctor_submitted,imported"`
	StartedAt           time.Time `json:"startedAt"`
	CompletedAt         time.Time `json:"completedAt"`

	OutcomeCode    string           `json:"outcome_code" enum:"pass,fail,incomplete"`
	Score          float64          `json:"score"`
	MaxScore       float64          `json:"maxScore"`
	ScoreVersion   int              `json:"scoreVersion" doc:"The version that outcome and score are of; 1 is the submit"`
	ScoreVersions  db.List[Version] `json:"scoreVersions" doc:"The newest first, two hundred at most"`
	ApprovalStatus string           `json:"approval_status" enum:"not_required,pending_review,approved,rejected,changes_requested"`

	SnapshotHash    string `json:"snapshotHash" doc:"Names the exam as it was taken: SHA-256 of its canonical form"`
	StateHash       string `json:"stateHash" doc:"SHA-256 of the state of the submission now"`
	StateScheme     string `json:"stateScheme" doc:"Names the fields that are hashed"`
	CanonicalScheme string `json:"canonicalScheme" enum:"rfc8785"`
	HashScheme      string `json:"hashScheme" enum:"sha-256"`

	Verifications      []Verification     `json:"verifications" nullable:"false" doc:"How the submit and what people did about it were verified, the newest first, a hundred at most"`
	VerificationsTotal int                `json:"verificationsTotal"`
	Decisions          db.List[Decision]  `json:"decisions" doc:"The newest first, two hundred at most"`
	Evidence           *db.List[Evidence] `json:"evidence" doc:"The newest first, two hundred at most; null where the link shows none"`
	Findings           db.List[Finding]   `json:"findings" doc:"The newest first, two hundred at most"`
	Claims             db.List[Case]      `json:"claims" doc:"The newest first, two hundred at most"`
	Disputes           db.List[Case]      `json:"disputes" doc:"The newest first, two hundred at most"`

	KoeStatus      KoeStatus      `json:"koeStatus"`
	ProofReadiness ProofReadiness `json:"proofReadiness"`

	Ledger Ledger    `json:"ledger"`
	Link   Shown     `json:"link"`
	AsOf   time.Time `json:"asOf"`
}

// Shown says what the link shows, and until when it does.
type Shown struct {
	ID        ids.ID    `json:"id"`
	ExpiresAt time.Time `json:"expiresAt"`
	Terms
}

// Version is a version of the scores.
type Version struct {
	Number      int       `json:"number" doc:"1 is the submit; the greatest is the one that counts"`
	Reason      string    `json:"reason" enum:"submitted,remediation_applied,remediation_reverted,scored_by_person"`
	By          []string  `json:"by" nullable:"false" doc:"The roles of whoever made it"`
	Score       float64   `json:"score"`
	MaxScore    float64   `json:"maxScore"`
	OutcomeCode string    `json:"outcome_code" enum:"pass,fail,incomplete"`
	CreatedAt   time.Time `json:"createdAt"`
}

// Verification says how an action was verified.
type Verification struct {
	AppliesTo  string    `json:"appliesTo" enum:"submissions,evidence,review_actions,claims,disputes" doc:"The action"`
	PolicyRef  string    `json:"policyRef" doc:"Names what the policy asked"`
	Kind       string    `json:"kind" enum:"auth.session,auth.step_up"`
	Method     string    `json:"method,omitempty" doc:"How the proof was made, of a step-up"`
	VerifiedAt time.Time `json:"verifiedAt"`
}

// Decision is a decision about the submission.
type Decision struct {
	Decision  string    `json:"decision" enum:"approve,reject,request_changes,reopen,void"`
	By        []string  `json:"by" nullable:"false" doc:"The roles of whoever decided"`
	DecidedAt time.Time `json:"decidedAt"`
}

// Evidence is a file about the submission.
type Evidence struct {
	ID        ids.ID     `json:"id"`
	Scope     string     `json:"scope" enum:"submission,item"`
	Kind      string     `json:"kind"`
	MediaType string     `json:"mediaType" example:"image/png"`
	SizeBytes int64      `json:"sizeBytes"`
	SHA256    string     `json:"sha256" doc:"Hash of the bytes in hexadecimal"`
	Status    string     `json:"status" enum:"active,voided"`
	Integrity string     `json:"integrity" enum:"unchecked,ok,changed,missing" doc:"What the newest check found"`
	CheckedAt *time.Time `json:"checkedAt"`
	CreatedAt time.Time  `json:"createdAt"`
	File      string     `json:"file,omitempty" doc:"Path of the bytes, where the link shows files"`
}

// Finding is something that was observed.
type Finding struct {
	ID          ids.ID    `json:"id"`
	Scope       string    `json:"scope" enum:"submission,item"`
	Code        string    `json:"code" example:"IDENTITY_MISMATCH"`
	Severity    string    `json:"severity" enum:"info,minor,major,critical"`
	EvidenceIDs []ids.ID  `json:"evidenceIds" nullable:"false" doc:"Empty where the link shows no evidence"`
	By          []string  `json:"by" nullable:"false" doc:"The roles of whoever observed it"`
	DetectedAt  time.Time `json:"detectedAt"`
}

// Case is a claim or a dispute.
type Case struct {
	ID         ids.ID     `json:"id"`
	State      string     `json:"state" enum:"open,upheld,rejected,withdrawn"`
	FindingIDs []ids.ID   `json:"findingIds" nullable:"false"`
	RaisedBy   []string   `json:"raisedBy" nullable:"false" doc:"The roles of whoever raised it"`
	RaisedAt   time.Time  `json:"raisedAt"`
	DecidedBy  []string   `json:"decidedBy" doc:"The roles of whoever decided about it; null for nobody"`
	DecidedAt  *time.Time `json:"decidedAt"`
}

// Entry is an entry of koeStatus. Reasons are null where the link does not show them.
type Entry struct {
	State   readiness.State `json:"state" enum:"met,not_met,pending,not_required"`
	Reasons *[]string       `json:"reasons" doc:"null: the link does not show them"`
}

// KoeStatus gives the state of knowledge, observation and evidence.
type KoeStatus struct {
	Knowledge   Entry `json:"knowledge"`
	Observation Entry `json:"observation"`
	Evidence    Entry `json:"evidence"`
}

// ProofReadiness says whether the result can be defended.
type ProofReadiness struct {
	DefensibleAtExecution bool                      `json:"defensibleAtExecution"`
	ReadyNow              bool                      `json:"readyNow"`
	AsOf                  time.Time                 `json:"asOf"`
	LogicVersion          string                    `json:"logicVersion"`
	ComputedAgainst       readiness.ComputedAgainst `json:"computedAgainst"`
	PolicyRefExecution    string                    `json:"policyRefExecution"`
	PolicyRefCurrent      string                    `json:"policyRefCurrent"`
	Reasons               *[]string                 `json:"reasons" doc:"null: the link does not show them"`
}

// Ledger says what the log of the tenant has of the submission.
type Ledger struct {
	InLog   bool             `json:"inLog" doc:"The log has a state of the submission; a new one within a minute"`
	Current bool             `json:"current" doc:"The state that it has is that of now"`
	Proof   *translog.Bundle `json:"proof" doc:"null until the log has a state"`
}

// redacted shows the blocks as the link allows.
func (t Terms) redacted(koe readiness.KoeStatus, proof readiness.ProofReadiness) (KoeStatus, ProofReadiness) {
	reasons := func(all []string) *[]string {
		if !t.CanViewReadinessReasons {
			return nil
		}
		return &all
	}
	entry := func(e readiness.EntryStatus) Entry { return Entry{e.State, reasons(e.Reasons)} }
	return KoeStatus{entry(koe.Knowledge), entry(koe.Observation), entry(koe.Evidence)},
		ProofReadiness{DefensibleAtExecution: proof.DefensibleAtExecution, ReadyNow: proof.ReadyNow, AsOf: proof.AsOf,
			LogicVersion: proof.LogicVersion, ComputedAgainst: proof.ComputedAgainst, PolicyRefExecution: proof.PolicyRefExecution,
			PolicyRefCurrent: proof.PolicyRefCurrent, Reasons: reasons(proof.Reasons)}
}
