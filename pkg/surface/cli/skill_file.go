package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"assess/pkg/author/skill"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/surface/intake"
)

const skillFileLong = `

FILE is a CASE 1.1 package in JSON, or CSV in UTF-8 with a header; - reads standard input. A
package names its framework. CSV goes into the one that --framework or --title names; columns,
whatever the case, spaces, hyphens and underscores: code, name (required), description, parent
(a code or an identifier), levels (novice:0; able:0.7), identifier.

Nothing is written unless the whole file is valid: errors are listed with line and column, or
with the path in the package. Importing a file again changes nothing.`

var importedSkills = imported{
	noun: "skills", preview: intake.PreviewSkills,
	flags: func(cmd *cobra.Command, in *intake.Input) {
		idFlag(cmd, &in.FrameworkID, "framework", "id of the framework")
		cmd.Flags().StringVar(&in.Title, "title", "", "for CSV: the framework that files of this title make")
		cmd.Flags().BoolVar(&in.Publish, "publish", false, "publish the skills of the file")
		decimalFlag(cmd, in)
	},
}

func newSkillImport(s *Shell) *cobra.Command {
	preview := newImportPreview(s, importedSkills)
	preview.Long = "Show what an import of skills would do, and change nothing." + skillFileLong
	var in intake.Input
	commit := &cobra.Command{
		Use:   "commit FILE",
		Short: "Import a file",
		Long:  "Import skills." + skillFileLong,
		RunE: func(cmd *cobra.Command, args []string) error {
			err := s.readImport(importedSkills, args[0], &in)
			if err != nil {
				return err
			}
			stop := s.followImport("Importing", &in)
			done, err := write(s, cmd, in, func(tx *db.Tx) (intake.SkillCommit, error) { return intake.CommitSkills(cmd.Context(), tx, in) })
			stop()
			if errors.Is(err, errs.ImportInvalid) && s.Format == FormatTable {
				return s.explainImport(errs.Of(err))
			}
			if err != nil {
				return err
			}
			return s.Show(done, func(screen *Screen) error {
				fmt.Fprintf(screen, "%d created, %d changed, %d unchanged, %d published.\nFramework %s\n",
					done.Created, done.Changed, done.Unchanged, done.Published, done.FrameworkID)
				return drawProblems(screen, done.Errors, done.MoreErrors, done.Warnings)
			})
		},
	}
	idFlag(commit, &in.ImportID, "import-id", "id of the import, as preview gave it (default: a new one)")
	importedSkills.flags(commit, &in)
	return group("import", "Import a framework from a CASE package or a CSV file", preview, s.changes(commit))
}

func newSkillExport(s *Shell) *cobra.Command {
	var asCSV bool
	cmd := &cobra.Command{
		Use:   "export FRAMEWORK-ID",
		Short: "Write a framework as a CASE 1.1 package, or as CSV",
		Long:  "Write a framework as a CASE 1.1 package, which has no place for levels, or as CSV, which has. Both have\ndrafts where there are any; importing either again changes nothing.",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := recordID("framework", args[0])
			if err != nil {
				return err
			}
			write := skill.WriteCASE
			if asCSV {
				write = func(ctx context.Context, tx *db.Tx, id ids.ID, to io.Writer) error {
					_, err := intake.ExportSkills(ctx, tx, id, to)
					return err
				}
			}
			_, err = report(cmd.Context(), s, func(tx *db.Tx) (bool, error) { return true, write(cmd.Context(), tx, id, s.Screen) })
			return err
		},
	}
	cmd.Flags().BoolVar(&asCSV, "csv", false, "as CSV")
	return cmd
}
