package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/report/page"
	"assess/pkg/report/projection"
	"assess/pkg/report/reporting"
)

const healthLong = `List the questions with their health: a heuristic badge, and no psychometrics. Facility is
the share of scored attempts with full credit; omit that of attempts left out or exempted.

--sort takes needs_attention_first (default), highest_omit, most_drift or most_exposed.`

func newReportHealth(s *Shell) *cobra.Command {
	var filter healthFlags
	var file string
	var all bool
	cmd := pages(&cobra.Command{
		Use:   "health",
		Short: "List questions with their health",
		Long:  healthLong,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := report(cmd.Context(), s, func(tx *db.Tx) (reporting.HealthList, error) {
				err := filter.read(cmd, tx)
				if err != nil {
					return reporting.HealthList{}, err
				}
				return readPages(all, &filter.Page, func() (reporting.HealthList, error) {
					return reporting.ListHealth(cmd.Context(), tx, filter.HealthFilter)
				},
					func(l *reporting.HealthList) paged[reporting.HealthRow] { return pagedOf(&l.List) })
			})
			if err != nil {
				return err
			}
			if file != "" {
				return s.writePage(file, page.Health(list, filter.about("All questions", "Questions of ")))
			}
			return s.printHealth(list)
		},
	}, &filter.Page)
	allFlag(cmd, &all)
	filter.bind(cmd)
	cmd.Flags().StringVar(&filter.Sort, "sort", "", "order of the list")
	htmlFlag(cmd, &file)
	sorts := cobra.FixedCompletions([]string{reporting.NeedsAttentionFirst, reporting.HighestOmit, reporting.MostDrift,
		reporting.MostExposed}, cobra.ShellCompDirectiveNoFileComp)
	_ = cmd.RegisterFlagCompletionFunc("sort", sorts) // the only error is a flag that does not exist
	return cmd
}

// healthFlags choose attempts at questions.
type healthFlags struct {
	reporting.HealthFilter
	version string
}

func (f *healthFlags) bind(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.Tags, "tag", nil, "only attempts with this tag, as facet:term; repeatable")
	versionFlag(cmd, &f.version)
	runLabelFlag(cmd, &f.RunLabel, runHelp)
	periodFlags(cmd, &f.From, &f.To)
}

func (f *healthFlags) read(cmd *cobra.Command, tx *db.Tx) error {
	var err error
	f.EvaluationVersionID, err = evaluationVersion(cmd.Context(), tx, f.version)
	return err
}

// about says what was chosen: everything, or the part that belongs to an evaluation.
func (f *healthFlags) about(all, of string) string {
	if f.version != "" {
		all = of + f.version
	}
	return page.About(f.HealthFilter, all)
}

// roomy is the width from which on the table of questions keeps its ids in one piece.
const roomy = 132

func (s *Shell) printHealth(list reporting.HealthList) error {
	if s.Format == FormatTable && len(list.Items) > 0 && s.Screen.Width > 0 && s.Screen.Width < roomy {
		drawHealth(s.Screen, list.Items)
	} else {
		err := PrintPage(s, list, list.Items, healthColumns(s.Screen)...)
		if err != nil || s.Format != FormatTable {
			return err
		}
	}
	s.Note("%s", asOf(list.AsOf, list.ProjectionLagMs))
	s.notePage(list.Page, list.Limit, len(list.Items), list.Total)
	return nil
}

// drawHealth gives each question a few lines where a table has no room.
func drawHealth(screen *Screen, rows []reporting.HealthRow) {
	for _, r := range rows {
		badge := screen.Paint(badgeColour(r.HealthBadge.Status), pad(projection.Called(r.HealthBadge.Status), len("too few attempts")))
		fmt.Fprintf(screen, "%s  %s\n", badge, r.QuestionVersionID)
		if name := r.Name(); name != "" {
			fmt.Fprint(screen, "  ", screen.indented(screen.short(name, shortWords), 2))
		}
		fmt.Fprintf(screen, "  %s  omit %s  n %d  drift %s  %s\n", screen.bar(r.Core.FacilityPct), percent(r.Core.OmitRate),
			r.Core.Attempts, percent(&r.Core.Drift.Drift), duration(r.Core.MedianTimeMs))
		if len(r.HealthBadge.TopReasons) > 0 {
			fmt.Fprint(screen, "  ", screen.indented(projection.AllCalled(r.HealthBadge.TopReasons), 2))
		}
	}
}

func healthColumns(screen *Screen) []Column[reporting.HealthRow] {
	return columns(`HealthBadge.Status = Health, Facility, Omit, Core.Attempts = Attempts, Drift, Median, QType = Type, HealthBadge.TopReasons = Why,
	QuestionVersionID, Question`,
		Column[reporting.HealthRow]{Header: "Health", Cell: func(r reporting.HealthRow) string { return projection.Called(r.HealthBadge.Status) }, Colour: func(r reporting.HealthRow) Colour { return badgeColour(r.HealthBadge.Status) }},
		Column[reporting.HealthRow]{Header: "Why", Cell: func(r reporting.HealthRow) string { return projection.AllCalled(r.HealthBadge.TopReasons) }},
		Column[reporting.HealthRow]{Header: "Facility", Cell: func(r reporting.HealthRow) string { return screen.bar(r.Core.FacilityPct) }},
		Column[reporting.HealthRow]{Header: "Omit", Cell: func(r reporting.HealthRow) string { return percent(r.Core.OmitRate) }, Align: Right},
		Column[reporting.HealthRow]{Header: "Drift", Cell: func(r reporting.HealthRow) string { return percent(&r.Core.Drift.Drift) }, Align: Right},
		Column[reporting.HealthRow]{Header: "Median", Cell: func(r reporting.HealthRow) string { return duration(r.Core.MedianTimeMs) }, Align: Right},
		Column[reporting.HealthRow]{Header: "Question", Cell: func(r reporting.HealthRow) string { return screen.short(r.Name(), shortWords) }, Spare: true},
	)
}

func badgeColour(status string) Colour {
	switch status {
	case "HEALTHY":
		return Good
	case "WATCH":
		return Warning
	case "NEEDS_ATTENTION":
		return Bad
	}
	return Faint
}
