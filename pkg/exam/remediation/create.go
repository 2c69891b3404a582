package remediation

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Input describes a remediation: either all submissions of an evaluation version, or
// chosen ones.
type Input struct {
	EvaluationVersionID *ids.ID    `json:"evaluationVersionId,omitempty" noun:"evaluation-version" doc:"Correct all its completed submissions"`
	SubmissionIDs       []ids.ID   `json:"submissionIds,omitempty" noun:"submission" nullable:"false" maxItems:"10000" doc:"Or correct these, all of one org unit"`
	QuestionVersionID   ids.ID     `json:"questionVersionId" noun:"question-version" doc:"The question to correct"`
	Rule                string     `json:"rule" enum:"exempt_question,rekey,full_credit,adjust_item"`
	Parameters          Parameters `json:"parameters,omitzero"`
	AlsoLater           *bool      `json:"also_later,omitempty" doc:"Of an evaluation version: also correct the submissions that come after it, while it is applied; true when absent"`
	Reason              string     `json:"reason" minLength:"1" maxLength:"2000" doc:"Why, for those who manage remediations; it stays out of ledger and reports"`
}

// Patch changes what it names of a draft. A rule comes with its parameters.
type Patch struct {
	UpdatedAt  *time.Time  `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	Rule       *string     `json:"rule,omitempty" enum:"exempt_question,rekey,full_credit,adjust_item"`
	Parameters *Parameters `json:"parameters,omitempty"`
	AlsoLater  *bool       `json:"also_later,omitempty" doc:"Of an evaluation version: also correct the submissions that come after it, while it is applied"`
	Reason     *string     `json:"reason,omitempty" minLength:"1" maxLength:"2000"`
}

// Create makes a draft, which changes no score. Capability: remediations.manage. Errors:
// validation_failed, not_found for an evaluation version out of reach, four_eyes_required for a
// chosen submission of the actor.
func Create(ctx context.Context, tx *db.Tx, in Input) (Remediation, error) {
	if err := tx.Require(capability.RemediationsManage); err != nil {
		return Remediation{}, err
	}
	to, err := aim(ctx, tx, in)
	if err != nil {
		return Remediation{}, err
	}
	problems := append(errs.Prose("reason", in.Reason, maxText, true), check(rule{in.Rule, in.Parameters}, to)...)
	problems = append(problems, checkLater(in.AlsoLater, in.EvaluationVersionID)...)
	if err := errs.Invalid(problems...); err != nil {
		return Remediation{}, err
	}
	parameters, err := json.Marshal(in.Parameters)
	if err != nil {
		return Remediation{}, fmt.Errorf("encode parameters: %w", err)
	}
	row := models.Remediation{TenantID: tx.Tenant(), ID: ids.New(), OrgUnitID: to.orgUnit, EvaluationVersionID: in.EvaluationVersionID,
		QuestionVersionID: in.QuestionVersionID, Rule: in.Rule, Parameters: parameters, Reason: in.Reason, State: models.RemediationDraft,
		AlsoLater: in.EvaluationVersionID != nil && (in.AlsoLater == nil || *in.AlsoLater),
		CreatedBy: tx.Actor().String(), SubmissionsN: len(to.submissions), CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
	_, err = tx.NewInsert().Model(&row).Returning("NULL").Exec(ctx)
	if err != nil {
		return Remediation{}, fmt.Errorf("create remediation: %w", err)
	}
	_, err = tx.Exec(ctx, `
		insert into remediation_submissions (tenant_id, remediation_id, submission_id, org_unit_id)
		select $1, $2, s, $3 from unnest($4::uuid[]) s returning true`, tx.Tenant(), row.ID, row.OrgUnitID, to.submissions)
	if err != nil {
		return Remediation{}, fmt.Errorf("choose submissions: %w", err)
	}
	made, err := view(row)
	if err != nil {
		return Remediation{}, err
	}
	return made, ledger.Append(ctx, tx, event("created", row))
}

// Update changes a draft. Capability: remediations.manage. Errors: not_found,
// remediation_not_draft, stale_update, validation_failed, four_eyes_required.
func Update(ctx context.Context, tx *db.Tx, id ids.ID, p Patch) (Remediation, error) {
	row, err := findDraft(ctx, tx, id)
	if err != nil {
		return Remediation{}, err
	}
	err = db.Fresh(p.UpdatedAt, row.UpdatedAt)
	if err != nil {
		return Remediation{}, err
	}
	r, err := ruleOf(row)
	if err != nil {
		return Remediation{}, fmt.Errorf("read remediation: %w", err)
	}
	if p.Rule != nil {
		r = rule{name: *p.Rule}
	}
	if p.Parameters != nil {
		r.Parameters = *p.Parameters
	}
	if p.Reason != nil {
		row.Reason = *p.Reason
	}
	if p.AlsoLater != nil {
		row.AlsoLater = *p.AlsoLater
	}
	to, err := aimAgain(ctx, tx, row)
	if err != nil {
		return Remediation{}, err
	}
	problems := append(errs.Prose("reason", row.Reason, maxText, true), check(r, to)...)
	if err := errs.Invalid(append(problems, checkLater(p.AlsoLater, row.EvaluationVersionID)...)...); err != nil {
		return Remediation{}, err
	}
	row.Rule, row.UpdatedAt = r.name, tx.ChangedAt(row.UpdatedAt)
	row.Parameters, err = json.Marshal(r.Parameters)
	if err != nil {
		return Remediation{}, fmt.Errorf("encode parameters: %w", err)
	}
	_, err = tx.NewUpdate().Model(&row).Column("rule", "parameters", "reason", "also_later", "updated_at").WherePK().Exec(ctx)
	if err != nil {
		return Remediation{}, fmt.Errorf("change remediation: %w", err)
	}
	changed, err := view(row)
	if err != nil {
		return Remediation{}, err
	}
	return changed, ledger.Append(ctx, tx, event("updated", row))
}

// Delete removes a draft. Capability: remediations.manage. Errors: not_found,
// remediation_not_draft.
func Delete(ctx context.Context, tx *db.Tx, id ids.ID) error {
	row, err := findDraft(ctx, tx, id)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "delete from remediations where tenant_id = $1 and id = $2", tx.Tenant(), id)
	if err != nil {
		return fmt.Errorf("delete remediation: %w", err)
	}
	return ledger.Append(ctx, tx, event("deleted", row))
}

func findDraft(ctx context.Context, tx *db.Tx, id ids.ID) (models.Remediation, error) {
	row, err := find(ctx, tx, id, true)
	if err == nil && row.State != models.RemediationDraft {
		err = errs.New(errs.RemediationNotDraft, "Only a draft can be changed or deleted.").With("state", row.State)
	}
	return row, err
}

func event(verb string, row models.Remediation) ledger.Event {
	payload := map[string]any{"rule": row.Rule, "questionVersionId": row.QuestionVersionID}
	if row.EvaluationVersionID != nil {
		payload["evaluationVersionId"] = *row.EvaluationVersionID
	}
	return ledger.Event{Type: "remediation." + verb, SubjectType: "remediation", SubjectID: row.ID, OrgUnit: row.OrgUnitID, Payload: payload}
}
