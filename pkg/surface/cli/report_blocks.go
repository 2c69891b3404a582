package cli

import (
	"fmt"
	"strings"

	"assess/pkg/kernel/plural"
	"assess/pkg/report/reporting"
	"assess/pkg/report/reporting/attempt"
)

// drawBlocks draws the blocks that --include requested for one row of a list, under its name.
func drawBlocks(screen *Screen, name string, r reporting.SummaryRow) error {
	if r.Scores == nil && r.Timing == nil && r.Distribution == nil && r.Tags == nil && r.Sections == nil {
		return nil
	}
	fmt.Fprintln(screen)
	for line := range strings.Lines(screen.indented(clean(name), 0)) {
		fmt.Fprintln(screen, screen.Paint(Strong, strings.TrimSuffix(line, "\n")))
	}
	if r.Scores != nil {
		drawSpread(screen, "Scores", "graded", r.Scores.Histogram, r.Scores.ScoreKnownAttemptsN, r.Scores.NothingToEarnN)
	}
	if r.Hero.ProvisionalScoreAvailable && r.ScoresProvisional != nil {
		drawSpread(screen, "Provisional", "scored", r.ScoresProvisional.Histogram, r.ScoresProvisional.ScoreKnownAttemptsN, r.ScoresProvisional.NothingToEarnN)
	}
	if r.Timing != nil {
		fmt.Fprintf(screen, "Time        median %s, mean %s\n", duration(r.Timing.MedianDurationMs), duration(r.Timing.AvgDurationMs))
	}
	if r.Distribution != nil {
		drawDistribution(screen, *r.Distribution, r)
	}
	return drawItems(screen, r.Tags, r.Sections)
}

// drawItems draws the figures of tags and of sections.
func drawItems(screen *Screen, tags []reporting.TagSummary, sections []reporting.SectionSummary) error {
	if len(tags) > 0 {
		fmt.Fprintln(screen)
		err := Table(screen, tags, append([]Column[reporting.TagSummary]{{Header: "Tag", Cell: func(t reporting.TagSummary) string { return t.FacetLabel + ": " + t.Label }}},
			figureColumns(screen, func(t reporting.TagSummary) attempt.Figures { return figuresOf(t.ItemSummary) })...)...)
		if err != nil {
			return err
		}
	}
	if len(sections) == 0 {
		return nil
	}
	fmt.Fprintln(screen)
	return Table(screen, sections, append([]Column[reporting.SectionSummary]{
		{Header: "Section", Cell: func(p reporting.SectionSummary) string { return p.Title }}},
		figureColumns(screen, func(p reporting.SectionSummary) attempt.Figures { return figuresOf(p.ItemSummary) })...)...)
}

// drawSpread draws a histogram in one line.
func drawSpread(screen *Screen, name, what string, histogram []int64, known, nothing int64) {
	line := pad(name, len("Provisional "))
	if known > 0 {
		var values []float64
		for _, n := range histogram {
			values = append(values, float64(n))
		}
		line += screen.Heights(values) + "  "
	}
	line += plural.Of(known, what+" attempt") + " by tenths of the maximum"
	if nothing > 0 {
		line += fmt.Sprintf(", but %d with nothing to earn", nothing)
	}
	fmt.Fprint(screen, screen.indented(line, len("Provisional ")))
}

func drawDistribution(screen *Screen, d reporting.Distribution, r reporting.SummaryRow) {
	var targets []Count
	for _, t := range d.Targets {
		targets = append(targets, Count{Label: strings.ReplaceAll(strings.TrimSuffix(t.TargetType, "_id"), "_", " "), Count: t.N})
	}
	fmt.Fprintf(screen, "\nAssignments\n%s\nHanded in\n%s", screen.Histogram(parts(d.DistributionCount, targets...)),
		screen.Histogram(parts(r.Attempts.Completed, methodCounts(r.CompletionMethods)...)))
}

// figuresOf shows the items of many attempts in the columns of a single attempt's items.
func figuresOf(i reporting.ItemSummary) attempt.Figures {
	return attempt.Figures{Items: int(i.ItemAttempts), FacilityPct: i.FacilityPct, AvgScorePct: i.AvgScorePct, OmittedRate: i.OmittedRate, AvgTimeMs: i.AvgTimeMs}
}
