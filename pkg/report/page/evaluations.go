package page

import (
	"fmt"
	"strings"

	"assess/pkg/kernel/plural"
	"assess/pkg/report/reporting"
)

// Evaluations draws the list of evaluations that have reports. Search is the part of the title that
// the reader searched for.
func Evaluations(r reporting.ReportedEvaluations, search string) Page {
	p := Page{Kind: "Reports", Name: "Evaluations with attempts", AsOf: asOf(r.AsOf, r.ProjectionLagMs)}
	p.Paging = Paging{r.Page, r.Limit, r.Total}
	if search != "" {
		p.Lines = append(p.Lines, "With “"+search+"” in the title.")
	}
	if r.Total > len(r.Items) {
		p.Lines = append(p.Lines, fmt.Sprintf("%d of %s: page %d.", len(r.Items), plural.Of(int64(r.Total), "evaluation version"), r.Page))
	}
	t := &Table{Header: head("Evaluation", ">Version", ">Started", ">Completed", ">Newest attempt"), Empty: "There are no attempts."}
	for _, e := range r.Items {
		name, version, day := Cell{Text: e.EvaluationVersionID.String(), Code: true, Label: true}, none, none
		if e.Title != nil && e.VersionNumber != nil {
			name, version = Cell{Text: *e.Title, ID: e.EvaluationVersionID.String(), Label: true}, fmt.Sprint(*e.VersionNumber)
		}
		name.At = summaryAt("", e.EvaluationVersionID.String())
		if e.LastDay != nil {
			day = *e.LastDay
		}
		t.Rows = append(t.Rows, []Cell{name, figure(version), figure(whole(e.Started)), figure(whole(e.Completed)), figure(day)})
	}
	p.Parts = []Part{{Heading: "Versions", Note: "The newest version first.", Wide: true, Table: t}}
	return p
}

// About adds to a description what a filter of question health chooses: run, tags and period.
func About(f reporting.HealthFilter, about string) string {
	if f.RunLabel != nil {
		about += ", " + Run(*f.RunLabel)
	}
	if len(f.Tags) > 0 {
		about += ", " + strings.Join(f.Tags, " and ")
	}
	if f.From != nil {
		about += ", from " + moment(*f.From)
	}
	if f.To != nil {
		about += ", until " + moment(*f.To)
	}
	return about
}
