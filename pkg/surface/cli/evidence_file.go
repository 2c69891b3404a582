package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"assess/models"
	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
)

func newEvidenceGet(s *Shell) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "get ID --file PATH",
		Short: "Write the bytes of evidence into a new file; the ledger says who did",
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := recordID("evidence", args[0])
			if err != nil {
				return err
			}
			if to == "" {
				return Usage("say where to: --file PATH")
			}
			e, err := s.fetchEvidence(cmd.Context(), id, to)
			if err != nil {
				return unknown("evidence", args[0], err)
			}
			return PrintOne(s, e, evidenceFields...)
		},
	}
	cmd.Flags().StringVar(&to, "file", "", "file to write, which must not exist")
	return cmd
}

// fetchEvidence records the view before it gives out a byte, and gives out nothing of a file that
// has changed.
func (s *Shell) fetchEvidence(ctx context.Context, id ids.ID, to string) (evidence.Evidence, error) {
	files, scope, done, err := s.evidenceFiles(ctx)
	if err != nil {
		return evidence.Evidence{}, err
	}
	defer done()
	var e evidence.Evidence
	err = s.store.Write(ctx, scope, func(tx *db.Tx) error {
		e, err = evidence.View(ctx, tx, id)
		return err
	})
	if err != nil {
		return e, err
	}
	content, err := files.Open(ctx, scope.Tenant, e, true)
	if err != nil {
		return e, err
	}
	defer content.Close() //nolint:errcheck // only read from
	return e, copyToNew(to, content)
}

func copyToNew(path string, content io.Reader) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return Usage("%w", err)
	}
	_, err = io.Copy(f, content)
	if err != nil {
		f.Close() //nolint:errcheck // the error before tells more
		return fmt.Errorf("write %s: %w", path, err)
	}
	return f.Close()
}

const evidenceVerifyLong = `Read files of evidence and hold them against their hashes: one, those of a submission
(--submission), or all of the scope (--all). Each result is stored and goes into the ledger.

Exit code 1 means that a file is changed or missing, 6 that the store did not give some of
them now. A run over all can be interrupted; with --not-within 1h the next one leaves out
what was found sound within the last hour, and so goes on where it stopped.`

func newEvidenceVerify(s *Shell) *cobra.Command {
	var filter evidence.CheckFilter
	var all bool
	var within time.Duration
	cmd := s.changes(&cobra.Command{
		Use:   "verify ID | --submission ID | --all",
		Short: "Hold files of evidence against their hashes",
		Long:  evidenceVerifyLong,
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			chosen := len(args)
			for _, given := range []bool{filter.SubmissionID != nil, all} {
				if given {
					chosen++
				}
			}
			if chosen != 1 {
				return Usage("say what to verify: ID, --submission ID or --all")
			}
			if len(args) == 1 {
				return verifyOne(s, cmd, args[0])
			}
			return verifyMany(s, cmd, filter, within)
		},
	})
	optionalIDFlag(cmd, &filter.SubmissionID, "submission", "id of a submission, for all of its evidence")
	cmd.Flags().BoolVar(&all, "all", false, "all evidence of the scope")
	cmd.Flags().DurationVar(&within, "not-within", 0, "leave out what was found sound within this time")
	return cmd
}

func verifyOne(s *Shell, cmd *cobra.Command, word string) error {
	id, err := recordID("evidence", word)
	if err != nil {
		return err
	}
	files, scope, done, err := s.evidenceFiles(cmd.Context())
	if err != nil {
		return err
	}
	defer done()
	found, err := files.Check(cmd.Context(), scope, id)
	if err != nil {
		return unknown("evidence", word, err)
	}
	checked, err := write(s, cmd, found, func(tx *db.Tx) (evidence.Evidence, error) {
		all, err := evidence.RecordChecks(cmd.Context(), tx, found)
		if err != nil {
			return evidence.Evidence{}, err
		}
		return all[0], nil
	})
	if err != nil {
		return err
	}
	err = PrintOne(s, checked, evidenceFields...)
	if err == nil && checked.Integrity != models.IntegrityOK {
		err = Unsound("the file is %s", checked.Integrity)
	}
	return err
}

func verifyMany(s *Shell, cmd *cobra.Command, filter evidence.CheckFilter, within time.Duration) error {
	if within > 0 {
		since := time.Now().Add(-within)
		filter.NotSince = &since
	}
	files, scope, done, err := s.evidenceFiles(cmd.Context())
	if err != nil {
		return err
	}
	defer done()
	record := s.store.Write
	if s.dryRun {
		record = s.store.DryRun
	}
	progress := s.Progress("Verifying")
	report, err := files.CheckAll(cmd.Context(), scope, filter, record, progress.Report)
	progress.Done()
	if err != nil {
		return err
	}
	err = printChecks(s, report)
	switch {
	case err != nil:
		return err
	case len(report.Problems) > 0:
		return Unsound("of %s, %d changed or missing", plural.Of(report.Checked, "file"), len(report.Problems))
	case report.Failed > 0:
		return Partly("%s could not be read now", plural.Of(report.Failed, "file"))
	}
	return nil
}

func printChecks(s *Shell, r evidence.CheckReport) error {
	return s.Show(r, func(screen *Screen) error {
		err := writeFields(screen, r, checkColumns)
		if err != nil || len(r.Problems) == 0 {
			return err
		}
		fmt.Fprintln(screen)
		return Table(screen, r.Problems, evidenceColumns...)
	})
}

var checkColumns = columns[evidence.CheckReport]("Checked, OK, Changed, Missing, Failed = Not read")
