package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/author/media"
	"assess/pkg/kernel/blob"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/plural"
	"assess/pkg/kernel/scoring"
	"assess/pkg/surface/intake"
)

// imported is one kind of import.
type imported struct {
	noun    string
	columns string
	flags   func(*cobra.Command, *intake.Input)
	preview func(context.Context, *db.Tx, intake.Input) (intake.Preview, error)
	commit  func(context.Context, *db.Tx, intake.Input) (intake.Commit, error)
	// inPieces, where there is one, commits so that an interruption costs no more than a piece.
	// bank says that the file may be a question bank of another system, tests that it may hold the tests of one.
	bank     bool
	tests    bool
	inPieces func(ctx context.Context, read, write func(func(*db.Tx) error) error, in intake.Input) (intake.Commit, error)
}

var imports = []imported{
	{
		noun: "users", preview: intake.PreviewUsers, commit: intake.CommitUsers,
		columns: "email (required; empty for people without an address), id (of people without an address), name, orgUnits, roles, meta.<key>, metadata (a JSON object)",
		flags:   func(*cobra.Command, *intake.Input) {}, inPieces: intake.CommitUsersInPieces,
	},
	{
		noun: "subjects", preview: intake.PreviewSubjects, commit: intake.CommitSubjects,
		columns: "externalId, name (required), kind, meta.<key>",
		flags:   func(*cobra.Command, *intake.Input) {},
	},
	{
		noun: "assignments", preview: intake.PreviewAssignments, commit: intake.CommitAssignments,
		columns: `evaluation (external id or id), targetType (user_id, email, group_id or public_link),
targetRef (required; empty for a public link), run_label, validFrom, validUntil, timeZone, subject,
engagement (external ids or ids)`,
		flags: assignmentFlags,
	},
	{
		noun: "questions", preview: intake.PreviewQuestions, commit: intake.CommitQuestions,
		columns: `externalId, qtype, stem, correct (required), optionA to optionZ, tolerance, scoring,
minSelections, maxSelections, weight, explanation, terms, tags, lang, format,
contributesToScore, content`,
		flags: questionFlags, bank: true,
	},
	{
		noun: "passages", preview: intake.PreviewPassages, commit: intake.CommitPassages,
		columns: "externalId, title, text (required), lang, format, questions, content",
		flags:   passageFlags,
	},
	{
		noun: "evaluations", preview: intake.PreviewEvaluations, commit: intake.CommitEvaluations,
		columns: `evaluation, question (required), title, section, weight, and on the first row of an
evaluation its settings: passMarkPercent, timeLimitSeconds, feedbackMode, reviewPolicy,
maxAttemptsPerUser, cooloffSeconds, navigation, shuffleItems, shuffleOptions, rounding,
negativeMarking, defaultOutcome, settings, terms, tags, content, publish; sectionTimeLimitSeconds
on the first row of a section`,
		flags: testFlags, tests: true,
	},
}

func newTermFlags(cmd *cobra.Command, in *intake.Input) {
	cmd.Flags().StringVar(&in.TagsFacet, "tags-facet", "", `facet of the terms in the column tags (default "tags")`)
	decimalFlag(cmd, in)
	cmd.Flags().BoolVar(&in.CreateTerms, "create-terms", false, "make the terms that the file names and nobody has made; without it they are errors")
}

func decimalFlag(cmd *cobra.Command, in *intake.Input) {
	cmd.Flags().Var(&choice{&in.Decimal, []string{intake.DecimalComma, intake.DecimalPoint}}, "decimal",
		"comma or point: what begins decimals; without it a comma before exactly three digits is refused")
}

func questionFlags(cmd *cobra.Command, in *intake.Input) {
	newTermFlags(cmd, in)
	cmd.Flags().StringVar(&in.Locale, "lang", "", `language of rows without one (default "en")`)
	bankFlags(cmd, in)
}

