package policy

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Authority is how an action was verified; the zero value says that nothing was asked.
type Authority struct {
	VerificationID ids.ID `json:"verificationId"`
	PolicyRef      string `json:"policyRef"`
	Kind           string `json:"kind"`
	Method         string `json:"method,omitempty"`
}

// Into merges the authority into the payload of a ledger event.
func (a Authority) Into(payload map[string]any) map[string]any {
	if a.VerificationID != ids.None {
		payload["authority"] = a
	}
	return payload
}

// Action is something that a policy may protect.
type Action struct {
	// AppliesTo is one of Actions, without Submissions and EvaluationPublish.
	AppliesTo    string
	SubmissionID ids.ID
	// StepUp requires a proof at every level, as voiding does.
	StepUp bool
}

// Require holds an action on a submission to the policy in force at the submission's level:
// it consumes the proof and records the context. The caller has checked that the actor may
// see the submission. Errors: not_found, step_up_required, validation_failed.
func Require(ctx context.Context, tx *db.Tx, a Action) (Authority, error) {
	if tx.Actor().Kind != db.UserActor {
		return Authority{}, nil
	}
	var org ids.ID
	var level *string
	err := tx.QueryRow(ctx, `
		select s.org_unit_id, v.settings ->> 'verificationLevel'
		from submissions s join version_snapshots v on v.tenant_id = s.tenant_id and v.hash = s.snapshot_hash
		where s.tenant_id = $1 and s.id = $2 and ($3 or s.org_unit_id = $4)`,
		tx.Tenant(), a.SubmissionID, tx.Scope().All, tx.Scope().OrgUnit).Scan(&org, &level)
	if errors.Is(err, pgx.ErrNoRows) {
		return Authority{}, errs.New(errs.NotFound, "There is no such submission in your scope.")
	}
	if err != nil {
		return Authority{}, fmt.Errorf("find verification level: %w", err)
	}
	at := Levels[0]
	if level != nil {
		at = orLowest(*level)
	}
	rules, err := current(ctx, tx, at, a.AppliesTo)
	if err != nil {
		return Authority{}, err
	}
	rules.RequireStepUp = rules.RequireStepUp || a.StepUp
	return verify(ctx, tx, rules, at, models.Verification{SubjectID: a.SubmissionID, OrgUnitID: org, AppliesTo: a.AppliesTo})
}

// RequirePublish holds the publishing of an evaluation to the policy in force at the level
// that it is to have. Errors: step_up_required, validation_failed.
func RequirePublish(ctx context.Context, tx *db.Tx, level string, evaluation, org ids.ID) (Authority, error) {
	if tx.Actor().Kind != db.UserActor {
		return Authority{}, nil
	}
	level = orLowest(level)
	rules, err := current(ctx, tx, level, EvaluationPublish)
	if err != nil {
		return Authority{}, err
	}
	return verify(ctx, tx, rules, level, models.Verification{SubjectID: evaluation, OrgUnitID: org, AppliesTo: EvaluationPublish})
}

// AskedToPublish gives the rules that RequirePublish holds a call to, so that a preview can
// name them; actors who are no users are asked nothing.
func AskedToPublish(ctx context.Context, tx *db.Tx, level string) (Rules, error) {
	if tx.Actor().Kind != db.UserActor {
		return Rules{}, nil
	}
	return current(ctx, tx, orLowest(level), EvaluationPublish)
}

// RequireFrozen holds a submit to the policy that its snapshot froze. The methods that count
// are the current ones: a method that is no longer trusted proves nothing. Errors: forbidden
// at L4 without sessions.proctor, step_up_required, validation_failed.
func RequireFrozen(ctx context.Context, tx *db.Tx, f *Frozen, submission, org ids.ID) error {
	if !f.Asks() || tx.Actor().Kind != db.UserActor {
		return nil
	}
	if f.AsksForProctor() {
		if err := tx.Require(capability.SessionsProctor); err != nil {
			return err
		}
	}
	today, err := current(ctx, tx, f.RequiredLevel, Submissions)
	if err != nil {
		return err
	}
	rules := Rules{RequireContext: f.RequireContext, RequireStepUp: f.RequireStepUp, RequiredContextFields: f.RequiredContextFields,
		Methods: today.Methods}
	subject := models.Verification{SubjectID: submission, OrgUnitID: org, AppliesTo: Submissions, PolicyRef: f.PolicyRef}
	_, err = verify(ctx, tx, rules, f.RequiredLevel, subject)
	return err
}
