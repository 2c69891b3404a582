package cli

import (
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/plural"
	"assess/pkg/kernel/wire"
	"assess/pkg/report/page"
	"assess/pkg/report/projection"
	"assess/pkg/report/reporting"
)

func newReportQuestion(s *Shell) *cobra.Command {
	var file string
	var filter healthFlags
	cmd := &cobra.Command{
		Use:   "question ID",
		Short: "Show the health of one question version",
		Long: `Show the health of one question version. ID is that of the version, or the external id of
a question for its published version.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			detail, err := report(cmd.Context(), s, func(tx *db.Tx) (reporting.QuestionHealthDetail, error) {
				id, err := questionVersion(cmd.Context(), tx, args[0])
				if err == nil {
					err = filter.read(cmd, tx)
				}
				if err != nil {
					return reporting.QuestionHealthDetail{}, err
				}
				return reporting.QuestionHealth(cmd.Context(), tx, id, filter.HealthFilter)
			})
			if err != nil {
				return err
			}
			return s.showReport(file, detail, func() page.Page { return page.Question(detail, filter.about("All attempts", "Attempts at ")) },
				func(screen *Screen) error { return drawQuestion(screen, detail) })
		},
	}
	filter.bind(cmd)
	htmlFlag(cmd, &file)
	return cmd
}

func drawQuestion(screen *Screen, d reporting.QuestionHealthDetail) error {
	if d.Name() != "" {
		fmt.Fprintln(screen, screen.Paint(Strong, strings.TrimSuffix(screen.indented(screen.short(d.Name(), shortStem), 0), "\n")))
	}
	fmt.Fprintln(screen, "Question version "+d.QuestionVersionID.String())
	badge := screen.Paint(badgeColour(d.HealthBadge.Status), projection.Called(d.HealthBadge.Status))
	fmt.Fprintf(screen, "%s (a heuristic; confidence %s)\n", badge, wire.Words(d.HealthBadge.Confidence))
	fmt.Fprintln(screen, screen.Paint(Faint, asOf(d.AsOf, d.ProjectionLagMs)))
	drawFlags(screen, d.Flags)
	for _, c := range d.KeyCorrections {
		fmt.Fprintf(screen, "%s    %s", screen.Paint(Warning, "key"), screen.indented(c.Sentence, len("major  ")))
	}
	for _, e := range d.Exemptions {
		fmt.Fprintf(screen, "%s %s", screen.Paint(Warning, "exempt"), screen.indented(e.Sentence, len("major  ")))
	}
	fmt.Fprintln(screen)
	err := writeFields(screen, d, append(coreColumns(screen),
		Column[reporting.QuestionHealthDetail]{Header: "Facility by week", Cell: func(d reporting.QuestionHealthDetail) string { return weekly(screen, d.Timeline) }},
		Column[reporting.QuestionHealthDetail]{Header: "Seen", Cell: func(d reporting.QuestionHealthDetail) string { return exposed(d.ExposureSummary) }}))
	if err != nil {
		return err
	}
	if d.Analysis.ChoiceSingle != nil {
		err = drawOptions(screen, d.Analysis.ChoiceSingle.Options)
	}
	if d.Analysis.ChoiceMulti != nil {
		err = drawMulti(screen, *d.Analysis.ChoiceMulti)
	}
	if d.Analysis.Parts != nil {
		err = drawParts(screen, *d.Analysis.Parts)
	}
	if err != nil || len(d.Runs) == 0 {
		return err
	}
	screen.heading("Runs")
	return Table(screen, d.Runs, runColumns(screen)...)
}

// weekly draws the facility of the weeks that had attempts, from the oldest on.
func weekly(screen *Screen, weeks []reporting.WeekHealth) string {
	var values []float64
	for _, w := range weeks {
		value := math.NaN()
		if w.FacilityPct != nil {
			value = *w.FacilityPct
		}
		values = append(values, value)
	}
	if len(values) == 0 {
		return none
	}
	return fmt.Sprintf("%s  %s from %s to %s", screen.Sparkline(values), plural.Of(len(weeks), "week"), weeks[0].Week, weeks[len(weeks)-1].Week)
}

func exposed(e reporting.ExposureSummary) string {
	return fmt.Sprintf("%s from %s to %s, %s, %s, %s in 7 days, %d in 30",
		plural.Of(e.DaysWithAttempts, "day"), e.FirstDay, e.LastDay, plural.Of(e.RunsCount, "run"), plural.Of(e.EvaluationsCount, "evaluation"),
		plural.Of(e.Attempts7d, "attempt"), e.Attempts30d)
}

// drawFlags says each finding in its sentence, wrapped to the screen.
func drawFlags(screen *Screen, flags []projection.Flag) {
	for _, f := range flags {
		colour := Warning
		if f.Severity == "major" {
			colour = Bad
		}
		fmt.Fprintf(screen, "%s  %s", screen.Paint(colour, pad(f.Severity, len("major"))),
			screen.indented(projection.Called(f.Code)+": "+f.Sentence, len("major  ")))
	}
}

func coreColumns(screen *Screen) []Column[reporting.QuestionHealthDetail] {
	return []Column[reporting.QuestionHealthDetail]{
		{Header: "Facility", Cell: func(d reporting.QuestionHealthDetail) string { return screen.bar(d.Core.FacilityPct) }},
		{Header: "Mean score", Cell: func(d reporting.QuestionHealthDetail) string { return screen.bar(d.Core.Scoring.AvgScorePct) }},
		{Header: "Omit", Cell: func(d reporting.QuestionHealthDetail) string { return screen.bar(d.Core.OmitRate) }},
		{Header: "Attempts", Cell: func(d reporting.QuestionHealthDetail) string {
			return fmt.Sprintf("%d: %d scored, %d left out or exempted, %d invalid, %d pending",
				d.Core.Attempts, d.Core.StatusCounts.Scored, d.Core.StatusCounts.Exempt, d.Core.StatusCounts.Invalid, d.Core.StatusCounts.Pending)
		}},
		{Header: "Time", Cell: func(d reporting.QuestionHealthDetail) string { return timing(d.Core) }},
		{Header: "Drift", Cell: func(d reporting.QuestionHealthDetail) string {
			return fmt.Sprintf("facility %s in 30 days, %s in 7, %s in the last run (%s)",
				percent(d.Core.Drift.Facility30dPct), percent(d.Core.Drift.Facility7dPct), percent(d.Core.Drift.FacilityLastRunPct), plural.Of(d.Core.Drift.AttemptsLastRun, "attempt"))
		}},
	}
}

func timing(c reporting.DetailCore) string {
	text := fmt.Sprintf("median %s, 9 of 10 within %s, mean %s",
		duration(c.Timing.MedianTimeMs), duration(c.Timing.P90TimeMs), duration(c.Timing.AvgTimeMs))
	if c.PercentilesPending {
		text += " (newer attempts wait for their median)"
	}
	return text
}

func runColumns(screen *Screen) []Column[reporting.RunHealth] {
	return columns("RunLabel = Run, Attempts, Facility, Omit, Median",
		Column[reporting.RunHealth]{Header: "Facility", Cell: func(r reporting.RunHealth) string { return screen.bar(r.FacilityPct) }},
		Column[reporting.RunHealth]{Header: "Omit", Cell: func(r reporting.RunHealth) string { return percent(r.OmitRate) }, Align: Right},
		Column[reporting.RunHealth]{Header: "Median", Cell: func(r reporting.RunHealth) string { return duration(r.MedianTimeMs) }, Align: Right},
	)
}
