package policy

import (
	"context"

	"assess/pkg/kernel/db"
)

// Prove takes a fresh step-up proof from a user, of any method: for what takes data or rights away for good. An operator
// needs none, nor does what is taken back at the end. Errors: step_up_required.
func Prove(ctx context.Context, tx *db.Tx) error {
	if tx.Actor().Kind != db.UserActor || tx.Rehearsing() {
		return nil
	}
	_, err := tx.ConsumeProof(ctx, Methods)
	return err
}
