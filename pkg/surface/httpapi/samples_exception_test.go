package httpapi_test

import (
	"maps"
	"testing"

	"assess/pkg/dev/apptest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// exceptionPlace holds a refresh of the exceptions queue.
type exceptionPlace struct{ Refresh ids.ID }

// exceptionsOf brings the queue up to date. The engagement has a submission that is not ready.
func exceptionsOf(t *testing.T, app *apptest.App, scope db.Scope, p place) exceptionPlace {
	t.Helper()
	for n := 1; n > 0; {
		sample.Write(t, app.Store, db.System(scope.Tenant, "projector"), func(tx *db.Tx) error {
			var err error
			n, err = projection.ProjectBatch(t.Context(), tx, projection.BatchSize)
			return err
		})
	}
	var e exceptionPlace
	sample.Write(t, app.Store, scope, func(tx *db.Tx) error {
		queued, err := projection.QueueRefresh(t.Context(), tx, projection.RefreshInput{SubmissionIDs: []ids.ID{p.Submission}})
		if err != nil {
			return err
		}
		e.Refresh = queued.ID
		_, err = tx.Exec(t.Context(), `
			insert into defensibility_exception_counts (tenant_id, org_unit_id, kind, target_id, active_n, blocked_n, needs_review_n, first_seen_at, last_computed_at)
			values ($1, $2, 'engagement', $3, 1, 1, 0, now(), now())`, tx.Tenant(), scope.OrgUnit, p.Engagement)
		return err
	})
	return e
}

func init() {
	submission := func(p place) map[string]ids.ID { return map[string]ids.ID{"submissionId": p.Submission} }
	maps.Copy(noun, map[string]func(place) map[string]ids.ID{
		"getException": submission, "triageException": submission,
		"getExceptionsRefresh": func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Refresh} },
		"triageEngagement":     func(p place) map[string]ids.ID { return map[string]ids.ID{"engagementId": p.Engagement} },
		"triageRequirement":    func(p place) map[string]ids.ID { return map[string]ids.ID{"programmeRequirementId": p.Requirement} },
	})
	triage := func(p place) any { return map[string]any{"state": "acknowledged", "ownerUserId": p.Actor} }
	maps.Copy(body, map[string]func(place) any{
		"triageException": triage, "triageEngagement": triage, "triageRequirement": triage,
		"triageExceptions": func(p place) any {
			return map[string]any{"submissionIds": []ids.ID{p.Submission}, "state": "acknowledged"}
		},
		"refreshExceptions": func(p place) any { return map[string]any{"submissionIds": []ids.ID{p.Submission}} },
	})
}
