package cli

import (
	"fmt"
	"strings"

	"assess/pkg/kernel/plural"
	"assess/pkg/kernel/wire"
	"assess/pkg/report/page"
	"assess/pkg/report/reporting"
)

func drawSummary(screen *Screen, r reporting.EvaluationSummary) error {
	o, a := r.Outcomes, r.Attempts
	fmt.Fprint(screen, screen.Paint(Strong, strings.TrimSuffix(screen.indented(clean(titleOf(r.Scope)), 0), "\n")), "\n")
	fmt.Fprintln(screen, about(r.Scope))
	fmt.Fprint(screen, applied(r.Scope.FiltersApplied))
	fmt.Fprint(screen, screen.indented(fmt.Sprintf("%s, by %s.", r.Hero.CompletionRateDisplay, plural.Of(a.UniqueUsers, "person", "people")), 0))
	if r.Hero.ProvisionalScoreAvailable {
		fmt.Fprintln(screen, screen.Paint(Warning, r.Hero.ProvisionalScoreNote))
	}
	fmt.Fprintln(screen, screen.Paint(Faint, asOf(r.AsOf, r.ProjectionLagMs)))
	drawAttention(screen, r.Attention)
	fmt.Fprintf(screen, "\nPass rate   %s  of %d graded\n", screen.bar(r.Hero.PassRate), o.GradedN)
	of := "of the maximum"
	if r.Hero.ScoreModeDefault == "provisional" {
		of += ", provisional"
	}
	fmt.Fprintf(screen, "Mean score  %s  %s\n", screen.bar(r.Hero.MeanScorePct), of)
	fmt.Fprintf(screen, "Time        median %s, mean %s\n", duration(r.Timing.MedianDurationMs), duration(r.Timing.AvgDurationMs))
	screen.heading("Who could take part")
	fmt.Fprint(screen, screen.indented(invited(r), 0))
	screen.heading("Attempts")
	fmt.Fprint(screen, screen.Histogram(parts(a.Started,
		Count{Label: "completed", Count: a.Completed}, Count{Label: "of these expired", Count: a.Expired},
		Count{Label: "in progress", Count: a.InProgress}, Count{Label: "closed", Count: a.Closed},
		Count{Label: "abandoned", Count: a.Abandoned})))
	screen.heading("Outcomes")
	fmt.Fprint(screen, screen.Histogram(parts(a.Completed,
		Count{Label: "pass", Count: o.PassN}, Count{Label: "fail", Count: o.FailN}, Count{Label: "no outcome", Count: o.UngradedN})))
	drawScores(screen, r)
	screen.heading("Handed in")
	fmt.Fprint(screen, screen.Histogram(parts(a.Completed, methodCounts(r.CompletionMethods)...)))
	screen.heading("Reported by the client, of completed attempts")
	i := r.Integrity
	fmt.Fprint(screen, screen.Histogram(parts(a.Completed, Count{Label: "anything", Count: i.TelemetryKnownAttempts},
		Count{Label: "focus lost", Count: i.SessionsWithFocusLost}, Count{Label: "full screen left", Count: i.SessionsWithFullscreenExit})))
	return drawItems(screen, r.Tags, r.Sections)
}

// titleOf is the title of the evaluation version, or its id if there is none.
func titleOf(s reporting.SummaryScope) string {
	if s.Title == nil {
		return s.EvaluationVersionID.String()
	}
	return *s.Title
}

// drawScores draws graded attempts and, if other attempts have scores, also all attempts together.
func drawScores(screen *Screen, r reporting.EvaluationSummary) {
	screen.heading("Scores of graded attempts")
	if r.Outcomes.GradedN == 0 {
		fmt.Fprintln(screen, "There are none yet.")
	} else {
		fmt.Fprint(screen, screen.Histogram(parts(r.Outcomes.GradedN, scoreRanges(r.Scores.Histogram, r.Scores.HistogramSpec, r.Scores.NothingToEarnN)...)))
	}
	if p := r.ScoresProvisional; r.Hero.ProvisionalScoreAvailable {
		screen.heading("Scores of all scored attempts (provisional)")
		fmt.Fprint(screen, screen.Histogram(parts(p.ScoreKnownAttemptsN, scoreRanges(p.Histogram, p.HistogramSpec, p.NothingToEarnN)...)))
	}
}

func about(s reporting.SummaryScope) string {
	if s.Scope == reporting.AllVersions {
		return "All versions of evaluation " + s.EvaluationID.String()
	}
	return "Evaluation version " + s.EvaluationVersionID.String()
}

func drawAttention(screen *Screen, a reporting.Attention) {
	fmt.Fprintln(screen, "Attention:", screen.Paint(levelColour(a.Level), a.Level))
	for _, reason := range a.Reasons {
		fmt.Fprintf(screen, "%s  %s", screen.Paint(levelColour(reason.Level), pad(reason.Level, len("medium"))), screen.indented(reason.Sentence, len("medium  ")))
	}
}

// invited says who could take part and who has not begun.
func invited(r reporting.EvaluationSummary) string {
	p := r.Population.AccessPoints
	text := fmt.Sprintf("%s: %d to individuals (%s), %d to groups, %s. ",
		plural.Of(p.AssignmentsN, "assignment"), p.AssignedIndividualsN, plural.Of(p.UniqueInviteesN, "different person", "different people"),
		p.AssignedGroupsN, plural.Of(p.PublicLinksN, "public link"))
	return text + r.Population.CoverageReason + " Not started: " + r.Funnel.NotStartedDisplay
}

// applied has a line for each filter that narrowed the figures.
func applied(f reporting.FiltersApplied) string {
	text := ""
	if f.RunLabel != nil {
		text += "Only " + clean(page.Run(*f.RunLabel)) + ".\n"
	}
	if f.GroupID != nil {
		text += fmt.Sprintf("Only the group %s.\n", f.GroupID)
	}
	if f.From != nil {
		text += "Only from " + moment(*f.From) + " UTC on.\n"
	}
	if f.To != nil {
		text += "Only until " + moment(*f.To) + " UTC.\n"
	}
	return text
}

func methodCounts(methods []reporting.CompletionMethod) []Count {
	var counts []Count
	for _, m := range methods {
		counts = append(counts, Count{Label: wire.Words(m.Method), Count: m.Attempts})
	}
	return counts
}

// scoreRanges ends with the attempts that are in no range, if there are any.
func scoreRanges(histogram []int64, ranges []reporting.HistogramRange, nothing int64) []Count {
	var counts []Count
	for i, spec := range ranges {
		label := fmt.Sprintf("%3.0f to %3.0f %%", spec.FromPct*100, spec.ToPct*100)
		counts = append(counts, Count{Label: label, Count: histogram[i]})
	}
	if nothing > 0 {
		counts = append(counts, Count{Label: "nothing to earn", Count: nothing})
	}
	return counts
}

// parts gives each count its share of the whole.
func parts(whole int64, counts ...Count) []Count {
	for i := range counts {
		counts[i].Share = share(counts[i].Count, whole)
	}
	return counts
}
