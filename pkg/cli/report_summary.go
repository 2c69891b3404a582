package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"assess/pkg/db"
	"assess/pkg/page"
	"assess/pkg/reporting"
)

func newReportSummary(s *Session) *cobra.Command {
	var version, run, from, to, file, title string
	cmd := &cobra.Command{
		Use:     "summary --evaluation-version ID",
		Short:   "Sum up the attempts at an evaluation version",
		Example: "  assessctl report summary --evaluation-version algebra-1 --tenant northwind --org north",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			in := reporting.SummaryInput{RunLabel: given(cmd, "run-label", run)}
			var err error
			in.From, in.To, err = period(from, to)
			if err != nil {
				return err
			}
			summary, err := report(cmd.Context(), s, func(tx *db.Tx) (reporting.EvaluationSummary, error) {
				in.EvaluationVersionID, err = evaluationVersion(cmd.Context(), tx, version)
				if err != nil {
					return reporting.EvaluationSummary{}, err
				}
				if file != "" {
					title, err = titleOf(cmd.Context(), tx, in.EvaluationVersionID)
				}
				if err != nil {
					return reporting.EvaluationSummary{}, err
				}
				return reporting.Summary(cmd.Context(), tx, in)
			})
			if err != nil {
				return err
			}
			return s.showReport(file, summary, func() page.Page { return page.Summary(summary, title) },
				func(screen *Screen) error { return drawSummary(screen, summary) })
		},
	}
	versionFlag(cmd, &version)
	_ = cmd.MarkFlagRequired("evaluation-version") // the only error is a flag that does not exist
	cmd.Flags().StringVar(&run, "run-label", "", "one run alone")
	periodFlags(cmd, &from, &to)
	htmlFlag(cmd, &file)
	return cmd
}

func versionFlag(cmd *cobra.Command, version *string) {
	cmd.Flags().StringVar(version, "evaluation-version", "", "id of an evaluation version, or external id of an evaluation for its published one")
}

// given is nil for a flag that the call does not have: an empty run label is a label too.
func given(cmd *cobra.Command, flag, value string) *string {
	if !cmd.Flags().Changed(flag) {
		return nil
	}
	return &value
}

func drawSummary(screen *Screen, r reporting.EvaluationSummary) error {
	o, a := r.Outcomes, r.Attempts
	fmt.Fprintln(screen, screen.Paint(Strong, "Evaluation version "+r.Scope.EvaluationVersionID.String()))
	fmt.Fprint(screen, applied(r.Scope.FiltersApplied))
	fmt.Fprintf(screen, "%s, by %d people.\n", r.Hero.CompletionRateDisplay, a.UniqueUsers)
	if r.Hero.ProvisionalScoreAvailable {
		fmt.Fprintln(screen, screen.Paint(Warning, r.Hero.ProvisionalScoreNote))
	}
	fmt.Fprintln(screen, screen.Paint(Faint, asOf(r.AsOf, r.ProjectionLagMs)))
	fmt.Fprintf(screen, "\nPass rate   %s  of %d graded\n", screen.bar(r.Hero.PassRate), o.GradedN)
	fmt.Fprintf(screen, "Mean score  %s  of the maximum\n", screen.bar(r.Hero.MeanScorePct))
	screen.heading("Attempts")
	fmt.Fprint(screen, screen.Histogram(parts(a.Started,
		Count{Label: "completed", Count: a.Completed}, Count{Label: "in progress", Count: a.InProgress},
		Count{Label: "expired", Count: a.Expired}, Count{Label: "closed", Count: a.Closed},
		Count{Label: "abandoned", Count: a.Abandoned})))
	screen.heading("Outcomes")
	fmt.Fprint(screen, screen.Histogram(parts(a.Completed,
		Count{Label: "pass", Count: o.PassN}, Count{Label: "fail", Count: o.FailN}, Count{Label: "no outcome", Count: o.UngradedN})))
	screen.heading("Scores of graded attempts")
	_, err := fmt.Fprint(screen, screen.Histogram(parts(o.GradedN, scoreRanges(r.Scores)...)))
	return err
}

// applied has a line for each filter that narrowed the figures.
func applied(f reporting.FiltersApplied) string {
	text := ""
	if f.RunLabel != nil {
		text += fmt.Sprintf("Only the run %s.\n", clean(*f.RunLabel))
	}
	if f.From != nil {
		text += "Only from " + moment(*f.From) + " UTC on.\n"
	}
	if f.To != nil {
		text += "Only until " + moment(*f.To) + " UTC.\n"
	}
	return text
}

func scoreRanges(scores reporting.Scores) []Count {
	var counts []Count
	for i, spec := range scores.HistogramSpec {
		label := fmt.Sprintf("%3.0f to %3.0f %%", spec.FromPct*100, spec.ToPct*100)
		counts = append(counts, Count{Label: label, Count: scores.Histogram[i]})
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