func bankFlags(cmd *cobra.Command, in *intake.Input) {
	flags := cmd.Flags()
	flags.Var(&choice{&in.Format, intake.Formats()}, "format", scoring.InWords(intake.Formats())+", where the file does not say it")
	flags.StringVar(&in.CategoryFacet, "category-facet", "", `facet of the categories of a question bank (default "category")`)
	flags.BoolVar(&in.AcceptScoringChanges, "accept-scoring-changes", false, "take questions of a bank that will be scored otherwise too")
}

func testFlags(cmd *cobra.Command, in *intake.Input) {
	newTermFlags(cmd, in)
	cmd.Flags().Var(&choice{&in.Format, intake.TestFormats()}, "format", scoring.InWords(intake.TestFormats())+", where the file does not say it")
	cmd.Flags().BoolVar(&in.AcceptScoringChanges, "accept-scoring-changes", false, "take tests that will be scored otherwise too")
}

func passageFlags(cmd *cobra.Command, in *intake.Input) {
	cmd.Flags().StringVar(&in.Locale, "lang", "", `language of rows without one (default "en")`)
}

func assignmentFlags(cmd *cobra.Command, in *intake.Input) {
	cmd.Flags().BoolVar(&in.Invite, "invite", false, "queue an invitation by mail to every invitee of the new assignments")
}

func newImport(s *Shell) *cobra.Command {
	g := group("import", "Import users, subjects, assignments, questions, passages and evaluations from CSV files")
	for _, kind := range imports {
		commands := group(kind.noun, "Import "+kind.noun+" from a CSV file", newImportPreview(s, kind), newImportCommit(s, kind))
		if kind.noun == "users" {
			wide(commands)
		}
		g.AddCommand(commands)
	}
	return g
}

const importLong = `

FILE is CSV in UTF-8 with a header; - reads standard input. Comma, semicolon or tab is
found by itself. Columns, whatever the case, spaces, hyphens and underscores:
%s.%s

Errors are listed with line, column and code. Exit code 1 says that there were any.`

func newImportPreview(s *Shell, kind imported) *cobra.Command {
	var in intake.Input
	cmd := &cobra.Command{
		Use:   "preview FILE",
		Short: "Show what an import would do, and change nothing",
		Long:  "Show what an import of " + kind.noun + " would do, and change nothing." + fmt.Sprintf(importLong, kind.columns, kind.bankLong()),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := s.readImport(kind, args[0], &in)
			if err != nil {
				return err
			}
			stop := s.followImport("Checking", &in)
			preview, err := rehearse(cmd.Context(), s, func(tx *db.Tx) (intake.Preview, error) {
				return kind.preview(cmd.Context(), tx, in)
			})
			stop()
			if err != nil {
				return err
			}
			return s.printPreview(preview)
		},
	}
	kind.flags(cmd, &in)
	return cmd
}

func newImportCommit(s *Shell, kind imported) *cobra.Command {
	var in intake.Input
	pieces := ""
	if kind.inPieces != nil {
		pieces = "\n" + strings.TrimSuffix(piecesLong, "\n")
	}
	cmd := &cobra.Command{
		Use:   "commit FILE",
		Short: "Import a file",
		Long: "Import " + kind.noun + ". Importing a file again changes nothing. Nothing is written unless every\n" +
			"row is valid; with --skip-invalid the valid rows are imported, and exit code 6 says that\n" +
			"rows were left out." + pieces + fmt.Sprintf(importLong, kind.columns, kind.bankLong()),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := s.readImport(kind, args[0], &in)
			if err != nil {
				return err
			}
			stop := s.followImport("Importing", &in)
			err = s.keepPictures(cmd.Context(), kind, &in)
			if err != nil {
				stop()
				return err
			}
			done, err := s.commitImport(cmd, kind, in)
			stop()
			if errors.Is(err, errs.ImportInvalid) && s.Format == FormatTable {
				return s.explainImport(errs.Of(err))
			}
			if err != nil {
				return err
			}
			return s.printImported(done)
		},
	}
	cmd.Flags().BoolVar(&in.SkipInvalid, "skip-invalid", false, "import the valid rows and leave out the others")
	idFlag(cmd, &in.ImportID, "import-id", "id of the import, as preview gave it (default: a new one)")
	kind.flags(cmd, &in)
	return s.changes(cmd)
}

