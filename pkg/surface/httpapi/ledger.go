package httpapi

import (
	"context"
	"io"

	"assess/pkg/kernel/db"
	"assess/pkg/trust/translog"
)

var noteFile = fileKind{".txt", "text/plain; charset=utf-8", "A signed note: the name of the log, the number of events, and the Merkle root over them (C2SP, tlog-checkpoint)"}

func ledgerCheckpoint(ctx context.Context, tx *db.Tx, _ *nothing, to io.Writer) error {
	c, err := translog.NewestCheckpoint(ctx, tx)
	if err != nil {
		return err
	}
	_, err = io.WriteString(to, c.Note)
	return err
}

func listLedgerKeys(ctx context.Context, tx *db.Tx, _ *nothing) (translog.Keys, error) {
	return translog.ListKeys(ctx, tx)
}

type proveEventInput struct {
	Seq int64 `path:"seq" minimum:"1" doc:"Number of the event"`
}

func proveEvent(ctx context.Context, tx *db.Tx, in *proveEventInput) (translog.Bundle, error) {
	return translog.EventProof(ctx, tx, in.Seq)
}

type proveConsistencyInput struct {
	From int64 `query:"from" required:"true" minimum:"1" doc:"Events of the older log"`
	To   int64 `query:"to" minimum:"0" doc:"Events of the newer log; absent or 0: those of the newest checkpoint"`
}

func proveConsistency(ctx context.Context, tx *db.Tx, in *proveConsistencyInput) (translog.ConsistencyProof, error) {
	return translog.Consistency(ctx, tx, in.From, in.To)
}

func proveSubmission(ctx context.Context, tx *db.Tx, in *ByID) (translog.Bundle, error) {
	return translog.SubmissionProof(ctx, tx, in.ID)
}
