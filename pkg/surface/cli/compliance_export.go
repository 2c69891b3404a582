package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
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

func newComplianceFetch(s *Shell) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "fetch ID --out FOLDER",
		Short: "Write the files that a job made into a folder; the ledger says who did",
		Long: `Write the files of a job into a folder, which is made where there is none. None of them replaces another one.
Each is held against its hash, and each view is an event of the ledger. Files that have expired are left out.

Exit codes: 0 done, 1 a file is damaged, 2 one is there already, 3 there is no such job, or it holds no file.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := recordID("job", args[0])
			if err != nil {
				return err
			}
			if out == "" {
				return Usage("say where to: --out FOLDER")
			}
			return s.fetchArtifacts(cmd.Context(), id, out)
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "folder to write into")
	return cmd
}

func (s *Shell) fetchArtifacts(ctx context.Context, id ids.ID, folder string) error {
	office, scope, done, err := s.office(ctx)
	if err != nil {
		return err
	}
	defer done()
	var of compliance.Job
	err = office.Store.Read(ctx, scope, func(tx *db.Tx) error {
		of, err = office.GetJob(ctx, tx, id)
		return err
	})
	if err != nil {
		return err
	}
	held := slices.DeleteFunc(slices.Clone(of.ArtifactRefs), func(a compliance.ArtifactRef) bool { return !a.Available })
	if len(held) == 0 {
		return errs.New(errs.NotFound, "The job holds no file.")
	}
	err = os.MkdirAll(folder, 0o700)
	if err != nil {
		return Usage("%w", err)
	}
	for _, a := range held {
		to := filepath.Join(folder, a.Name)
		if err := checkOut(to, false); err != nil {
			return err
		}
		if err := fetchArtifact(ctx, office, scope, of, a.Name, to); err != nil {
			return err
		}
	}
	return PrintPage(s, held, held, artifactColumns...)
}

var artifactColumns = columns[compliance.ArtifactRef]("Name, MediaType, SizeBytes, SHA256 = SHA-256")

// fetchArtifact records in the ledger that the file was taken, and gives out no byte of a file that
// has changed.
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
