package page

import (
	"fmt"

	"assess/pkg/kernel/plural"
	"assess/pkg/kernel/wire"
	"assess/pkg/report/reporting"
)

// titleOf is the title of the evaluation version, or its id if nobody knows the title.
func titleOf(s reporting.SummaryScope) string {
	if s.Title == nil {
		return s.EvaluationVersionID.String()
	}
	return *s.Title
}

// Summary draws an evaluation summary.
func Summary(r reporting.EvaluationSummary) Page {
	p := Page{Kind: "Evaluation summary", Name: titleOf(r.Scope), AsOf: asOf(r.AsOf, r.ProjectionLagMs), Lines: scopeLines(r.Scope), Details: scopeIDs(r.Scope)}
	version := r.Scope.EvaluationVersionID.String()
	p.Crumbs = []Link{{Text: "Reports", At: reportsAt}}
	if r.Scope.FiltersApplied != (reporting.FiltersApplied{}) {
		p.Crumbs = append(p.Crumbs, Link{Text: p.Name, At: summaryAt("", version)})
	}
	p.Links = []Link{{Text: "Its questions", At: ofVersion(healthAt, version), Carry: sameQuestions}, {Text: "Attempts", At: ofVersion(attemptsAt, version), Carry: sameAttempts, Needs: Named},
		{Text: "Groups", At: summaryAt("/groups", version), Carry: append([]string{"run_label"}, samePeriod...)}, {Text: "Runs", At: summaryAt("/cohorts", version), Carry: append([]string{"groupId"}, samePeriod...)},
		{Text: "Export (CSV)", At: summaryAt("/export", version), Carry: sameAttempts}, {Text: "Share", At: ofVersion(shareAt, version) + "&report=evaluation_summary", Carry: append([]string{"scope"}, sameAttempts...)}}
	p.Tiles = []Tile{
		{Label: "Pass rate", Value: percent(r.Hero.PassRate), Note: fmt.Sprintf("%d of %d graded", r.Outcomes.PassN, r.Outcomes.GradedN)},
		{Label: "Mean score", Value: percent(r.Hero.MeanScorePct), Note: "of the maximum, over " + wire.Words(r.Hero.ScoreShownDenominator)},
		{Label: "Completed", Value: whole(r.Attempts.Completed), Note: r.Hero.CompletionRateDisplay},
		{Label: "People", Value: whole(r.Attempts.UniqueUsers), Note: "different people who started"},
		{Label: "Median time", Value: duration(r.Timing.MedianDurationMs), Note: "mean " + duration(r.Timing.AvgDurationMs)},
		{Label: "Attention", Value: wire.Words(r.Attention.Level), Tone: levelTone(r.Attention.Level), Note: "a heuristic, from 10 attempts on"},
	}
	for _, reason := range r.Attention.Reasons {
		p.Notices = append(p.Notices, Notice{Tone: levelTone(reason.Level), Text: reason.Sentence})
	}
	if r.Hero.ProvisionalScoreAvailable {
		p.Notices = append(p.Notices, Notice{Tone: Warning, Label: "Provisional", Text: r.Hero.ProvisionalScoreNote})
	}
	p.Parts = []Part{scores("Scores of graded attempts", "Of graded attempts", r.Scores.Histogram, r.Scores.HistogramSpec, r.Scores.NothingToEarnN, r.Scope.PassMarkPercent)}
	if r.Hero.ProvisionalScoreAvailable {
		p.Parts = append(p.Parts, scores("Scores of all scored attempts (provisional)", "Of scored attempts", r.ScoresProvisional.Histogram, r.ScoresProvisional.HistogramSpec, r.ScoresProvisional.NothingToEarnN, r.Scope.PassMarkPercent))
	}
	p.Parts = append(p.Parts, outcomes(r.Outcomes, r.Attempts.Completed), attempts(r.Attempts), funnel(r))
	p.Parts = append(p.Parts, items(r.Tags, r.Sections)...)
	p.Parts = append(p.Parts, methods(r.CompletionMethods), integrity(r.Integrity), population(r))
	return p
}

// scopeIDs are the ids of what a summary is about.
func scopeIDs(s reporting.SummaryScope) []Detail {
	return []Detail{{"Evaluation", s.EvaluationID.String()}, {"Evaluation version", s.EvaluationVersionID.String()}}
}

func scopeLines(s reporting.SummaryScope) []string {
	var lines []string
	if s.Scope == reporting.AllVersions {
		lines = append(lines, "All versions of the evaluation.")
	} else if s.VersionNumber != nil {
		lines = append(lines, fmt.Sprintf("Version %d.", *s.VersionNumber))
	}
	return append(lines, filterLines(s.FiltersApplied, s.GroupName)...)
}

// filterLines say which attempts of an evaluation were chosen.
func filterLines(f reporting.FiltersApplied, group *string) []string {
	var lines []string
	if f.RunLabel != nil {
		lines = append(lines, "Only "+Run(*f.RunLabel)+".")
	}
	switch {
	case group != nil:
		lines = append(lines, "Only the group "+*group+".")
	case f.GroupID != nil:
		lines = append(lines, "Only the group "+f.GroupID.String()+".")
	}
	if f.From != nil {
		lines = append(lines, "Only from "+moment(*f.From)+" on.")
	}
	if f.To != nil {
		lines = append(lines, "Only until "+moment(*f.To)+".")
	}
	return lines
}

