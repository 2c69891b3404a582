package httpapi_test

import (
	"maps"
	"testing"

	"assess/config"
	"assess/pkg/dev/apptest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/reportlink"
	"assess/pkg/trust/glassbox"
)

// glassPlace holds a link to the submission that shows all there is, and one to be ended.
type glassPlace struct {
	SpareLink  ids.ID
	LinkToken  string
	ReportLink ids.ID
}

func linkOf(t *testing.T, app *apptest.App, scope db.Scope, p place) glassPlace {
	t.Helper()
	c := config.Default()
	c.Auth = sample.Auth()
	desk := glassbox.NewDesk(app.Authority, c)
	var g glassPlace
	sample.Write(t, app.Store, scope, func(tx *db.Tx) error {
		made, err := desk.Create(t.Context(), tx, glassbox.LinkInput{SubmissionID: p.Submission, CanViewReadinessReasons: true, IncludeEvidence: "files"})
		if err != nil {
			return err
		}
		spare, err := desk.Create(t.Context(), tx, glassbox.LinkInput{SubmissionID: p.Submission})
		g = glassPlace{SpareLink: spare.ID, LinkToken: made.Token}
		if err != nil {
			return err
		}
		report, err := reportlink.NewDesk(app.Authority, c.HTTP.BaseURL).Create(t.Context(), tx, reportlink.Input{Subject: reportlink.Subject{
			Report: reportlink.Summary, EvaluationVersionID: &p.EvaluationVersion}})
		g.ReportLink = report.ID
		return err
	})
	return g
}

func init() {
	submission := func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Submission} }
	file := func(p place) map[string]ids.ID {
		return map[string]ids.ID{"id": p.Submission, "evidenceId": p.Evidence}
	}
	maps.Copy(noun, map[string]func(place) map[string]ids.ID{
		"createGlassBoxLink": submission, "listGlassBoxLinks": submission, "revokeGlassBoxLinks": func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.OwnSubmission} },
		"revokeGlassBoxLink": func(p place) map[string]ids.ID { return map[string]ids.ID{"id": p.Submission, "linkId": p.SpareLink} },
		"viewGlassBox":       submission, "exportGlassBox": submission, "readGlassBoxFile": file,
		"viewGlassBoxAlias": submission, "exportGlassBoxAlias": submission, "readGlassBoxFileAlias": file,
	})
	noun["revokeReportLink"] = func(p place) map[string]ids.ID { return map[string]ids.ID{"linkId": p.ReportLink} }
	body["createReportLink"] = func(p place) any {
		return map[string]any{"report": "evaluation_summary", "evaluationVersionId": p.EvaluationVersion}
	}
	body["createGlassBoxLink"] = func(place) any {
		return map[string]any{"canViewReadinessReasons": true, "includeEvidence": "hashes"}
	}
}
