package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/report/reporting"
)

const exportHealthLong = `Export the health of questions as a ZIP archive of CSV files with a manifest.json: the
figures of every question, options of single choice questions, and options, answer sets and
constraint violations of multiple choice ones. It holds ids, codes and numbers, and nothing
about people.`

func newExportHealth(s *Shell) *cobra.Command {
	var filter healthFlags
	var file string
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Export the health of questions as a ZIP archive",
		Long:  exportHealthLong,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.export(cmd.Context(), file, func(ctx context.Context, tx *db.Tx, to io.Writer) (int, error) {
				err := filter.read(cmd, tx)
				if err != nil {
					return 0, err
				}
				progress := s.Progress("Exporting")
				defer progress.Done()
				filter.Progress = func(done int) { progress.Report(int64(done), 0) }
				return reporting.ExportHealth(ctx, tx, filter.HealthFilter, to)
			})
		},
	}
	filter.bind(cmd)
	cmd.Flags().StringVarP(&file, "file", "f", "-", "file to write; - is standard output")
	return cmd
}
