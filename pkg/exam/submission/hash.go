package submission

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// StateHash names the state of a submission at one moment: the SHA-256 of its canonical
// form. The same state gives the same hash, so that a later call shows whether anything
// changed.
type StateHash struct {
	SubmissionID    ids.ID    `json:"submissionId"`
	StateHash       string    `json:"stateHash" doc:"64 hex digits"`
	StateScheme     string    `json:"stateScheme" doc:"Names the fields that are hashed"`
	CanonicalScheme string    `json:"canonicalScheme" enum:"rfc8785"`
	HashScheme      string    `json:"hashScheme" enum:"sha-256"`
	ScoreVersion    int       `json:"scoreVersion"`
	HashedAt        time.Time `json:"hashedAt"`
	// Status is the status of the submission.
	Status string `json:"-"`
}

// StateScheme names the fields of state. They are spelt out here, apart from what the
// interface answers, so that the hash of an old submission never changes with it.
const StateScheme = "submission-state/v2"

// state is the data that is hashed: the record with its decision and how long it is kept, its items
// and the hash of its snapshot. Holds change hold_flag, which is therefore left out.
type state struct {
	Scheme              string      `json:"scheme"`
	ID                  ids.ID      `json:"id"`
	EvaluationVersionID ids.ID      `json:"evaluationVersionId"`
	UserID              ids.ID      `json:"userId"`
	Status              string      `json:"status"`
	CompletionMethod    string      `json:"completionMethod"`
	SubmittedBy         string      `json:"submittedBy"`
	ActedBy             []string    `json:"actedBy"`
	StartedAt           time.Time   `json:"startedAt"`
	CompletedAt         time.Time   `json:"completedAt"`
	RunLabel            *string     `json:"run_label"`
	SnapshotHash        string      `json:"snapshotHash"`
	Seed                string      `json:"seed"`
	ScoreVersion        int         `json:"scoreVersion"`
	Score               float64     `json:"score"`
	MaxScore            float64     `json:"maxScore"`
	OutcomeCode         string      `json:"outcomeCode"`
	ApprovalStatus      string      `json:"approvalStatus"`
	RetainUntil         *time.Time  `json:"retainUntil"`
	RetentionBasis      *string     `json:"retentionBasis"`
	Items               []itemState `json:"items"`
}

type itemState struct {
	ID                ids.ID          `json:"id"`
	ItemID            ids.ID          `json:"itemId"`
	QuestionVersionID ids.ID          `json:"questionVersionId"`
	Position          int             `json:"position"`
	Response          json.RawMessage `json:"response"`
	TimeSpentMs       *int64          `json:"timeSpentMs"`
	AnsweredAt        *time.Time      `json:"answeredAt"`
	ScoreStatus       string          `json:"scoreStatus"`
	ScoreMethod       string          `json:"scoreMethod"`
	Score             float64         `json:"score"`
	MaxScore          float64         `json:"maxScore"`
	IsCorrect         bool            `json:"isCorrect"`
}

func stateOf(s models.Submission, items []models.SubmissionItem) state {
	out := state{Scheme: StateScheme, ID: s.ID, EvaluationVersionID: s.EvaluationVersionID, UserID: s.UserID, Status: s.Status,
		CompletionMethod: s.CompletionMethod, SubmittedBy: s.SubmittedBy, ActedBy: append([]string{}, s.ActedBy...), StartedAt: s.StartedAt.UTC(), CompletedAt: s.CompletedAt.UTC(),
		RunLabel: s.RunLabel, SnapshotHash: s.SnapshotHash, Seed: strconv.FormatInt(s.Seed, 10), ScoreVersion: s.ScoreVersion,
		Score: s.Score, MaxScore: s.MaxScore, OutcomeCode: s.OutcomeCode,
		ApprovalStatus: s.ApprovalStatus, RetainUntil: db.UTC(s.RetainUntil), RetentionBasis: s.RetentionBasis, Items: []itemState{}}
	for _, i := range items {
		d := itemDetail(i)
		out.Items = append(out.Items, itemState{ID: i.ID, ItemID: i.ItemID, QuestionVersionID: i.QuestionVersionID, Position: i.Position,
			Response: i.Response, TimeSpentMs: i.TimeSpentMs, AnsweredAt: d.AnsweredAt, ScoreStatus: i.ScoreStatus,
			ScoreMethod: i.ScoreMethod, Score: i.Score, MaxScore: i.MaxScore, IsCorrect: i.IsCorrect})
	}
	return out
}

// Hash computes the state hash and writes it into the ledger as submission.state.hashed
// (specification, section 4.6). Capability: submissions.read. Errors: not_found.
func Hash(ctx context.Context, tx *db.Tx, id ids.ID) (StateHash, error) {
	if err := tx.Require(capability.SubmissionsRead); err != nil {
		return StateHash{}, err
	}
	row, items, err := find(ctx, tx, id)
	if err != nil {
		return StateHash{}, err
	}
	h, err := hashOf(row, items)
	if err != nil {
		return StateHash{}, err
	}
	h.HashedAt = tx.Now().UTC()
	return h, ledger.Append(ctx, tx, ledger.Event{Type: "submission.state.hashed", SubjectType: "submission", SubjectID: id,
		OrgUnit: row.OrgUnitID, Payload: map[string]any{"stateHash": h.StateHash, "stateScheme": h.StateScheme, "canonicalScheme": h.CanonicalScheme,
			"hashScheme": h.HashScheme, "scoreVersion": h.ScoreVersion}})
}

func hashOf(row models.Submission, items []models.SubmissionItem) (StateHash, error) {
	canonical, err := content.Canonical(stateOf(row, items))
	if err != nil {
		return StateHash{}, fmt.Errorf("hash submission: %w", err)
	}
	return StateHash{SubmissionID: row.ID, StateHash: content.Hash(canonical), StateScheme: StateScheme,
		CanonicalScheme: content.CanonicalScheme, HashScheme: content.HashScheme, ScoreVersion: row.ScoreVersion, Status: row.Status}, nil
}
