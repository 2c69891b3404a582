package submission

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/author/pack"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/people/policy"
)

// ViewCandidate is the view that obeys feedback_mode (specification, section 4.6).
const ViewCandidate = "candidate"

// Submission is the durable record of an attempt (specification, section 2.1). In the
// candidate view versionSnapshot, pack, review, verifications and retention are absent, and score, outcome, the
// scores by tag and the scores of items are there as feedback_mode allows.
type Submission struct {
	ID                  ids.ID     `json:"id"`
	UserID              ids.ID     `json:"userId"`
	UserName            string     `json:"userName,omitempty" doc:"Name, or else address, of the person; only with users.read, and not of people whose processing is restricted"`
	EvaluationID        ids.ID     `json:"evaluationId"`
	EvaluationTitle     string     `json:"evaluationTitle" doc:"Of the version that was taken"`
	EvaluationVersionID ids.ID     `json:"evaluationVersionId"`
	Status              string     `json:"status" enum:"completed,voided"`
	CompletedAt         time.Time  `json:"completedAt"`
	StartedAt           time.Time  `json:"startedAt"`
	Score               *float64   `json:"score,omitempty"`
	MaxScore            *float64   `json:"maxScore,omitempty"`
	OutcomeCode         string     `json:"outcome_code,omitempty" enum:"pass,fail,incomplete"`
	OutcomeLabel        string     `json:"outcome_label,omitempty"`
	RunLabel            *string    `json:"run_label"`
	AssignmentID        *ids.ID    `json:"assignment_id"`
	BatchID             *ids.ID    `json:"batch_id,omitempty" doc:"Copied from the assignment at submit"`
	ApprovalStatus      string     `json:"approval_status,omitempty" enum:"not_required,pending_review,approved,rejected,changes_requested"`
	CompletionMethod    string     `json:"completionMethod" enum:"submitted,auto_submitted,proctor_submitted,imported"`
	SubmittedBy         string     `json:"submittedBy,omitempty" doc:"Who handed it in: user:<id>, operator:<name> or system:<job>"`
	ActedBy             []string   `json:"actedBy,omitempty" nullable:"false" doc:"Everybody but the person who started the session, saved answers or handed it in; absent for nobody"`
	RetainUntil         *time.Time `json:"retain_until,omitempty" doc:"Absent: no end is set"`
	RetentionBasis      *string    `json:"retention_basis,omitempty" doc:"policy:<id>, the retention policy in force at submit"`
	HoldFlag            *bool      `json:"hold_flag,omitempty" doc:"A legal hold keeps the record"`

	FeedbackTags       []TagScore               `json:"feedbackTags,omitempty" nullable:"false" doc:"Scores by the tags that publishing froze for feedback"`
	Locale             string                   `json:"locale,omitempty" doc:"With lang: the language asked for, in its normal spelling; each document names the one it is shown in"`
	SnapshotHash       string                   `json:"snapshotHash,omitempty" doc:"Names the snapshot: SHA-256 of its canonical form"`
	VersionSnapshot    *authoring.ShownSnapshot `json:"versionSnapshot,omitempty"`
	Pack               *pack.Origin             `json:"pack,omitempty" doc:"The content pack and revision with which the version was installed; absent for a version that was written here"`
	ScoreVersion       int                      `json:"scoreVersion,omitempty" doc:"The version that scores and outcome are of; 1 is the submit"`
	ScoreVersions      []ScoreVersion           `json:"scoreVersions,omitempty" nullable:"false" doc:"All versions of the scores, the newest first"`
	Verifications      []policy.Verified        `json:"verifications,omitempty" nullable:"false" doc:"How the submit and what people did about it were verified, where a policy asked for it, the newest first, a hundred at most"`
	VerificationsTotal int                      `json:"verificationsTotal,omitempty" doc:"How many there are"`
	Items              []ItemDetail             `json:"items" nullable:"false" doc:"In the order in which the person saw them"`
}

// ItemDetail is one item of a submission.
type ItemDetail struct {
	ID                ids.ID          `json:"id"`
	ItemID            ids.ID          `json:"itemId"`
	QuestionVersionID ids.ID          `json:"questionVersionId"`
	SectionID         ids.ID          `json:"sectionId"`
	GroupID           *ids.ID         `json:"groupId,omitempty" doc:"The passage that the item stands with, or the draw that it came out of"`
	Position          int             `json:"position" doc:"Place at which the person saw the item, from 0"`
	OptionOrder       []string        `json:"optionOrder,omitempty" nullable:"false" doc:"The options as the person saw them"`
	QType             scoring.QType   `json:"qtype"`
	Response          json.RawMessage `json:"response" shape:"answer" doc:"The answer; null when there is none"`
	IsOmitted         bool            `json:"isOmitted"`
	TimeSpentMs       *int64          `json:"time_spent_ms"`
	StartedAt         *time.Time      `json:"started_at" doc:"When the person began the item; null where nobody said so"`
	AnsweredAt        *time.Time      `json:"answered_at"`
	ScoreStatus       string          `json:"scoreStatus,omitempty" enum:"SCORED,PENDING,INVALID,EXEMPT"`
	ScoreMethod       string          `json:"scoreMethod,omitempty"`
	Score             *float64        `json:"score,omitempty"`
	MaxScore          *float64        `json:"max_score,omitempty"`
	IsCorrect         *bool           `json:"is_correct,omitempty"`
	InvalidCode       *string         `json:"invalidCode,omitempty" shape:"invalid code" doc:"The constraint that an INVALID answer breaks"`
	// What the candidate view adds where feedbackPolicy says so.
	CorrectOptionIDs []string            `json:"correctOptionIds,omitempty" nullable:"false" doc:"Candidate view: the right options, or all in their right order, where feedbackPolicy shows them"`
	CorrectAnswers   []string            `json:"correctAnswers,omitempty" nullable:"false" doc:"Candidate view: the right texts, any of which counts, or the right number, where feedbackPolicy shows them"`
	CorrectPairs     []scoring.Pair      `json:"correctPairs,omitempty" nullable:"false" doc:"Candidate view: the right pairs of a prompt and an option, where feedbackPolicy shows them"`
	CorrectGaps      map[string][]string `json:"correctGaps,omitempty" doc:"Candidate view: by the id of a gap the right answers, ids of options, texts or the number, where feedbackPolicy shows them"`
	Explanation      *content.Shown      `json:"explanation,omitempty" doc:"Candidate view: the explanation, where feedbackPolicy shows it"`
}

