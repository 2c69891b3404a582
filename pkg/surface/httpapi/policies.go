package httpapi

import (
	"context"

	"assess/pkg/kernel/db"
	"assess/pkg/people/policy"
)

func getRetention(ctx context.Context, tx *db.Tx, _ *nothing) (policy.RetentionPolicies, error) {
	return policy.GetRetention(ctx, tx)
}

type setRetentionInput struct{ Body policy.RetentionInput }

func setRetention(ctx context.Context, tx *db.Tx, in *setRetentionInput) (policy.RetentionPolicies, error) {
	return policy.SetRetention(ctx, tx, in.Body)
}

type listRetentionInput struct {
	Domain string `query:"domain" enum:"submissions,evidence,sessions,telemetry,exports"`
	PageQuery
}

func listRetentionVersions(ctx context.Context, tx *db.Tx, in *listRetentionInput) (db.List[policy.RetentionVersion], error) {
	return policy.ListRetentionVersions(ctx, tx, in.Domain, in.page())
}

func getVerification(ctx context.Context, tx *db.Tx, _ *nothing) (policy.VerificationPolicies, error) {
	return policy.GetVerification(ctx, tx)
}

type setVerificationInput struct{ Body policy.VerificationInput }

func setVerification(ctx context.Context, tx *db.Tx, in *setVerificationInput) (policy.VerificationPolicies, error) {
	return policy.SetVerification(ctx, tx, in.Body)
}