// funnel draws each step in relation to the attempts that were started.
func funnel(r reporting.EvaluationSummary) Part {
	f, heading := r.Funnel, "From the invitation to the end"
	if f.AccessPoints == 0 && f.Started == 0 {
		return Part{Heading: heading, Note: "Nobody is invited, and nobody has started."}
	}
	t := &Table{Header: head("Step", ">Number", "Of started attempts"), Rows: [][]Cell{
		{label("ways in (assignments)"), figure(whole(f.AccessPoints)), words("")},
		{label("not started"), figure(orNone(wholeOrNil(f.NotStarted))), {Text: f.NotStartedDisplay}},
		{label("started"), figure(whole(f.Started)), bar(share(f.Started, f.Started), Plain)},
		{label("in progress"), figure(whole(f.InProgress)), bar(share(f.InProgress, f.Started), Plain)},
		{label("time ran out"), figure(whole(f.Expired)), bar(share(f.Expired, f.Started), Warning)},
		{label("completed"), figure(whole(f.Completed)), bar(f.CompletionRate, Good)}}}
	return Part{Heading: heading, Note: "When the time ran out, what had been saved was submitted: these attempts are among the completed ones.", Table: t}
}

func wholeOrNil(n *int64) string {
	if n == nil {
		return ""
	}
	return whole(*n)
}

// attempts leaves expired ones out of the bar: they were submitted with what was saved, so they
// are among the completed.
func attempts(a reporting.Attempts) Part {
	if a.Started == 0 {
		return Part{Heading: "Attempts", Note: "None was started yet."}
	}
	s := &Stack{Title: "Attempts by their state", Labels: []string{"completed", "in progress", "closed", "abandoned"},
		Values: []int64{a.Completed, a.InProgress, a.Closed, a.Abandoned}, Tones: []Tone{Good, Plain, Faint, Bad}}
	return Part{Heading: "Attempts", Note: fmt.Sprintf("Started: %d.", a.Started), Stack: s, Table: counted("State", "Of started attempts", a.Started, s.Labels, s.Values, s.Tones)}
}

func outcomes(o reporting.Outcomes, completed int64) Part {
	if completed == 0 {
		return Part{Heading: "Outcomes", Note: "None was completed yet."}
	}
	s := &Stack{Title: "Completed attempts by outcome", Labels: []string{"pass", "fail", "no outcome"},
		Values: []int64{o.PassN, o.FailN, o.UngradedN}, Tones: []Tone{Good, Bad, Faint}}
	return Part{Heading: "Outcomes", Stack: s, Table: counted("Outcome", "Of completed attempts", completed, s.Labels, s.Values, s.Tones)}
}

func scores(heading, of string, histogram []int64, spec []reporting.HistogramRange, nothing int64, passMark *float64) Part {
	c := &Columns{Title: heading, Axis: "share of the maximum, in percent", Values: histogram}
	if passMark != nil {
		c.Mark = &Mark{Share: *passMark / 100, Text: "pass mark " + wire.Points(*passMark) + " %"}
	}
	total, note := nothing, ""
	if nothing > 0 {
		note = plural.Of(nothing, "attempt") + " had nothing to earn: such a score is in no range."
	}
	for i, r := range spec {
		c.Labels = append(c.Labels, fmt.Sprintf("%.0f–%.0f", r.FromPct*100, r.ToPct*100))
		total += histogram[i]
	}
	if total == 0 {
		return Part{Heading: heading, Note: "There are none yet."}
	}
	return Part{Heading: heading, Note: note, Columns: c, Table: counted("Score, %", of, total, c.Labels, c.Values, nil)}
}

func methods(all []reporting.CompletionMethod) Part {
	t := &Table{Header: head("Handed in", ">Attempts", ">Passed", ">Failed", "Pass rate"), Empty: "None was completed."}
	for _, m := range all {
		if m.Attempts == 0 {
			continue
		}
		t.Rows = append(t.Rows, []Cell{label(wire.Words(m.Method)), figure(whole(m.Attempts)), figure(whole(m.PassN)), figure(whole(m.FailN)), bar(m.PassRate, Plain)})
	}
	return Part{Heading: "How they were handed in", Note: "The pass rate is over passed and failed attempts.", Table: t}
}

func integrity(i reporting.Integrity) Part {
	if i.TelemetryKnownAttempts == 0 {
		return Part{Heading: "Integrity", Note: "No client reported anything."}
	}
	t := &Table{Header: head("What the client reported", ">Attempts", "Of completed attempts"), Rows: [][]Cell{
		{label("anything at all"), figure(whole(i.TelemetryKnownAttempts)), bar(i.TelemetryKnownRate, Plain)},
		{label("the window lost the focus"), figure(whole(i.SessionsWithFocusLost)), bar(i.FocusLostRate, Warning)},
		{label("full screen was left"), figure(whole(i.SessionsWithFullscreenExit)), bar(i.FullscreenExitRate, Warning)}}}
	return Part{Heading: "Integrity", Table: t}
}

var targetNames = map[string]string{"user_id": "people", "email": "e-mail addresses", "group_id": "groups", "public_link": "public links"}

func population(r reporting.EvaluationSummary) Part {
	t := &Table{Header: head("Assigned to", ">Assignments", "Of all assignments"), Empty: "Nobody is assigned."}
	for _, target := range r.Distribution.Targets {
		if target.N == 0 {
			continue
		}
		t.Rows = append(t.Rows, []Cell{label(targetNames[target.TargetType]), figure(whole(target.N)), bar(target.Pct, Plain)})
	}
	return Part{Heading: "Who could take part", Table: t,
		Note: fmt.Sprintf("%s Invited by name: %s.", r.Population.CoverageReason, plural.Of(r.Population.AccessPoints.UniqueInviteesN, "different person", "different people"))}
}
