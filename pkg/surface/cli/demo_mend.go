package cli

import (
	"context"
	"fmt"
	"strings"

	"assess/models"
	"assess/pkg/exam/remediation"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
	"assess/pkg/report/reporting"
	"assess/pkg/surface/demo"
)

// In the demonstration the author of this question keyed the answer that pours water into the acid.
const wrongItem, wrongKey = "CHE02", "A"

// mistake is an item that is keyed wrong, and the key that it should have.
type mistake struct{ item, wrong, right string }

// withMistake gives the sample with one wrong key.
func withMistake(sample demo.Dataset) (demo.Dataset, mistake, error) {
	m := mistake{item: wrongItem, wrong: wrongKey}
	for _, item := range sample.Items {
		if item.ID == wrongItem {
			m.right = item.Key
		}
	}
	wrong, err := sample.Miskeyed(m.item, m.wrong)
	return wrong, m, err
}

// Mended is the result for a question that was keyed wrong.
type Mended struct {
	Question    string                  `json:"question"`
	KeyedAs     string                  `json:"keyedAs"`
	Key         string                  `json:"key"`
	Remediation remediation.Remediation `json:"remediation"`
	After       Figures                 `json:"after"`
}

// mend scores a question with another key for everybody, as assessctl remediation create and apply do.
// It gives false when an earlier demonstration did so.
func (h *demoHost) mend(ctx context.Context, version, question ids.ID, m mistake) (remediation.Remediation, bool, error) {
	var r remediation.Remediation
	isNew := false
	err := h.store.Write(ctx, h.scope, func(tx *db.Tx) error {
		isNew = false
		earlier, err := remediation.List(ctx, tx, remediation.Filter{EvaluationVersionID: version, Page: db.Page{Page: 1, Limit: 1}})
		if err != nil {
			return err
		}
		if len(earlier.Items) > 0 {
			r = earlier.Items[0]
			return nil
		}
		isNew = true
		r, err = remediation.Create(ctx, tx, remediation.Input{EvaluationVersionID: &version, QuestionVersionID: question, Rule: remediation.RuleRekey,
			Parameters: remediation.Parameters{CorrectOptionIDs: strings.Split(m.right, "")}, Reason: "The key was wrong: the acid goes into the water."})
		if err != nil {
			return err
		}
		r, err = remediation.Apply(ctx, tx, r.ID)
		return err
	})
	if err != nil || r.State == models.RemediationApplied {
		return r, isNew, err
	}
	r, err = remediation.Run(ctx, h.store, h.scope.Tenant, r.ID, nil)
	if err != nil {
		return r, isNew, err
	}
	return r, isNew, h.settle(ctx)
}

// beforeOrAfter is one line of before and after.
type beforeOrAfter struct {
	when    string
	row     reporting.HealthRow
	summary reporting.EvaluationSummary
}

func drawMended(screen *Screen, before Figures, m Mended) error {
	screen.heading("Mended before your eyes")
	_, err := fmt.Fprint(screen, screen.indented(fmt.Sprintf(
		"%s is among the worst: it is keyed %s, and most chose %s, as they should have. A remediation scored it with %s for everybody; %d of %d submissions have new scores, and the old ones stay on record.",
		m.Question, m.KeyedAs, m.Key, m.Key, m.Remediation.Changed, m.Remediation.Submissions), 0), "\n")
	if err != nil {
		return err
	}
	question := m.Remediation.QuestionVersionID
	return Table(screen, []beforeOrAfter{{"before", before.of(question), before.Summary}, {"after", m.After.of(question), m.After.Summary}},
		Column[beforeOrAfter]{Header: "Question", Cell: func(s beforeOrAfter) string { return m.Question + " " + s.when }},
		Column[beforeOrAfter]{Header: "Health", Cell: func(s beforeOrAfter) string { return projection.Called(s.row.HealthBadge.Status) },
			Colour: func(s beforeOrAfter) Colour { return badgeColour(s.row.HealthBadge.Status) }},
		Column[beforeOrAfter]{Header: "Facility", Cell: func(s beforeOrAfter) string { return screen.bar(s.row.Core.FacilityPct) }},
		Column[beforeOrAfter]{Header: "Exam passed", Cell: func(s beforeOrAfter) string { return percent(s.summary.Hero.PassRate) }, Align: Right},
		Column[beforeOrAfter]{Header: "Mean score", Cell: func(s beforeOrAfter) string { return percent(s.summary.Hero.MeanScorePct) }, Align: Right})
}
