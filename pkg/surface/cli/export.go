package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/plural"
	"assess/pkg/kernel/scoring"
	"assess/pkg/people/people"
	"assess/pkg/surface/intake"
)

// exports are the kinds of exports of content: the files that the imports of the same names take.
var exports = []struct {
	noun  string
	typed bool
	write func(context.Context, *db.Tx, intake.Export, io.Writer) (int, error)
}{
	{noun: "questions", typed: true, write: intake.ExportQuestions},
	{noun: "passages", write: intake.ExportPassages},
	{noun: "evaluations", write: intake.ExportEvaluations},
}

func newExport(s *Shell) *cobra.Command {
	g := group("export", "Export questions, passages, evaluations and users as CSV files, and question health as a ZIP",
		newExportHealth(s), newExportUsers(s))
	for _, kind := range exports {
		var in intake.Export
		cmd := newExportOf(s, kind.noun, &in, kind.write)
		cmd.Short = "Export " + kind.noun + " as a CSV file"
		cmd.Long = "Export the " + kind.noun + " of an org unit as a CSV file that assessctl import " + kind.noun + "\n" +
			"takes: each as its newest version says it. Imported again it changes nothing. What\n" +
			"columns cannot say exactly stands as JSON in the column content."
		cmd.Flags().StringVar(&in.Status, "status", "", "draft, published or archived (default: drafts and published ones)")
		if kind.typed {
			cmd.Flags().StringVar((*string)(&in.QType), "qtype", "", scoring.InWords(scoring.QTypes()))
		}
		g.AddCommand(cmd)
	}
	return g
}

const exportUsersLong = `Export the active users of an org unit, or of all where --org is not given, as a CSV file that
assessctl import users takes: address, name, org units, roles, attributes. Imported again it
changes nothing. Left out is whoever cannot sign in, since an import would let them, and whoever
has a restriction of processing. The ledger says who took the file.`

func newExportUsers(s *Shell) *cobra.Command {
	cmd := newExportOf(s, "users", &intake.Export{}, intake.ExportUsers)
	cmd.Short, cmd.Long = "Export users as a CSV file", exportUsersLong
	export := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		_, err := readBy(cmd.Context(), s, (*db.Store).Write, func(tx *db.Tx) (any, error) { return nil, people.TakeUsers(cmd.Context(), tx) })
		if err != nil {
			return err
		}
		return export(cmd, args)
	}
	return cmd
}

func newExportOf(s *Shell, noun string, in *intake.Export, write func(context.Context, *db.Tx, intake.Export, io.Writer) (int, error)) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use: noun,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.export(cmd.Context(), file, func(ctx context.Context, tx *db.Tx, to io.Writer) (int, error) {
				progress := s.Progress("Exporting")
				defer progress.Done()
				in.Progress = func(done int) { progress.Report(int64(done), 0) }
				return write(ctx, tx, *in, to)
			})
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "-", "file to write; - is standard output")
	return cmd
}

// export writes at one snapshot.
func (s *Shell) export(ctx context.Context, file string, write func(context.Context, *db.Tx, io.Writer) (int, error)) error {
	n := 0
	err := s.writeWhole(file, func(to io.Writer) error {
		var err error
		n, err = report(ctx, s, func(tx *db.Tx) (int, error) { return write(ctx, tx, to) })
		return err
	})
	if err == nil && file != "-" {
		s.Note("%s in %s.", plural.Of(n, "record"), file)
	}
	return err
}
