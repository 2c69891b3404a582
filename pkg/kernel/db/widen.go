package db

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// AcrossOrgUnits runs fn with the scope widened to every org unit of the tenant, and
// narrows it again. It is for the consequences of changing what the whole tenant shares: a
// term that is merged is merged everywhere. What fn gives back must not tell of single rows
// that the actor does not reach; numbers may leave it.
func (tx *Tx) AcrossOrgUnits(ctx context.Context, fn func() error) error {
	if tx.scope.All {
		return fn()
	}
	err := tx.reach(ctx, true)
	if err != nil {
		return err
	}
	err = fn()
	// After a failed statement the transaction takes no other one, and ends.
	narrowed := tx.reach(ctx, false)
	if err != nil {
		return err
	}
	return narrowed
}

func (tx *Tx) reach(ctx context.Context, all bool) error {
	tx.scope.All = all
	b := &pgx.Batch{}
	b.Queue("select set_config('app.scope_all', $1, true)", onOff(all))
	if hasNodes(tx.pgx()) {
		b.Queue(setReach(all))
	}
	err := tx.pgx().SendBatch(ctx, b).Close()
	if err != nil {
		return fmt.Errorf("set the scope: %w", err)
	}
	return nil
}
