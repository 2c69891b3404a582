package policy

import (
	"context"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Verified is how one protected action about a submission was verified.
type Verified struct {
	ID         ids.ID            `json:"id" doc:"What the authority of the ledger event names"`
	AppliesTo  string            `json:"appliesTo" enum:"submissions,evidence,review_actions,claims,disputes" doc:"The action"`
	PolicyRef  string            `json:"policyRef" doc:"Names what the policy asked"`
	Kind       string            `json:"kind" enum:"auth.session,auth.step_up"`
	Method     string            `json:"method,omitempty" doc:"How the proof was made, of a step-up"`
	Fields     map[string]string `json:"fields" doc:"What the person said of the circumstances"`
	VerifiedBy string            `json:"verifiedBy" doc:"user:<id>"`
	VerifiedAt time.Time         `json:"verifiedAt"`
}

// listed bounds how many verifications a submission shows; each decision about it may add one.
const listed = 100

// Verifications gives how the newest hundred protected actions about a submission were verified, newest first, and
// how many there are. The caller has found the submission. Capability: submissions.read.
func Verifications(ctx context.Context, tx *db.Tx, submission ids.ID) ([]Verified, int, error) {
	if err := tx.Require(capability.SubmissionsRead); err != nil {
		return nil, 0, err
	}
	var rows []models.Verification
	err := tx.NewSelect().Model(&rows).Where("v.tenant_id = ? and v.subject_id = ?", tx.Tenant(), submission).Order("v.id desc").Limit(listed).Scan(ctx)
	if err != nil {
		return nil, 0, fmt.Errorf("list verifications: %w", err)
	}
	total := int64(len(rows))
	if total == listed {
		total, err = tx.NewSelect().Model(&rows).Where("v.tenant_id = ? and v.subject_id = ?", tx.Tenant(), submission).Count(ctx)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("count verifications: %w", err)
	}
	all := make([]Verified, 0, len(rows))
	for _, r := range rows {
		v := Verified{ID: r.ID, AppliesTo: r.AppliesTo, PolicyRef: r.PolicyRef, Kind: r.Kind, Fields: r.Fields, VerifiedBy: r.Actor,
			VerifiedAt: r.VerifiedAt.UTC()}
		if r.Method != nil {
			v.Method = *r.Method
		}
		all = append(all, v)
	}
	return all, int(total), nil
}
