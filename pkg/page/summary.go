package page

import (
	"fmt"

	"assess/pkg/reporting"
)

// Summary draws an evaluation summary. Name is the title of the evaluation.
func Summary(r reporting.EvaluationSummary, name string) Page {
	p := Page{Kind: "Evaluation summary", Name: name, AsOf: asOf(r.AsOf, r.ProjectionLagMs),
		Lines: append([]string{"Evaluation version " + r.Scope.EvaluationVersionID.String()}, Filters(r.Scope.FiltersApplied)...)}
	p.Tiles = []Tile{
		{Label: "Pass rate", Value: percent(r.Hero.PassRate), Note: fmt.Sprintf("%d of %d graded", r.Outcomes.PassN, r.Outcomes.GradedN)},
		{Label: "Mean score", Value: percent(r.Hero.MeanScorePct), Note: "of the maximum"},
		{Label: "Completed", Value: whole(r.Attempts.Completed), Note: r.Hero.CompletionRateDisplay},
		{Label: "People", Value: whole(r.Attempts.UniqueUsers), Note: "different people who started"},
	}
	if r.Hero.ProvisionalScoreAvailable {
		p.Notices = append(p.Notices, Notice{Tone: Warning, Label: "Provisional", Text: r.Hero.ProvisionalScoreNote})
	}
	p.Parts = []Part{attempts(r.Attempts), outcomes(r.Outcomes, r.Attempts.Completed), scores("Scores of graded attempts", "Of graded attempts", r.Scores.Histogram, r.Scores.HistogramSpec)}
	return p
}

// Filters has a sentence for each filter that narrowed the figures.
func Filters(f reporting.FiltersApplied) []string {
	var lines []string
	if f.RunLabel != nil {
		lines = append(lines, "Only the run "+*f.RunLabel+".")
	}
	if f.From != nil {
		lines = append(lines, "Only from "+moment(*f.From)+" on.")
	}
	if f.To != nil {
		lines = append(lines, "Only until "+moment(*f.To)+".")
	}
	return lines
}

// attempts leaves expired ones out of the bar: what they had saved was submitted, so they
// are among the completed.
func attempts(a reporting.Attempts) Part {
	s := &Stack{Title: "Attempts by their state", Labels: []string{"completed", "in progress", "closed", "abandoned"},
		Values: []int64{a.Completed, a.InProgress, a.Closed, a.Abandoned}, Tones: []Tone{Good, Plain, Faint, Bad}}
	t := counted("State", "Of started attempts", a.Started, s.Labels, s.Values, s.Tones)
	t.Rows = append(t.Rows, []Cell{label("time ran out"), figure(whole(a.Expired)), bar(share(a.Expired, a.Started), Warning)})
	return Part{Heading: "Attempts", Note: fmt.Sprintf("%d were started. Where the time ran out, what was saved was submitted.", a.Started), Stack: s, Table: t}
}

func outcomes(o reporting.Outcomes, completed int64) Part {
	s := &Stack{Title: "Completed attempts by outcome", Labels: []string{"pass", "fail", "no outcome"},
		Values: []int64{o.PassN, o.FailN, o.UngradedN}, Tones: []Tone{Good, Bad, Faint}}
	return Part{Heading: "Outcomes", Stack: s, Table: counted("Outcome", "Of completed attempts", completed, s.Labels, s.Values, s.Tones)}
}

func scores(heading, of string, histogram []int64, spec []reporting.HistogramRange) Part {
	c := &Columns{Title: heading, Axis: "share of the maximum, in percent", Values: histogram}
	total := int64(0)
	for i, r := range spec {
		c.Labels = append(c.Labels, fmt.Sprintf("%.0f–%.0f", r.FromPct*100, r.ToPct*100))
		total += histogram[i]
	}
	if total == 0 {
		return Part{Heading: heading, Note: "There are none yet."}
	}
	return Part{Heading: heading, Columns: c, Table: counted("Score, %", of, total, c.Labels, c.Values, nil)}
}
