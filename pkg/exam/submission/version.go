package submission

import (
	"context"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// ScoreVersion is one version of the scores of a submission.
type ScoreVersion struct {
	Number        int       `json:"number" doc:"1 is the submit; the greatest is the one that counts"`
	Reason        string    `json:"reason" enum:"submitted,remediation_applied,remediation_reverted,scored_by_person"`
	RemediationID *ids.ID   `json:"remediationId,omitempty"`
	Actor         string    `json:"actor" doc:"user:<id>, operator:<name> or system:<job>"`
	Score         float64   `json:"score"`
	MaxScore      float64   `json:"maxScore"`
	OutcomeCode   string    `json:"outcome_code" enum:"pass,fail,incomplete"`
	OutcomeLabel  string    `json:"outcome_label"`
	CreatedAt     time.Time `json:"createdAt"`
}

// versionsOf gives the versions up to the row's own, the newest first. Without a correction there
// are no rows, and the submission itself has the scores of its submit.
func versionsOf(ctx context.Context, tx *db.Tx, row models.Submission) ([]ScoreVersion, error) {
	if row.ScoreVersion == 1 {
		return []ScoreVersion{submitted(row)}, nil
	}
	var rows []models.ScoreVersion
	err := tx.NewSelect().Model(&rows).Where("v.tenant_id = ? and v.submission_id = ? and v.number <= ?", tx.Tenant(), row.ID, row.ScoreVersion).
		Order("v.number desc").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list score versions: %w", err)
	}
	all := make([]ScoreVersion, 0, len(rows))
	for _, r := range rows {
		all = append(all, scoreVersion(r))
	}
	return all, nil
}

func submitted(row models.Submission) ScoreVersion {
	return ScoreVersion{Number: 1, Reason: models.ScoreSubmitted, Actor: row.SubmittedBy, Score: row.Score, MaxScore: row.MaxScore,
		OutcomeCode: row.OutcomeCode, OutcomeLabel: row.OutcomeLabel, CreatedAt: row.CompletedAt.UTC()}
}

func scoreVersion(r models.ScoreVersion) ScoreVersion {
	return ScoreVersion{Number: r.Number, Reason: r.Reason, RemediationID: r.RemediationID, Actor: r.Actor, Score: r.Score,
		MaxScore: r.MaxScore, OutcomeCode: r.OutcomeCode, OutcomeLabel: r.OutcomeLabel, CreatedAt: r.CreatedAt.UTC()}
}
