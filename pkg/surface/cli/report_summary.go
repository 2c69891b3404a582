package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/report/page"
	"assess/pkg/report/reporting"
)

func newReportSummary(s *Shell) *cobra.Command {
	return newSummaryReport(s, &cobra.Command{
		Use:   "summary --evaluation-version ID",
		Short: "Sum up the attempts at an evaluation version",
		Long:  "Sum up the attempts at an evaluation version. " + csvHelp,
	}, reporting.Summary, reporting.ExportSummary, "further blocks: tags, sections", page.Summary,
		func(r reporting.EvaluationSummary) error {
			return s.Show(r, func(screen *Screen) error { return drawSummary(screen, r) })
		})
}

// newSummaryReport makes the command of a report on chosen attempts, which is shown, drawn as a
// page, or exported as the file of the HTTP interface.
func newSummaryReport[T any](s *Shell, cmd *cobra.Command, get func(context.Context, *db.Tx, reporting.SummaryInput) (T, error),
	export func(context.Context, *db.Tx, reporting.SummaryInput, io.Writer) error, including string,
	drawn func(T) page.Page, show func(T) error) *cobra.Command {
	var filter summaryFlags
	var file, csv string
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		whole := file == "" && s.Format == FormatCSV
		result, err := report(cmd.Context(), s, func(tx *db.Tx) (T, error) {
			var none T
			in, err := filter.input(cmd, tx)
			if err == nil && whole {
				csv, err = exported(cmd.Context(), tx, in, export)
				return none, err
			}
			if err != nil {
				return none, err
			}
			return get(cmd.Context(), tx, in)
		})
		switch {
		case err != nil || whole:
			return s.printFile(csv, err)
		case file != "":
			return s.writePage(file, drawn(result))
		}
		return show(result)
	}
	filter.bind(cmd)
	cmd.Flags().StringSliceVar(&filter.Include, "include", nil, including)
	htmlFlag(cmd, &file)
	return cmd
}

// summaryFlags choose the attempts of a summary.
type summaryFlags struct {
	reporting.SummaryInput
	version string
}

func (f *summaryFlags) bind(cmd *cobra.Command) {
	versionFlag(cmd, &f.version)
	required(cmd, "evaluation-version")
	runLabelFlag(cmd, &f.RunLabel, runHelp)
	optionalIDFlag(cmd, &f.GroupID, "group", "id of a group: only attempts by an assignment to it")
	cmd.Flags().BoolVar(&f.AllVersions, "all-versions", false, "every version of the evaluation together")
	periodFlags(cmd, &f.From, &f.To)
}

func (f *summaryFlags) input(cmd *cobra.Command, tx *db.Tx) (reporting.SummaryInput, error) {
	var err error
	f.EvaluationVersionID, err = evaluationVersion(cmd.Context(), tx, f.version)
	return f.SummaryInput, err
}

const (
	csvHelp = "-o csv gives the file that the HTTP interface exports."
	runHelp = "one run alone; '' for attempts without a run"
)

// exported gives a file of the HTTP interface as text.
func exported(ctx context.Context, tx *db.Tx, in reporting.SummaryInput,
	export func(context.Context, *db.Tx, reporting.SummaryInput, io.Writer) error) (string, error) {
	var to strings.Builder
	err := export(ctx, tx, in, &to)
	return to.String(), err
}

// printFile prints a file when it is whole.
func (s *Shell) printFile(text string, err error) error {
	if err == nil {
		_, err = fmt.Fprint(s.Screen, text)
	}
	return err
}

func versionFlag(cmd *cobra.Command, version *string) {
	cmd.Flags().StringVar(version, "evaluation-version", "", "id of an evaluation version, or external id of an evaluation for its published one")
}
