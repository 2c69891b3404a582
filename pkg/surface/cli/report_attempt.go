package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/wire"
	"assess/pkg/report/page"
	"assess/pkg/report/reporting/attempt"
)

const attemptLong = `Report on one attempt: who took it, how it went, and every item with its answer. The report
has names in it, so the ledger keeps who looked. -o csv gives a line an item, as the HTTP
interface exports it.`

func newReportAttempt(s *Shell) *cobra.Command {
	var in attempt.GetInput
	var file string
	cmd := &cobra.Command{
		Use:   "attempt SUBMISSION",
		Short: "Report on one attempt, by name, item by item",
		Long:  attemptLong,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			in.SubmissionID, err = recordID("submission", args[0])
			if err != nil {
				return err
			}
			if file == "" && s.Format == FormatCSV {
				return s.exportAttempt(cmd, in)
			}
			r, err := readBy(cmd.Context(), s, (*db.Store).Write, func(tx *db.Tx) (attempt.Report, error) {
				return attempt.Get(cmd.Context(), tx, in)
			})
			if err != nil {
				return unknown("submission", args[0], err)
			}
			return s.showReport(file, r, func() page.Page { return page.Attempt(r) }, func(screen *Screen) error { return drawAttempt(screen, r) })
		},
	}
	cmd.Flags().StringVar(&in.Lang, "lang", "", "language of questions and answers; without it the default of each")
	htmlFlag(cmd, &file)
	return cmd
}

// exportAttempt prints once the event of it is committed.
func (s *Shell) exportAttempt(cmd *cobra.Command, in attempt.GetInput) error {
	csv, err := readBy(cmd.Context(), s, (*db.Store).Write, func(tx *db.Tx) (string, error) {
		var to strings.Builder
		err := attempt.Export(cmd.Context(), tx, in, &to)
		return to.String(), err
	})
	if err != nil {
		return unknown("submission", in.SubmissionID.String(), err)
	}
	_, err = fmt.Fprint(s.Screen, csv)
	return err
}

// inAngles writes an address as it comes after a name; nothing for none.
func inAngles(address string) string {
	if address == "" {
		return ""
	}
	return "<" + address + ">"
}

func drawAttempt(screen *Screen, r attempt.Report) error {
	fmt.Fprint(screen, screen.Paint(Strong, strings.TrimSuffix(screen.indented("Attempt of "+strings.TrimSpace(clean(r.User.Name)+" "+inAngles(clean(r.User.Email))), 0), "\n")), "\n")
	fmt.Fprint(screen, screen.indented(clean(r.Submission.VersionSnapshot.Title), 0))
	fmt.Fprintln(screen, screen.Paint(Faint, asOf(r.AsOf, r.ProjectionLagMs)))
	fmt.Fprintln(screen)
	err := writeFields(screen, r, attemptFields(screen))
	if err != nil {
		return err
	}
	fmt.Fprint(screen, "\n", screen.indented(r.Integrity.Summary, 0))
	if r.KoeStatus != nil {
		screen.heading("Readiness")
		err = Table(screen, entries(*r.KoeStatus), entryColumns...)
		if err != nil {
			return err
		}
	}
	screen.heading("Sections")
	err = Table(screen, r.SectionAggregates, append([]Column[attempt.SectionAggregate]{
		{Header: "Section", Cell: func(a attempt.SectionAggregate) string { return a.Title }}},
		figureColumns(screen, func(a attempt.SectionAggregate) attempt.Figures { return a.Figures })...)...)
	if err != nil {
		return err
	}
	if len(r.TagAggregates) > 0 {
		screen.heading("Tags")
		err = Table(screen, r.TagAggregates, append([]Column[attempt.TagAggregate]{
			{Header: "Tag", Cell: func(a attempt.TagAggregate) string { return a.Tag }}},
			figureColumns(screen, func(a attempt.TagAggregate) attempt.Figures { return a.Figures })...)...)
	}
	if err != nil || len(r.Items) == 0 {
		return err
	}
	screen.heading("Items")
	return Table(screen, r.Items, attemptItemColumns(screen)...)
}

func attemptFields(screen *Screen) []Column[attempt.Report] {
	return []Column[attempt.Report]{
		{Header: "Outcome", Cell: func(r attempt.Report) string {
			return fmt.Sprintf("%s, score version %d", r.Summary.OutcomeLabel, r.Summary.LatestScoreVersion)
		}, Colour: func(r attempt.Report) Colour { return outcomeColour(r.Summary.OutcomeCode) }},
		{Header: "Status", Cell: func(r attempt.Report) string {
			return fmt.Sprintf("%s (%s), approval %s", r.Summary.AttemptStatus, wire.Words(r.Summary.CompletionMethod), wire.Words(r.Submission.ApprovalStatus))
		}},
		{Header: "Score", Cell: func(r attempt.Report) string {
			return fmt.Sprintf("%s  %s of %s", screen.bar(r.Summary.ScorePct, r.Marks()...), wire.Points(r.Summary.Score), wire.Points(r.Summary.MaxScore))
		}},
		{Header: "Items", Cell: func(r attempt.Report) string {
			return fmt.Sprintf("%d: %d answered, %d left out, %d wait to be scored", r.Summary.TotalItems, r.Summary.AnsweredItems, r.Summary.OmittedItems, r.Summary.PendingItems)
		}},
		{Header: "Time", Cell: func(r attempt.Report) string {
			return fmt.Sprintf("%s to %s UTC: %s, of which %s with no item", moment(r.Timing.StartedAt), moment(r.Timing.EndedAt), duration(r.Timing.DurationMs), duration(r.Timing.IdleEstimateMs))
		}},
		{Header: "Pace", Cell: func(r attempt.Report) string { return pace(screen, r.Items) }},
		{Header: "Run", Cell: func(r attempt.Report) string { return attemptRun(r) }},
		{Header: "Attention", Cell: func(r attempt.Report) string { return r.Integrity.AttentionLevel },
			Colour: func(r attempt.Report) Colour { return levelColour(r.Integrity.AttentionLevel) }},
	}
}

func attemptRun(r attempt.Report) string {
	if r.Session.RunLabel == nil {
		return none
	}
	return *r.Session.RunLabel
}
