package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/trust/translog"
)

func newLedger(s *Shell) *cobra.Command {
	return wide(group("ledger", "Prove that nobody has rewritten the ledger, nor a submission",
		newLedgerCheckpoint(s), newLedgerSequence(s), newLedgerVerify(s), newLedgerExport(s), newLedgerProve(s), newLedgerKeys(s)))
}

func newLedgerCheckpoint(s *Shell) *cobra.Command {
	cmd := newShow(s, "checkpoint", "Show the newest checkpoint of the log", alone(translog.NewestCheckpoint),
		drawn(func(screen *Screen, c translog.Signed) error {
			_, err := screen.Write([]byte(c.Note))
			return err
		}))
	cmd.Long = `Show the newest checkpoint of the log: a signed note with the name of the log, the number of
events and the Merkle root over them. Keep it where nobody who works on the database can change it:
ledger verify --against finds whatever was rewritten since.`
	return cmd
}

func newLedgerSequence(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "sequence",
		Short: "Take new events and submissions into the log now, and sign a checkpoint",
		Long: `Take new events and submissions into the log now, and sign a checkpoint, as every assessd
does once in ledger.checkpoint_every. It does no harm beside them.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			done, err := s.sequence(cmd.Context())
			if err != nil {
				return err
			}
			return PrintOne(s, done, sequencedColumns...)
		},
	}
}

func (s *Shell) sequence(ctx context.Context) (translog.Done, error) {
	store, scope, err := s.scoped(ctx)
	if err != nil {
		return translog.Done{}, err
	}
	c, err := s.Config()
	if err != nil {
		return translog.Done{}, err
	}
	c.Auth, err = s.auth()
	if err != nil {
		return translog.Done{}, err
	}
	logs, done, err := translog.Open(ctx, store, c)
	if err != nil {
		return translog.Done{}, err
	}
	defer done()
	for deadline := time.Now().Add(busyFor); ; {
		did, err := logs.Sequence(ctx, scope.Tenant)
		if err != nil || !did.Busy || time.Now().After(deadline) {
			return did, err
		}
		select {
		case <-ctx.Done():
			return did, ctx.Err()
		case <-time.After(busyPause / 10):
		}
	}
}

// busyFor is how long a log is waited for that another process appends to.
const busyFor = 10 * time.Second

func newLedgerKeys(s *Shell) *cobra.Command {
	var lost bool
	rotate := newAct(s, "rotate", "Retire the key that signs and make a new one",
		func(ctx context.Context, tx *db.Tx, _ []string) (translog.Keys, error) {
			auth, err := s.auth()
			if err != nil {
				return translog.Keys{}, err
			}
			return translog.RotateKey(ctx, tx, auth.KeySecret, lost)
		}, tableOf(keysOf, ledgerKeyColumns))
	rotate.Long = `Retire the key that signs and make a new one. What was signed before stays valid: its public
key stays in the list. The key before signs the new one, so those who have the first key need not be told.
With --lost, where the secret of all earlier keys is lost, nobody signs it: it is outside the chain, and only who
names it with --key believes what it signs.`
	rotate.Flags().BoolVar(&lost, "lost", false, "the secret of the earlier keys is lost: make a key outside the chain")
	return group("keys", "List and rotate the keys that sign checkpoints, receipts and manifests",
		newShow(s, "list", "List the public keys, newest first", alone(translog.ListKeys), tableOf(keysOf, ledgerKeyColumns)), rotate)
}

// listedKey is a key of the list, which says whether it is in the chain.
type listedKey struct {
	translog.Key
	outside bool
}

func keysOf(k translog.Keys) []listedKey {
	listed := func(outside bool) func(translog.Key) listedKey {
		return func(one translog.Key) listedKey { return listedKey{one, outside} }
	}
	return append(mapped(k.Keys, listed(false)), mapped(k.Outside, listed(true))...)
}

var ledgerKeyColumns = columns("VerifierKey, CreatedAt = Since (UTC), State, ID*",
	Column[listedKey]{Header: "State", Cell: func(k listedKey) string {
		if k.outside {
			return "outside the chain"
		}
		if k.RetiredAt == nil {
			return "in use"
		}
		return "retired " + moment(*k.RetiredAt)
	}, Colour: func(k listedKey) Colour { return goodIf(k.RetiredAt == nil && !k.outside) }},
)

var sequencedColumns = columns[translog.Done]("Submissions, Events, Size = Events in the log, Signed = New checkpoint, Busy")
