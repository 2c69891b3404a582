package policy

import (
	"context"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
)

// SetRetentionOf sets one policy and leaves the others as they are; 0 days
// take it out of force. Capability: policies.manage.
func SetRetentionOf(ctx context.Context, tx *db.Tx, want Retention) (RetentionPolicies, error) {
	err := tx.Require(capability.PoliciesManage)
	if err != nil {
		return RetentionPolicies{}, err
	}
	err = lock(ctx, tx, retentionPolicies)
	if err != nil {
		return RetentionPolicies{}, err
	}
	now, err := GetRetention(ctx, tx)
	if err != nil {
		return RetentionPolicies{}, err
	}
	in := RetentionInput{Policies: []Retention{}}
	if want.Days != 0 {
		in.Policies = append(in.Policies, want)
	}
	for _, p := range now.Policies {
		if p.Domain != want.Domain || p.Scope() != want.Scope() {
			in.Policies = append(in.Policies, Retention{Domain: p.Domain, Days: *p.Days, Action: *p.Action, Of: p.Of})
		}
	}
	return SetRetention(ctx, tx, in)
}

// SetVerificationOf sets the policy of one level and action and leaves the others as they
// are. Capability: policies.manage.
func SetVerificationOf(ctx context.Context, tx *db.Tx, want Verification) (VerificationPolicies, error) {
	err := tx.Require(capability.PoliciesManage)
	if err != nil {
		return VerificationPolicies{}, err
	}
	err = lock(ctx, tx, verificationPolicies)
	if err != nil {
		return VerificationPolicies{}, err
	}
	now, err := GetVerification(ctx, tx)
	if err != nil {
		return VerificationPolicies{}, err
	}
	in := VerificationInput{Policies: []Verification{want}}
	for _, p := range now.Policies {
		if p.Level != want.Level || p.AppliesTo != want.AppliesTo {
			in.Policies = append(in.Policies, Verification{Level: p.Level, AppliesTo: p.AppliesTo, Rules: p.Rules})
		}
	}
	return SetVerification(ctx, tx, in)
}
