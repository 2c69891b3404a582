package page

import (
	"fmt"

	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
	"assess/pkg/kernel/wire"
	"assess/pkg/report/reporting"
)

// Attempts draws the attempts at an evaluation version, by name.
func Attempts(list db.List[submission.Summary], version ids.ID, title string, f reporting.FiltersApplied, group *string) Page {
	if len(list.Items) > 0 {
		title = list.Items[0].EvaluationTitle // as it was taken
	}
	p := Page{Kind: "Attempts", Name: title, Lines: filterLines(f, group), Details: []Detail{{"Evaluation version", version.String()}}}
	if p.Name == "" {
		p.Name = version.String()
	}
	p.Paging = Paging{list.Page, list.Limit, list.Total}
	p.Lines = append(p.Lines, plural.Of(int64(list.Total), "attempt")+", the newest first.")
	p.Crumbs = []Link{{Text: "Reports", At: reportsAt}, {Text: p.Name, At: summaryAt("", version.String()), Carry: sameAttempts}}
	p.Links = []Link{{Text: "Questions", At: ofVersion(healthAt, version.String()), Carry: sameQuestions}}
	if len(list.Items) > 0 {
		p.Links = append(p.Links, Link{Text: "Export (CSV)", At: ofVersion("/evaluations/"+list.Items[0].EvaluationID.String()+"/submissions/export", version.String()), Carry: append([]string{"outcome"}, sameAttempts...)})
	}
	p.Choices = []Choice{{Label: "Show", Param: "outcome", Values: []Value{{"all", ""}, {"passed", "pass"}, {"failed", "fail"}, {"without an outcome", "incomplete"}}}}
	t := &Table{Header: head("Person", "Outcome", ">Score", "Status", "Run", ">Handed in"), Empty: "There are no such attempts."}
	for i, s := range list.Items {
		who := Cell{Text: s.UserName, Label: true, ID: s.ID.String(), At: attemptAt(s.ID.String())}
		if who.Text == "" {
			who.Text = fmt.Sprintf("Attempt %d, without a name", (list.Page-1)*list.Limit+i+1)
		}
		run := words(none)
		if s.RunLabel != nil {
			run = words(*s.RunLabel)
		}
		t.Rows = append(t.Rows, []Cell{who, toned(s.OutcomeLabel, outcomeTone(s.OutcomeCode)), figure(wire.Points(s.Score) + " of " + wire.Points(s.MaxScore)),
			words(standing(s.Status, s.ApprovalStatus)), run, figure(moment(s.CompletedAt))})
	}
	p.Parts = []Part{{Heading: "Attempts", Table: t, Wide: true}}
	p.Foot = "Whose processing is restricted is here without a name."
	return p
}