// GetInput names a submission; View is empty or ViewCandidate. Lang resolves the content to
// one language; without it all languages are given.
type GetInput struct {
	ID   ids.ID
	View string
	Lang string
}

// Get gives a submission in detail: all of it with submissions.read, one's own in the
// candidate view with sessions.take. Errors: not_found, validation_failed.
func Get(ctx context.Context, tx *db.Tx, in GetInput) (Submission, error) {
	readsAll := tx.Can(capability.SubmissionsRead)
	if !readsAll {
		err := tx.Require(capability.SessionsTake)
		if err != nil {
			return Submission{}, err
		}
	}
	if in.View != "" && in.View != ViewCandidate {
		return Submission{}, errs.Invalid(errs.Field{Path: "view", Code: "out_of_range", Message: `the only view is "candidate"`})
	}
	row, items, err := find(ctx, tx, in.ID)
	if err != nil {
		return Submission{}, err
	}
	isOwn := tx.Actor().Is(row.UserID)
	if !readsAll && !isOwn {
		return Submission{}, errNoSubmission
	}
	snapshot, err := authoring.SnapshotByHash(ctx, tx, row.SnapshotHash)
	if err != nil {
		return Submission{}, fmt.Errorf("find snapshot of submission: %w", err)
	}
	s := detail(row, items)
	s.EvaluationTitle = snapshot.Title
	s.place(row.Seed, snapshot)
	s.FeedbackTags = byTag(items, snapshot)
	s.Locale, _ = content.NormaliseLocale(in.Lang)
	if !readsAll || in.View == ViewCandidate {
		s.limit(snapshot, in.Lang, tx.Now())
		return s, nil
	}
	persons, err := lookUp(ctx, tx, personsSQL, []ids.ID{row.UserID}, func(p person) ids.ID { return p.ID })
	if err != nil {
		return Submission{}, err
	}
	s.UserName = persons[row.UserID].shown(tx)
	s.VersionSnapshot, s.ScoreVersion = snapshot.In(in.Lang), row.ScoreVersion
	s.Pack, err = pack.OriginOfVersion(ctx, tx, row.EvaluationVersionID)
	if err != nil {
		return Submission{}, err
	}
	s.ScoreVersions, err = versionsOf(ctx, tx, row)
	if err != nil {
		return Submission{}, err
	}
	s.Verifications, s.VerificationsTotal, err = policy.Verifications(ctx, tx, row.ID)
	return s, err
}

func detail(row models.Submission, items []models.SubmissionItem) Submission {
	s := Submission{
		ID: row.ID, UserID: row.UserID, EvaluationID: row.EvaluationID, EvaluationVersionID: row.EvaluationVersionID,
		Status: row.Status, CompletedAt: row.CompletedAt.UTC(), StartedAt: row.StartedAt.UTC(), Score: &row.Score,
		MaxScore: &row.MaxScore, OutcomeCode: row.OutcomeCode, OutcomeLabel: row.OutcomeLabel, RunLabel: row.RunLabel,
		AssignmentID: row.AssignmentID, BatchID: row.BatchID,
		ApprovalStatus: row.ApprovalStatus, CompletionMethod: row.CompletionMethod, SubmittedBy: row.SubmittedBy, ActedBy: row.ActedBy,
		RetainUntil: db.UTC(row.RetainUntil), RetentionBasis: row.RetentionBasis, HoldFlag: &row.HoldFlag, SnapshotHash: row.SnapshotHash, Items: []ItemDetail{},
	}
	for _, item := range items {
		s.Items = append(s.Items, itemDetail(item))
	}
	return s
}

func itemDetail(row models.SubmissionItem) ItemDetail {
	return ItemDetail{
		ID: row.ID, ItemID: row.ItemID, QuestionVersionID: row.QuestionVersionID, Position: row.Position, QType: scoring.QType(row.QType),
		Response: row.Response, IsOmitted: row.IsOmitted, TimeSpentMs: row.TimeSpentMs, StartedAt: db.UTC(row.StartedAt), AnsweredAt: db.UTC(row.AnsweredAt),
		ScoreStatus: row.ScoreStatus, ScoreMethod: row.ScoreMethod, Score: &row.Score, MaxScore: &row.MaxScore,
		IsCorrect: &row.IsCorrect, InvalidCode: row.InvalidCode,
	}
}
