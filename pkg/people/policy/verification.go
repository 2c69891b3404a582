package policy

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ledger"
)

// VerificationPolicy is what a level asks of an action.
type VerificationPolicy struct {
	Level     string `json:"level" enum:"L1,L2,L3,L4"`
	AppliesTo string `json:"appliesTo" enum:"submissions,evidence,review_actions,claims,disputes,evaluation_publish"`
	Rules
	PolicyRef string `json:"policyRef" doc:"Names what the policy asks" example:"verification_policy/v1/level_2/…"`
}

// VerificationPolicies are the policies in force, of every level and action.
type VerificationPolicies struct {
	Policies  []VerificationPolicy `json:"policies" nullable:"false"`
	UpdatedAt *time.Time           `json:"updatedAt,omitempty" doc:"Absent while all are the defaults"`
}

// Verification is the wanted policy of a level and action.
type Verification struct {
	Level     string `json:"level" enum:"L1,L2,L3,L4"`
	AppliesTo string `json:"appliesTo" enum:"submissions,evidence,review_actions,claims,disputes,evaluation_publish"`
	Rules
}

// VerificationInput replaces the policies: a policy that is not named goes back to its default.
type VerificationInput struct {
	Policies  []Verification `json:"policies" nullable:"false" maxItems:"24"`
	UpdatedAt *time.Time     `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
}

// GetVerification gives the policies in force. Capability: policies.manage or
// compliance.read.
func GetVerification(ctx context.Context, tx *db.Tx) (VerificationPolicies, error) {
	if err := requireReader(tx); err != nil {
		return VerificationPolicies{}, err
	}
	return allPolicies(ctx, tx)
}

func allPolicies(ctx context.Context, tx *db.Tx) (VerificationPolicies, error) {
	var rows []models.VerificationPolicy
	err := tx.NewSelect().Model(&rows).Where("p.tenant_id = ?", tx.Tenant()).Scan(ctx)
	if err != nil {
		return VerificationPolicies{}, fmt.Errorf("get verification policies: %w", err)
	}
	var all VerificationPolicies
	for _, level := range Levels {
		for _, action := range Actions {
			p := VerificationPolicy{Level: level, AppliesTo: action, Rules: Default(level, action)}
			for _, row := range rows {
				if row.Level == level && row.AppliesTo == action {
					p.Rules = rulesOf(row)
				}
			}
			p.PolicyRef, err = p.Ref(level)
			if err != nil {
				return VerificationPolicies{}, err
			}
			all.Policies = append(all.Policies, p)
		}
	}
	for _, row := range rows {
		if all.UpdatedAt == nil || row.UpdatedAt.After(*all.UpdatedAt) {
			at := row.UpdatedAt.UTC()
			all.UpdatedAt = &at
		}
	}
	return all, nil
}

func rulesOf(row models.VerificationPolicy) Rules {
	return Rules{RequireContext: row.RequireContext, RequireStepUp: row.RequireStepUp,
		RequiredContextFields: append([]string{}, row.RequiredContextFields...), Methods: row.Methods}
}

// SetVerification replaces the policies. What was published keeps the policy for submissions
// that was frozen with it. Capability: policies.manage. Errors: validation_failed,
// stale_update.
func SetVerification(ctx context.Context, tx *db.Tx, in VerificationInput) (VerificationPolicies, error) {
	if err := tx.Require(capability.PoliciesManage); err != nil {
		return VerificationPolicies{}, err
	}
	if err := in.check(); err != nil {
		return VerificationPolicies{}, err
	}
	if err := lock(ctx, tx, verificationPolicies); err != nil {
		return VerificationPolicies{}, err
	}
	before, err := allPolicies(ctx, tx)
	if err != nil {
		return VerificationPolicies{}, err
	}
	if err := db.Fresh(in.UpdatedAt, db.OrZero(before.UpdatedAt)); err != nil {
		return VerificationPolicies{}, err
	}
	changed := in.changes(tx, before, tx.ChangedAt(db.OrZero(before.UpdatedAt)))
	if len(changed) == 0 {
		return before, nil
	}
	_, err = tx.NewInsert().Model(&changed).On("conflict (tenant_id, level, applies_to) do update").
		Set("require_context = excluded.require_context, require_step_up = excluded.require_step_up").
		Set("required_context_fields = excluded.required_context_fields, methods = excluded.methods, updated_at = excluded.updated_at").
		Returning("NULL").Exec(ctx)
	if err != nil {
		return VerificationPolicies{}, fmt.Errorf("set verification policies: %w", err)
	}
	after, err := allPolicies(ctx, tx)
	if err != nil {
		return VerificationPolicies{}, err
	}
	var refs []map[string]any
	for _, row := range changed {
		i := slices.IndexFunc(after.Policies, func(p VerificationPolicy) bool { return p.Level == row.Level && p.AppliesTo == row.AppliesTo })
		refs = append(refs, map[string]any{"appliesTo": row.AppliesTo, "policyRef": after.Policies[i].PolicyRef, "methods": row.Methods})
	}
	return after, ledger.Append(ctx, tx, ledger.Event{Type: "verification_policies.set", SubjectType: "tenant", SubjectID: tx.Tenant(),
		Payload: map[string]any{"policies": refs}})
}

func (in VerificationInput) check() error {
	var bad []errs.Field
	for i, p := range in.Policies {
		path := fmt.Sprintf("policies[%d]", i)
		known := slices.Contains(Levels, p.Level) && slices.Contains(Actions, p.AppliesTo)
		twice := slices.ContainsFunc(in.Policies[:i], func(q Verification) bool { return q.Level == p.Level && q.AppliesTo == p.AppliesTo })
		switch {
		case !known:
			bad = append(bad, errs.Field{Path: path, Code: "out_of_range", Message: "there is no such level or action"})
		case twice:
			bad = append(bad, errs.Field{Path: path, Code: "duplicate", Message: "the level and action are named twice"})
		default:
			bad = append(bad, p.check(path, p.Level, p.AppliesTo)...)
		}
	}
	return errs.Invalid(bad...)
}

// changes gives the rows that turn the policies into the wanted ones.
func (in VerificationInput) changes(tx *db.Tx, before VerificationPolicies, at time.Time) []models.VerificationPolicy {
	var rows []models.VerificationPolicy
	for _, current := range before.Policies {
		wanted := Default(current.Level, current.AppliesTo)
		for _, p := range in.Policies {
			if p.Level == current.Level && p.AppliesTo == current.AppliesTo {
				wanted = p.Rules
			}
		}
		wanted = wanted.normal()
		if reflect.DeepEqual(wanted, current.normal()) {
			continue
		}
		rows = append(rows, models.VerificationPolicy{TenantID: tx.Tenant(), Level: current.Level, AppliesTo: current.AppliesTo,
			RequireContext: wanted.RequireContext, RequireStepUp: wanted.RequireStepUp,
			RequiredContextFields: wanted.RequiredContextFields, Methods: wanted.Methods, UpdatedAt: at})
	}
	return rows
}
