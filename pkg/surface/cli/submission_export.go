package cli

import (
	"context"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"assess/pkg/exam/submission"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/sheet"
)

const submissionExportLong = `Export the submissions of an evaluation by name, newest first, a line each, as a CSV or an XLSX file:
who, when, of which version, run and group, points, outcome, review. The ledger says who took it,
when, and with which filters. Somebody with a restriction of processing is in it without name and
e-mail address.`

func newSubmissionExport(s *Shell) *cobra.Command {
	var q submissionQuery
	var file, format string
	cmd := &cobra.Command{
		Use:   "export --evaluation ID|EXTERNAL-ID",
		Short: "Export the submissions of an evaluation by name, as a CSV or XLSX file",
		Long:  submissionExportLong,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var in submission.ResultsInput
			_, err := readBy(cmd.Context(), s, (*db.Store).Write, func(tx *db.Tx) (any, error) {
				err := q.find(cmd.Context(), tx)
				if err != nil {
					return nil, err
				}
				in = submission.ResultsInput{Filter: q.Filter, Format: formatOf(format, file)}
				in.EvaluationID, err = findEvaluation(cmd.Context(), tx, q.evaluation)
				if err != nil {
					return nil, err
				}
				return nil, submission.TakeResults(cmd.Context(), tx, in)
			})
			if err != nil {
				return err
			}
			return s.export(cmd.Context(), file, func(ctx context.Context, tx *db.Tx, to io.Writer) (int, error) {
				progress := s.Progress("Exporting")
				defer progress.Done()
				in.Progress = func(done int) { progress.Report(int64(done), 0) }
				return submission.ExportResults(ctx, tx, in, to)
			})
		},
	}
	q.bind(cmd)
	required(cmd, "evaluation")
	cmd.Flags().StringVarP(&file, "file", "f", "-", "file to write; - is standard output")
	cmd.Flags().Var(&choice{&format, sheet.Formats}, "format", "csv or xlsx (default: as the name of the file ends, else csv)")
	return cmd
}

// formatOf is the requested format, or the one that the name of the file implies.
func formatOf(format, file string) string {
	if format == "" && filepath.Ext(file) == "."+sheet.XLSX {
		return sheet.XLSX
	}
	return format
}
