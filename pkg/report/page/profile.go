package page

import (
	"fmt"

	"assess/pkg/kernel/wire"
	"assess/pkg/report/skills"
)

// Profile draws what a person can do, and the newest evidence behind each figure.
func Profile(p skills.Explained) Page {
	drawn := Page{Kind: "Skills profile", Name: p.User.Name, AsOf: asOf(p.AsOf, p.ProjectionLagMs),
		Foot: "Each figure can be followed down to the answers that it rests on; the ids of these are in the details."}
	if drawn.Name == "" {
		drawn.Name = p.User.Email
	}
	evidence, sure := 0, 0
	figures := &Table{Header: head("Skill", "Figure", "Level", "Confidence", ">Trend", ">Evidence", ">Newest"), Empty: "There is no evidence of any skill yet."}
	for _, f := range p.Items {
		evidence += f.EvidenceCount
		if f.Confidence == skills.High {
			sure++
		}
		level := Cell{Text: none}
		if f.Level != nil {
			level = words(f.Level.Name)
		}
		figures.Rows = append(figures.Rows, []Cell{skillName(f), bar(&f.Value, Plain), level, words(wire.Words(f.Confidence)), trend(f.Trend),
			figure(whole(f.EvidenceCount)), figure(moment(f.LastEvidenceAt))})
	}
	drawn.Tiles = []Tile{
		{Label: "Skills", Value: whole(p.Total), Note: fmt.Sprintf("%d on this page", len(p.Items))},
		{Label: "Evidence", Value: whole(evidence), Note: "Item attempts behind the figures of this page"},
		{Label: "High confidence", Value: whole(sure), Note: "Figures that rest on 20 item attempts or more"},
	}
	drawn.Parts = []Part{{Heading: "Skills", Note: "A figure is a share of what could be earned, put together as the mapping of the skill has it. The trend is what the newest submission is above or below all before it.", Table: figures, Wide: true}}
	for i, f := range p.Items {
		// A skill has one figure for each org unit; they are shown side by side.
		if i > 0 && p.Items[i-1].SkillID == f.SkillID {
			continue
		}
		total := 0
		for _, same := range p.Items[i:] {
			if same.SkillID == f.SkillID {
				total += same.EvidenceCount
			}
		}
		drawn.Parts = append(drawn.Parts, behindFigure(f.Name, p.Behind[f.SkillID], total))
	}
	return drawn
}

func skillName(f skills.Figure) Cell {
	name := label(f.Name)
	if f.Code != nil {
		name.Note = *f.Code
	}
	return name
}

func trend(change *float64) Cell {
	switch {
	case change == nil:
		return figure(none)
	case *change > 0:
		return Cell{Text: "▲ " + percent(change), Tone: Good, Right: true}
	case *change < 0:
		return Cell{Text: "▼ " + percent(change), Tone: Bad, Right: true}
	}
	return figure("= " + percent(change))
}

func behindFigure(skill string, facts []skills.Fact, total int) Part {
	t := &Table{Header: head(">When", "Evaluation", "Earned", ">Weight", "Counts by"), Empty: "No evidence is shown."}
	for _, fact := range facts {
		by := words(fact.RuleType)
		if fact.TermLabel != nil {
			by = Cell{Text: *fact.TermLabel, Note: fact.RuleType}
		}
		t.Rows = append(t.Rows, []Cell{figure(moment(fact.CompletedAt)), {Text: fact.EvaluationTitle, Label: true, ID: fact.SubmissionItemID.String()}, bar(fact.Value, Plain),
			figure(wire.Points(fact.Weight)), by})
	}
	return Part{Heading: "Behind " + skill, Note: fmt.Sprintf("The newest %d of %d item attempts.", len(facts), total), Table: t, Wide: true}
}