// bankLong says what else FILE may be.
func (k imported) bankLong() string {
	if k.tests {
		return `

FILE may be a package of QTI too: its tests become drafts. Import its questions first. A setting
that a test cannot have, such as the pass mark, stays as it is. What a test loses is listed; one
that would be scored otherwise than its author meant is an error, unless
--accept-scoring-changes says yes.`
	}
	if !k.bank {
		return ""
	}
	return `

FILE may be a question bank of another system too: QTI, Moodle XML, GIFT or Aiken. Its pictures
become assets, its categories and tags terms. What a question loses is listed; one that would be
scored otherwise than its author meant is an error, unless --accept-scoring-changes says yes.`
}

const piecesLong = `
Users are written a thousand rows at a time, once the whole file is found valid. Interrupted
(Ctrl-C), what is written stays; run the same command again, and it goes on from there. With
--idempotency-key or --dry-run the file is one transaction.
`

// commitImport writes in one transaction, or in pieces if the kind has them and nothing requires
// the whole at once.
func (s *Shell) commitImport(cmd *cobra.Command, kind imported, in intake.Input) (intake.Commit, error) {
	if kind.inPieces == nil || s.key != "" || s.dryRun {
		return write(s, cmd, in, func(tx *db.Tx) (intake.Commit, error) { return kind.commit(cmd.Context(), tx, in) })
	}
	store, scope, err := s.scoped(cmd.Context())
	if err != nil {
		return intake.Commit{}, err
	}
	run := func(in func(context.Context, db.Scope, func(*db.Tx) error) error) func(func(*db.Tx) error) error {
		return func(fn func(*db.Tx) error) error { return in(cmd.Context(), scope, fn) }
	}
	done, err := kind.inPieces(cmd.Context(), run(store.Read), run(store.Write), in)
	if written := done.Created + done.Changed + done.Unchanged; err != nil && written > 0 {
		s.Note("%s are in (%d created, %d changed). Run the same command again: it goes on from there.",
			plural.Of(written, "row"), done.Created, done.Changed)
	}
	return done, err
}

// keepPictures stores the pictures of a question bank before the transaction that makes assets of them.
func (s *Shell) keepPictures(ctx context.Context, kind imported, in *intake.Input) error {
	if !kind.bank {
		return nil
	}
	in.Unkept = s.dryRun
	if s.dryRun {
		return nil
	}
	var files *media.Files
	var scope db.Scope
	end := func() {}
	defer func() { end() }()
	return intake.KeepPictures(*in, func(file *blob.File) error {
		if files == nil {
			var err error
			files, end, err = s.mediaFiles(ctx)
			if err != nil {
				return err
			}
			_, scope, err = s.scoped(ctx)
			if err != nil {
				return err
			}
		}
		_, err := files.Keep(ctx, scope, file, "")
		return err
	})
}

// followImport shows on a terminal how many rows are done; the function that it gives ends
// that.
func (s *Shell) followImport(label string, in *intake.Input) func() {
	progress := s.Progress(label)
	in.Progress = func(done, total int) { progress.Report(int64(done), int64(total)) }
	return progress.Done
}

// longestImport is one byte more than an import may have: enough to see that it is too
// long, and no reason to read on.
const longestImport = 32<<20 + 1

func (s *Shell) readImport(kind imported, file string, in *intake.Input) error {
	from := s.Input
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return Usage("%w", err)
		}
		defer f.Close()
		from = f
	}
	data, err := io.ReadAll(io.LimitReader(from, longestImport))
	if err != nil {
		return fmt.Errorf("read %s: %w", file, err)
	}
	in.Data = data
	return nil
}
