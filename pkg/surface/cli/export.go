package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"assess/pkg/author/exchange"
	"assess/pkg/author/media"
	"assess/pkg/exam/assignment"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
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
	bank  *bankKind
}{
	{noun: "questions", typed: true, write: intake.ExportQuestions, bank: &bankKind{what: "question", as: "a question bank", formats: intake.ExportFormats(),
		preview: func(ctx context.Context, tx *db.Tx, in intake.BankExport, _ ids.ID) (exchange.Report, error) {
			return intake.PreviewBankExport(ctx, tx, in)
		},
		write: func(ctx context.Context, tx *db.Tx, in intake.BankExport, _ ids.ID, to io.Writer) (exchange.Report, error) {
			return intake.ExportBank(ctx, tx, in, to)
		}}},
	{noun: "passages", write: intake.ExportPassages},
	{noun: "evaluations", write: intake.ExportEvaluations, bank: &bankKind{what: "item", as: "a package of tests with their questions", one: "evaluation", formats: intake.TestFormats(),
		preview: intake.PreviewTestExport, write: intake.ExportTests}},
}

// bankKind is a kind of export whose file may be for other systems.
type bankKind struct {
	// what is counted, and as is the file. one, where there is one, is the noun of the only record to export.
	what, as, one string
	formats       []string
	preview       func(context.Context, *db.Tx, intake.BankExport, ids.ID) (exchange.Report, error)
	write         func(context.Context, *db.Tx, intake.BankExport, ids.ID, io.Writer) (exchange.Report, error)
}

func newExport(s *Shell) *cobra.Command {
	subjects := newExportOf(s, "subjects", &intake.Export{}, intake.ExportSubjects)
	subjects.Short = "Export subjects as a CSV file"
	subjects.Long = "Export the subjects of an org unit as a CSV file that assessctl import subjects takes. Imported\nagain it changes nothing."
	g := group("export", "Export content, users, subjects and assignments as CSV files, and question health as a ZIP",
		newExportHealth(s), newExportUsers(s), newExportAssignments(s), subjects)
	for _, kind := range exports {
		var in intake.Export
		cmd := newExportOf(s, kind.noun, &in, kind.write)
		cmd.Short = "Export " + kind.noun + " as a CSV file"
		cmd.Long = "Export the " + kind.noun + " of an org unit as a CSV file that assessctl import " + kind.noun + "\n" +
			"takes: each as its newest version says it. Imported again it changes nothing. What\n" +
			"columns cannot say exactly stands as JSON in the column content."
		if kind.bank != nil {
			bankExport(s, cmd, &in, *kind.bank)
		}
		cmd.Flags().StringVar(&in.Status, "status", "", "draft, published or archived (default: drafts and published ones)")
		if kind.typed {
			cmd.Flags().StringVar((*string)(&in.QType), "qtype", "", scoring.InWords(scoring.QTypes()))
		}
		g.AddCommand(cmd)
	}
	return g
}

// bankExport lets an export have a format of other systems.
func bankExport(s *Shell, cmd *cobra.Command, in *intake.Export, kind bankKind) {
	bank, preview, table, one := intake.BankExport{}, false, cmd.RunE, ids.None
	cmd.Short += ", or as " + kind.as + " for other systems"
	cmd.Long += `

With --format the file is ` + kind.as + ` for other systems. What a format cannot hold is left out,
and so is what would be scored otherwise there, unless --accept-scoring-changes says yes; --preview
says what that is, and writes nothing. Imported again such a file changes nothing.`
	flags := cmd.Flags()
	flags.Var(&choice{&bank.Format, kind.formats}, "format", scoring.InWords(kind.formats)+` (default "csv")`)
	flags.BoolVar(&bank.AcceptScoringChanges, "accept-scoring-changes", false, "take "+kind.what+"s too that other systems would score otherwise")
	flags.BoolVar(&preview, "preview", false, "say what the format loses, and write nothing")
	if kind.one != "" {
		idFlag(cmd, &one, kind.one, "id of the only "+kind.one+" to export, with a format of other systems")
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		bank.ExportFilter = in.ExportFilter
		if preview {
			said, err := report(cmd.Context(), s, func(tx *db.Tx) (exchange.Report, error) { return kind.preview(cmd.Context(), tx, bank, one) })
			if err != nil {
				return err
			}
			return s.printExported(said, kind.what)
		}
		if bank.Format == "" || bank.Format == "csv" {
			return table(cmd, args)
		}
		said, err := s.exportBank(cmd, kind, bank, one)
		if err == nil && said.Refused > 0 {
			return Partly("%w", errs.New(errs.ImportInvalid, "Of %s, %d left out: --preview says why.", plural.Of(said.Items, kind.what), said.Refused))
		}
		return err
	}
}

// exportBank writes a file for other systems, with its pictures.
func (s *Shell) exportBank(cmd *cobra.Command, kind bankKind, bank intake.BankExport, one ids.ID) (exchange.Report, error) {
	files, end, err := s.mediaFiles(cmd.Context())
	if err != nil {
		return exchange.Report{}, err
	}
	defer end()
	var said exchange.Report
	err = s.export(cmd.Context(), cmd.Flag("file").Value.String(), func(ctx context.Context, tx *db.Tx, to io.Writer) (int, error) {
		bank.Open = func(ctx context.Context, v media.Version) (io.ReadCloser, error) {
			return files.Open(ctx, tx.Tenant(), v, false)
		}
		var err error
		said, err = kind.write(ctx, tx, bank, one, to)
		return said.Whole + said.Noticed, err
	})
	return said, err
}

func (s *Shell) printExported(r exchange.Report, what string) error {
	return s.Show(r, func(screen *Screen) error {
		fmt.Fprintf(screen, "%s to %s: %d whole, %d with losses, %d left out.\n", plural.Of(r.Items, what), r.To, r.Whole, r.Noticed, r.Refused)
		return drawNotices(screen, intake.Notices{Notices: r.Notices, MoreNotices: r.MoreNotices})
	})
}

const exportUsersLong = `Export the active users of an org unit, or of all where --org is not given, as a CSV file that
assessctl import users takes: address, name, org units, roles, attributes. Imported again it
changes nothing. Left out is whoever cannot sign in, since an import would let them, and whoever
has a restriction of processing. The ledger says who took the file.`

func newExportUsers(s *Shell) *cobra.Command {
	cmd := newExportOf(s, "users", &intake.Export{}, intake.ExportUsers)
	cmd.Short, cmd.Long = "Export users as a CSV file", exportUsersLong
	return noting(s, cmd, people.TakeUsers)
}

const exportAssignmentsLong = `Export the active assignments of an org unit as a CSV file that assessctl import assignments
takes. Imported again it changes nothing. Left out is what an import would refuse: assignments
of archived evaluations and of people who cannot be assigned anything, and all public links of
an evaluation and run label but the first. The ledger says who took the file.`

func newExportAssignments(s *Shell) *cobra.Command {
	cmd := newExportOf(s, "assignments", &intake.Export{}, intake.ExportAssignments)
	cmd.Short, cmd.Long = "Export assignments as a CSV file", exportAssignmentsLong
	return noting(s, cmd, assignment.Take)
}

// noting writes down who takes a file of people before it is written.
func noting(s *Shell, cmd *cobra.Command, note func(context.Context, *db.Tx) error) *cobra.Command {
	export := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		_, err := readBy(cmd.Context(), s, (*db.Store).Write, func(tx *db.Tx) (any, error) { return nil, note(cmd.Context(), tx) })
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
