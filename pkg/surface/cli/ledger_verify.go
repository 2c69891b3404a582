package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/plural"
	"assess/pkg/trust/translog"
)

const ledgerVerifyLong = `Hold the ledger against its log, and the log against what was signed.

Without a file it reads the database: every event, every checkpoint, and every submission, of which
the log has the state. With a file it needs no database at all: an export of the log (ledger
export), or a proof (ledger prove). It names each event that was edited, removed, inserted or put
elsewhere, and each submission that was changed past the service.

Whoever owns the database can rewrite everything in it. What they cannot change are checkpoints that
were kept elsewhere: name them with --against, files or folders of them. A signature counts only
by a known key. Without --key those of the database or of the file count, which shows that all of
it belongs together, and not who signed it.

Exit codes: 0 nothing was found; 1 something was, and it is printed; 2 a file cannot be read.`

func newLedgerVerify(s *Shell) *cobra.Command {
	var against, keys []string
	var eventsOnly bool
	cmd := &cobra.Command{
		Use:   "verify [FILE]",
		Short: "Find out whether events or submissions were changed, with the database or offline",
		Long:  ledgerVerifyLong,
		RunE: func(cmd *cobra.Command, args []string) error {
			older, trusted, err := checkedAgainst(against, keys)
			if err != nil {
				return Usage("%w", err)
			}
			if len(args) == 1 {
				r, err := translog.VerifyFile(translog.FileInput{Path: args[0], Older: older, Keys: trusted})
				if err != nil {
					return Usage("%w", err)
				}
				return s.showVerified(r)
			}
			return s.verifyLedger(cmd.Context(), translog.VerifyInput{Older: older, Keys: trusted, EventsOnly: eventsOnly})
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&against, "against", nil, "file with an older checkpoint, export or proof, or a folder of them (may be given again)")
	flags.StringArrayVar(&keys, "key", nil, "verifier key that counts, or a file of them, or of the answer of GET /ledger/keys (may be given again)")
	flags.BoolVar(&eventsOnly, "events-only", false, "leave submissions out")
	return cmd
}

func checkedAgainst(against, keys []string) ([]translog.Older, []string, error) {
	var older []translog.Older
	for _, path := range against {
		found, err := translog.ReadOlder(path)
		if err != nil {
			return nil, nil, err
		}
		older = append(older, found...)
	}
	var trusted []string
	for _, given := range keys {
		found, err := translog.ReadKeys(given)
		if err != nil {
			return nil, nil, err
		}
		trusted = append(trusted, found...)
	}
	if len(keys) > 0 && len(trusted) == 0 {
		return nil, nil, fmt.Errorf("there is no key in %v", keys)
	}
	return older, trusted, nil
}

func (s *Shell) verifyLedger(ctx context.Context, in translog.VerifyInput) error {
	progress := s.Progress("Verifying")
	in.Progress = progress.Report
	r, err := report(ctx, s, func(tx *db.Tx) (translog.Report, error) { return translog.Verify(ctx, tx, in) })
	progress.Done()
	if err != nil {
		return err
	}
	return s.showVerified(r)
}

func (s *Shell) showVerified(r translog.Report) error {
	err := s.Show(r, func(screen *Screen) error {
		err := writeFields(screen, r, verifiedColumns)
		if err != nil || len(r.Findings) == 0 {
			return err
		}
		fmt.Fprintln(screen)
		return writeTable(screen, r.Findings, findingOfLogColumns)
	})
	if err == nil && !r.Sound() {
		return Unsound("%s: this is not what was signed", plural.Of(len(r.Findings)+r.More, "finding"))
	}
	return err
}

var verifiedColumns = columns("Source, Origin = Log, Size = Events in the log, Events = Events read, Submissions, Checkpoints = Checkpoints that agree, TrustedKeys = Keys from, Root, More",
	Column[translog.Report]{Header: "More", Cell: func(r translog.Report) string {
		if r.More == 0 {
			return none
		}
		return plural.Of(r.More, "finding")
	}})

var findingOfLogColumns = columns("Seq = Event, Message",
	Column[translog.Finding]{Header: "Event", Cell: func(f translog.Finding) string {
		if f.Seq == 0 {
			return none
		}
		return fmt.Sprint(f.Seq)
	}, Align: Right})
