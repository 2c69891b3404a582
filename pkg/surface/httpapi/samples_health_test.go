package httpapi_test

import (
	"maps"
	"testing"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

func init() {
	maps.Copy(noun, map[string]func(place) map[string]ids.ID{
		"getReportJob": func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.ReportJob} },
	})
	maps.Copy(body, map[string]func(place) any{
		"queueProjection": func(p place) any {
			return map[string]any{"kind": "submission", "submissionIds": []ids.ID{p.Submission}}
		},
	})
}

// healthPlace holds a job of reporting maintenance.
type healthPlace struct{ ReportJob ids.ID }

func healthOf(t *testing.T, tx *db.Tx) healthPlace {
	t.Helper()
	j, err := projection.QueuePercentiles(t.Context(), tx)
	if err != nil {
		t.Fatal(err)
	}
	return healthPlace{j.ID}
}
