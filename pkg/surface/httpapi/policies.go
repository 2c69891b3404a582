package httpapi

import (
	"context"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/people/policy"
)

func policyRoutes() []route {
	reads, manages := needs(capability.PoliciesManage, capability.ComplianceRead), needs(capability.PoliciesManage)
	return []route{
		get("/retention-policies", "getRetentionPolicies", reads, "Read how long records are kept", getRetention),
		write(put, "/retention-policies", "setRetentionPolicies", ok, manages, "Say how long records are kept; holds for what comes from then on", setRetention),
		get("/retention-policies/versions", "listRetentionVersions", reads, "List all versions of the retention policies", listRetentionVersions),
		get("/verification-policies", "getVerificationPolicies", reads, "Read what each level asks of each action", getVerification),
		write(put, "/verification-policies", "setVerificationPolicies", ok, manages, "Say what each level asks of each action", setVerification),
	}
}

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
