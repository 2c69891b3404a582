package cli

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"assess/pkg/db"
	"assess/pkg/intake"
)

// exports are the kinds of exports: the files that the imports of the same names take.
var exports = []struct {
	noun  string
	typed bool
	write func(context.Context, *db.Tx, intake.Export, io.Writer) (int, error)
}{
	{noun: "questions", typed: true, write: intake.ExportQuestions},
	{noun: "passages", write: intake.ExportPassages},
	{noun: "evaluations", write: intake.ExportEvaluations},
}

func newExport(s *Session) *cobra.Command {
	g := group("export", "Export questions, passages and evaluations as CSV files, and question health as a ZIP",
		newExportHealth(s))
	for _, kind := range exports {
		var in intake.Export
		var file string
		cmd := &cobra.Command{
			Use:   kind.noun,
			Short: "Export " + kind.noun + " as a CSV file",
			Long: "Export the " + kind.noun + " of an org unit as a CSV file that assessctl import " + kind.noun + "\n" +
				"takes: each as its newest version says it. Imported again it changes nothing. What\n" +
				"columns cannot say exactly stands as JSON in the column content.",
			Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				return s.export(cmd.Context(), file, func(ctx context.Context, tx *db.Tx, to io.Writer) (int, error) {
					progress := s.Progress("Exporting")
					defer progress.Done()
					in.Progress = func(done int) { progress.Report(int64(done), 0) }
					return kind.write(ctx, tx, in, to)
				})
			},
		}
		cmd.Flags().StringVarP(&file, "file", "f", "-", "file to write; - is standard output")
		cmd.Flags().StringVar(&in.Status, "status", "", "draft, published or archived (default: drafts and published ones)")
		if kind.typed {
			cmd.Flags().StringVar(&in.QType, "qtype", "", "mcq, mrq, short_text, numeric or essay")
		}
		g.AddCommand(cmd)
	}
	return g
}

// export writes at one snapshot. A file appears when it is complete, under its name or not
// at all.
func (s *Session) export(ctx context.Context, file string, write func(context.Context, *db.Tx, io.Writer) (int, error)) error {
	var to io.Writer = s.Screen
	if file != "-" {
		part, err := os.Create(file + ".part")
		if err != nil {
			return Usage("%w", err)
		}
		defer os.Remove(part.Name()) //nolint:errcheck // gone already when all went well
		defer part.Close()           //nolint:errcheck // closed below when all went well
		to = part
	}
	n, err := report(ctx, s, func(tx *db.Tx) (int, error) { return write(ctx, tx, to) })
	if err != nil || file == "-" {
		return err
	}
	part := to.(*os.File)
	err = part.Close()
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	err = os.Rename(part.Name(), file)
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	s.Note("%d records are in %s.", n, file)
	return nil
}
