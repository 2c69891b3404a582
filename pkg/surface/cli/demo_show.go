package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/page"
	"assess/pkg/report/reporting"
	"assess/pkg/surface/replay"
)

// Demonstration is the output of a replay: the figures as the candidates left them, and the result for
// a question that was keyed wrong, if there was one.
type Demonstration struct {
	Tenant string        `json:"tenant"`
	Token  string        `json:"token"`
	Replay replay.Result `json:"replay"`
	Figures
	Mended *Mended `json:"mended,omitempty"`
}

// Figures are the reports of an exam.
type Figures struct {
	Summary reporting.EvaluationSummary `json:"summary"`
	Groups  []reporting.GroupSummary    `json:"groups" nullable:"false"`
	Health  []reporting.HealthRow       `json:"health" nullable:"false"`

	groups reporting.GroupSummaries
}

// of gives the health of one question.
func (f Figures) of(question ids.ID) reporting.HealthRow {
	at := slices.IndexFunc(f.Health, func(r reporting.HealthRow) bool { return r.QuestionVersionID == question })
	if at < 0 {
		return reporting.HealthRow{QuestionVersionID: question}
	}
	return f.Health[at]
}

// page draws them, groups only where there are any.
func (f Figures) page() page.Page {
	p := page.Exam(f.Summary, f.Health)
	if len(f.Groups) > 0 {
		p.Parts = append(p.Parts, page.Groups(f.groups).Parts...)
	}
	return p
}

func (h *demoHost) figures(ctx context.Context, version ids.ID) (Figures, error) {
	var f Figures
	err := h.store.Report(ctx, h.scope, func(tx *db.Tx) error {
		in := reporting.SummaryInput{EvaluationVersionID: version}
		var err error
		f.Summary, err = reporting.Summary(ctx, tx, in)
		if err != nil {
			return err
		}
		f.groups, err = reporting.SummaryGroups(ctx, tx, reporting.SummaryListInput{SummaryInput: in, Page: db.Page{Page: 1, Limit: db.MaxLimit}})
		f.Groups = f.groups.Items
		if err != nil {
			return err
		}
		list, err := reporting.ListHealth(ctx, tx, reporting.HealthFilter{EvaluationVersionID: version, Page: db.Page{Limit: db.MaxLimit}})
		f.Health = list.Items
		return err
	})
	return f, err
}

func (s *Shell) showDemo(ctx context.Context, h *demoHost, result replay.Result, o demoOptions) error {
	version, err := ids.Parse("evaluationVersionId", result.EvaluationVersionID)
	if err != nil {
		return err
	}
	d := Demonstration{Tenant: h.slug, Replay: result}
	d.Token, err = h.token(ctx)
	if err != nil {
		return err
	}
	d.Figures, err = h.figures(ctx, version)
	if err != nil {
		return err
	}
	last := d.Figures
	if o.mistake.item != "" {
		mended, isNew, err := s.mendDemo(ctx, h, version, d, o)
		if err != nil {
			return err
		}
		if isNew {
			d.Mended, last = &mended, mended.After
		}
	}
	err = s.Show(d, func(screen *Screen) error { return drawDemo(screen, d, o.url) })
	if err != nil || o.html == "" {
		return err
	}
	return s.writePage(o.html, last.page())
}

// mendDemo mends the key, and keeps a page of how it was. It gives false when an earlier demonstration
// mended it.
func (s *Shell) mendDemo(ctx context.Context, h *demoHost, version ids.ID, d Demonstration, o demoOptions) (Mended, bool, error) {
	m := Mended{Question: o.mistake.item, KeyedAs: o.mistake.wrong, Key: o.mistake.right}
	question, err := ids.Parse("questionVersionId", d.Replay.QuestionVersionIDs[m.Question])
	if err != nil {
		return m, false, err
	}
	var isNew bool
	m.Remediation, isNew, err = h.mend(ctx, version, question, o.mistake)
	if err != nil {
		return m, false, err
	}
	if !isNew {
		s.Note("The key of %s was mended by an earlier demonstration.", m.Question)
		return m, false, nil
	}
	if o.html != "" {
		err = s.writePage(strings.TrimSuffix(o.html, ".html")+"-before.html", d.Figures.page())
		if err != nil {
			return m, false, err
		}
	}
	m.After, err = h.figures(ctx, version)
	return m, true, err
}

func drawDemo(screen *Screen, d Demonstration, url string) error {
	err := drawSummary(screen, d.Summary)
	if err != nil {
		return err
	}
	if len(d.Groups) > 0 {
		screen.heading("Groups")
		err = Table(screen, d.Groups, rowColumns(screen, "Group", func(g reporting.GroupSummary) (string, reporting.SummaryRow) {
			if g.Label == nil {
				return g.GroupID.String(), g.SummaryRow
			}
			return *g.Label, g.SummaryRow
		})...)
		if err != nil {
			return err
		}
	}
	items := map[string]string{}
	for item, version := range d.Replay.QuestionVersionIDs {
		items[version] = item
	}
	columns := healthColumns(screen) // the last two are ids and names
	columns = append(columns[:len(columns)-2], Column[reporting.HealthRow]{Header: "Question", Cell: func(r reporting.HealthRow) string {
		return items[r.QuestionVersionID.String()]
	}})
	screen.heading("Health of the questions, the worst first")
	err = Table(screen, d.Health, columns...)
	if err != nil {
		return err
	}
	if d.Mended != nil {
		err = drawMended(screen, d.Figures, *d.Mended)
		if err != nil {
			return err
		}
	}
	screen.heading("Try next")
	_, err = fmt.Fprintf(screen, `export TOKEN=%s
curl -H "Authorization: Bearer $TOKEN" "%s/api/v1/reporting/evaluation-summary?evaluationVersionId=%s"
curl -H "Authorization: Bearer $TOKEN" "%s/api/v1/reporting/question-health?sort=highest_omit&limit=5"
assessctl report question %s --tenant %s --all-orgs
`, d.Token, url, d.Replay.EvaluationVersionID, url, d.Health[0].QuestionVersionID, d.Tenant)
	return err
}
