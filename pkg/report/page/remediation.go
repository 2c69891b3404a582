package page

import (
	"fmt"

	"assess/models"
	"assess/pkg/exam/remediation"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
	"assess/pkg/kernel/wire"
)

// Remediations draws a list of corrections. questions says what the questions are called.
func Remediations(list db.List[remediation.Remediation], questions map[ids.ID]string) Page {
	p := Page{Kind: "Remediations", Name: "Corrections of questions"}
	p.Paging = Paging{list.Page, list.Limit, list.Total}
	p.Choices = []Choice{{Label: "Show", Param: "state", Values: []Value{{"all", ""}, {"drafts", models.RemediationDraft}, {"what is applied", models.RemediationApplied}, {"what was taken back", models.RemediationReverted}}}}
	t := &Table{Header: head("Question", "What it does", "State", ">Submissions", ">Changed", ">Last change"), Empty: "There are no corrections."}
	for _, r := range list.Items {
		t.Rows = append(t.Rows, []Cell{{Text: orNone(questions[r.QuestionVersionID]), Label: true, ID: r.ID.String(), At: remediationsAt + "/" + r.ID.String()}, words(wire.Words(r.Rule)),
			toned(wire.Words(r.State), stateTone(r.State)), figure(whole(r.Submissions)), figure(whole(r.Changed)), figure(moment(r.UpdatedAt))})
	}
	p.Parts = []Part{{Heading: "Remediations", Note: "The newest comes first.", Table: t, Wide: true}}
	p.Foot = "Remediations are drafted, applied and taken back over the interface and with assessctl remediation."
	return p
}

func stateTone(state string) Tone {
	switch state {
	case models.RemediationApplied:
		return Good
	case models.RemediationFailed:
		return Bad
	case models.RemediationDraft, models.RemediationReverted:
		return Faint
	}
	return Warning
}

// Remediation draws a correction, with its changes, before and after, side by side. seen is the preview of the next step,
// nil while submissions are being corrected: for an applied one it says what taking it back would do. people gives the
// names of people.
func Remediation(r remediation.Remediation, seen *remediation.Preview, question string, people map[ids.ID]string) Page {
	p := Page{Kind: "Remediation", Name: orNone(question), Lines: []string{"It says: " + wire.Words(r.Rule) + ".", "Why: " + r.Reason},
		Details: []Detail{{"Remediation", r.ID.String()}, {"Question version", r.QuestionVersionID.String()}}}
	p.Crumbs = []Link{{Text: "Remediations", At: remediationsAt}}
	p.Links = []Link{{Text: "The question", At: questionAt(r.QuestionVersionID.String())}}
	if r.EvaluationVersionID != nil {
		p.Links = append(p.Links, Link{Text: "The exam", At: summaryAt("", r.EvaluationVersionID.String())})
		p.Details = append(p.Details, Detail{"Evaluation version", r.EvaluationVersionID.String()})
	}
	p.Tiles = []Tile{{Label: "State", Value: wire.Words(r.State), Tone: stateTone(r.State)}}
	if seen == nil {
		p.Tiles = append(p.Tiles, Tile{Label: "Seen", Value: whole(r.Done), Note: "of " + plural.Of(int64(r.Submissions), "submission")})
		p.Notices = []Notice{{Tone: Warning, Text: "Submissions are being corrected. Load the page again to see how far it is."}}
		return p
	}
	applied := seen.Action == remediation.ActionRevert
	raised, lowered := seen.Raised, seen.Lowered
	heading, note := "What applying it would change", "Nothing is changed yet. Before is how it is now."
	if applied {
		raised, lowered = lowered, raised
		heading, note = "What it changed", "After is how it is now; taking it back leads to before."
	}
	p.Tiles = append(p.Tiles, Tile{Label: "Submissions", Value: whole(seen.Submissions)}, Tile{Label: "Changed", Value: whole(seen.Changed)},
		Tile{Label: "Raised", Value: whole(raised), Note: "a greater share of the maximum"}, Tile{Label: "Lowered", Value: whole(lowered), Note: "a smaller share of it"})
	outcomes := &Table{Header: head("Outcome before", "Outcome after", ">Submissions"), Empty: "No outcome changes."}
	for _, f := range seen.Flips {
		before, after := f.From, f.To
		if applied {
			before, after = after, before
		}
		outcomes.Rows = append(outcomes.Rows, []Cell{{Text: before, Tone: outcomeTone(before), Label: true}, toned(after, outcomeTone(after)), figure(whole(f.Count))})
	}
	t := &Table{Header: head("Person", "Before", "After", "The question before", "The question after"), Empty: "No score changes."}
	for i, a := range seen.Affected.Items {
		before, after := a.Before, a.After
		if applied {
			before, after = after, before
		}
		name := people[a.UserID]
		if name == "" {
			name = fmt.Sprintf("Attempt %d", i+1)
		}
		t.Rows = append(t.Rows, []Cell{{Text: name, Label: true, ID: a.SubmissionID.String(), At: attemptAt(a.SubmissionID.String()), Needs: Named},
			worth(before), worth(after), worthOfItem(before), worthOfItem(after)})
	}
	if seen.Affected.Total > len(t.Rows) {
		note += fmt.Sprintf(" The first %d of %d.", len(t.Rows), seen.Affected.Total)
	}
	p.Parts = []Part{{Heading: "Outcomes", Table: outcomes}, {Heading: heading, Note: note, Table: t, Wide: true}}
	return p
}

func worth(s remediation.Standing) Cell {
	return Cell{Text: wire.Points(s.Score) + " of " + wire.Points(s.MaxScore), Note: s.OutcomeCode, Tone: outcomeTone(s.OutcomeCode)}
}

func worthOfItem(s remediation.Standing) Cell {
	if s.ItemStatus == "SCORED" {
		return words(wire.Points(s.ItemScore) + " of " + wire.Points(s.ItemMaxScore))
	}
	return toned(wire.Words(s.ItemStatus), Faint)
}
