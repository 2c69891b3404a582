package cli

import (
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/trust/compliance"
	"assess/pkg/trust/dsar"
)

const outHelp = `

--out PATH writes the file: into a file that must not exist, or, for a list, into a folder, where each
is called after its job. Without it the file stays with the job.`

func newDSAR(s *Shell) *cobra.Command {
	var asked dsar.Arguments
	job := personJob{kind: compliance.DSARExport, use: "dsar", short: "Export what is held about people, and what they wrote",
		question: "Export what is held about %s?", doing: "Exporting",
		arguments: func(context.Context, *db.Tx) (any, error) { return asked, nil }}
	cmd := newFileJob(s, job, dsar.ExportName)
	cmd.Long = `Export everything that is held about a person, and what they wrote: a ZIP with a page for the person, JSON, CSV,
the files of evidence, and a signed list of all of it. docs/compliance.md says how to check it.

Soon after an export the next one must be forced (--force).` + outHelp + personJobHelp
	cmd.Flags().BoolVar(&asked.Force, "force", false, "export although there was one a moment ago")
	return cmd
}

func newPrivacyPack(s *Shell) *cobra.Command {
	cmd := newFileJob(s, personJob{kind: compliance.PrivacyPack, use: "privacy-pack", short: "Gather what shows how people's data were treated",
		question: "Gather everything about %s?", doing: "Gathering"}, dsar.PackName)
	cmd.Long = `Gather what shows how the data of a person were treated: the newest export, the receipts of what was done, the
policies and their history, the events about the person with their proofs, and the data map, in one ZIP with one
signed list.` + outHelp + personJobHelp
	return cmd
}

// newFileJob makes the command of a job that makes a file.
func newFileJob(s *Shell, job personJob, name string) *cobra.Command {
	var out string
	var list *string
	job.after = func(ctx context.Context, office *compliance.Centre, scope db.Scope, done compliance.Job) error {
		if out == "" {
			return nil
		}
		to := out
		if *list != "" {
			to = filepath.Join(out, done.ID.String()+"-"+name)
		}
		return fetchArtifact(ctx, office, scope, done, name, to)
	}
	cmd := newPersonJob(s, job)
	given := cmd.Flags().Lookup("file")
	list = new(string)
	cmd.Flags().StringVar(&out, "out", "", "file to write, or with --file the folder for the files")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		*list = given.Value.String()
		err := checkOut(out, *list != "")
		if err != nil {
			return err
		}
		return run(cmd, args)
	}
	return cmd
}

// checkOut refuses a place that cannot be written to before anything is done.
func checkOut(out string, list bool) error {
	if out == "" {
		return nil
	}
	found, err := os.Stat(out)
	switch {
	case list && (err != nil || !found.IsDir()):
		return Usage("--out must name a folder where --file names a list: %s is none", out)
	case !list && err == nil:
		return Usage("%s exists", out)
	}
	if dir := filepath.Dir(out); !list {
		found, err := os.Stat(dir)
		if err != nil || !found.IsDir() {
			return Usage("there is no folder %s", dir)
		}
	}
	return nil
}

// fetchArtifact writes down in the ledger that the file was taken, and gives out no byte of one that is
// not what it was.
func fetchArtifact(ctx context.Context, office *compliance.Centre, scope db.Scope, of compliance.Job, name, to string) error {
	var file models.ComplianceArtifact
	err := office.Store.Write(ctx, scope, func(tx *db.Tx) error {
		var err error
		file, err = office.View(ctx, tx, of.ID, name)
		return err
	})
	if err != nil {
		return err
	}
	content, err := office.Files.Open(ctx, scope.Tenant, file, true)
	if err != nil {
		return err
	}
	defer content.Close() //nolint:errcheck // only read from
	return copyToNew(to, content)
}
