package cli

import (
	"context"
	"fmt"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/page"
	"assess/pkg/report/reporting"
	"assess/pkg/surface/replay"
)

// Demonstration is what a replay printed.
type Demonstration struct {
	Tenant  string                      `json:"tenant"`
	Token   string                      `json:"token"`
	Replay  replay.Result               `json:"replay"`
	Summary reporting.EvaluationSummary `json:"summary"`
	Health  []reporting.HealthRow       `json:"health" nullable:"false"`
}

func (s *Shell) showDemo(ctx context.Context, h *demoHost, result replay.Result, o demoOptions) error {
	version, err := ids.Parse("evaluationVersionId", result.EvaluationVersionID)
	if err != nil {
		return err
	}
	token, err := h.token(ctx)
	if err != nil {
		return err
	}
	d := Demonstration{Tenant: h.slug, Token: token, Replay: result}
	err = h.store.Report(ctx, h.scope, func(tx *db.Tx) error {
		d.Summary, err = reporting.Summary(ctx, tx, reporting.SummaryInput{EvaluationVersionID: version})
		if err != nil {
			return err
		}
		list, err := reporting.ListHealth(ctx, tx, reporting.HealthFilter{EvaluationVersionID: version, Page: db.Page{Limit: db.MaxLimit}})
		d.Health = list.Items
		return err
	})
	if err != nil {
		return err
	}
	err = s.Show(d, func(screen *Screen) error { return drawDemo(screen, d, o.url) })
	if err != nil || o.html == "" {
		return err
	}
	return s.writePage(o.html, page.Exam(d.Summary, d.Health))
}

func drawDemo(screen *Screen, d Demonstration, url string) error {
	err := drawSummary(screen, d.Summary)
	if err != nil {
		return err
	}
	items := map[string]string{}
	for item, version := range d.Replay.QuestionVersionIDs {
		items[version] = item
	}
	columns := healthColumns(screen) // the last two are ids and names
	columns = append(columns[:len(columns)-2], Column[reporting.HealthRow]{Header: "Question", Cell: func(r reporting.HealthRow) string {
		return items[r.QuestionVersionID.String()]
	}})
	screen.heading("Health of the questions")
	err = Table(screen, d.Health, columns...)
	if err != nil {
		return err
	}
	screen.heading("Try next")
	_, err = fmt.Fprintf(screen, `export TOKEN=%s
curl -H "Authorization: Bearer $TOKEN" "%s/api/v1/reporting/evaluation-summary?evaluationVersionId=%s"
curl -H "Authorization: Bearer $TOKEN" "%s/api/v1/reporting/question-health?sort=highest_omit&limit=5"
assessctl report question %s --tenant %s --all-orgs
`, d.Token, url, d.Replay.EvaluationVersionID, url, d.Health[0].QuestionVersionID, d.Tenant)
	return err
}
