package cli

import (
	"context"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/plural"
	"assess/pkg/trust/translog"
)

// Exported describes the content of an export.
type Exported struct {
	File   string `json:"file"`
	Events int64  `json:"events"`
}

func newLedgerExport(s *Shell) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "export --file PATH",
		Short: "Write the log up to its newest checkpoint into a file that can be verified offline",
		Long: `Write the log up to its newest checkpoint as NDJSON: the first line has the checkpoint and the
public keys, each other one an event in canonical JSON, the states of a batch of submissions, or the
hashes of the events before it. It holds ids, codes and hashes, and no names. --file - is standard
output.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				return Usage("say where to: --file PATH")
			}
			return s.exportLedger(cmd.Context(), file)
		},
	}
	cmd.Flags().StringVar(&file, "file", "", "file to write; - for standard output")
	return cmd
}

func (s *Shell) exportLedger(ctx context.Context, file string) error {
	progress := s.Progress("Exporting")
	defer progress.Done()
	var n int64
	err := s.writeWhole(file, func(to io.Writer) error {
		var err error
		n, err = report(ctx, s, func(tx *db.Tx) (int64, error) { return translog.Export(ctx, tx, to, progress.Report) })
		return err
	})
	progress.Done()
	if err != nil || file == "-" {
		return err
	}
	s.Note("%s in %s.", plural.Of(int(n), "event"), file)
	return PrintOne(s, Exported{file, n})
}

func newLedgerProve(s *Shell) *cobra.Command {
	event := newShow(s, "event SEQ", "Prove that an event is in the log", func(ctx context.Context, tx *db.Tx, args []string) (translog.Bundle, error) {
		seq, err := strconv.ParseInt(args[0], 10, 64)
		if err != nil || seq < 1 {
			return translog.Bundle{}, Usage("%q is not the number of an event", args[0])
		}
		return translog.EventProof(ctx, tx, seq)
	}, fields(bundleColumns))
	submission := newShow(s, "submission SUBMISSION-ID", "Prove which state of a submission the log has", byID("submission", translog.SubmissionProof), fields(bundleColumns))
	return group("prove", "Make a proof that ledger verify checks without a database; -o json gives all of it", event, submission)
}

var bundleColumns = columns("Inclusion.Index = Event, Inclusion.Size = Events in the log, State hash, Hashes, Checkpoint",
	Column[translog.Bundle]{Header: "Event", Cell: func(b translog.Bundle) string { return strconv.FormatInt(b.Inclusion.Index+1, 10) }},
	Column[translog.Bundle]{Header: "State hash", Cell: func(b translog.Bundle) string {
		if b.Submission == nil || b.Submission.StateHash == nil {
			return none
		}
		return *b.Submission.StateHash
	}},
	Column[translog.Bundle]{Header: "Hashes", Cell: func(b translog.Bundle) string {
		n := len(b.Inclusion.Hashes)
		if b.Batch != nil {
			n += len(b.Batch.Hashes)
		}
		return strconv.Itoa(n)
	}},
)
