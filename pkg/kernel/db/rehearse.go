package db

import (
	"context"
	"errors"
	"fmt"
)

// checkNowSQL checks deferred constraints on the node of the tenant, whose rows are all there: "set constraints" is not handed on. A count is there
// whether rows are or not.
const checkNowSQL = "select check_now(count(*)) from (select from org_units where tenant_id = $1 limit 1) one"

// Try runs fn so that its failure undoes what fn did and nothing else: what it wrote, the
// locks that it took, and what it left for the end.
func (tx *Tx) Try(ctx context.Context, fn func() error) error {
	left, counted := len(tx.last), len(tx.counts)
	_, err := tx.pgx().Exec(ctx, "savepoint try")
	if err != nil {
		return fmt.Errorf("set savepoint: %w", err)
	}
	failed := fn()
	end := "release savepoint try"
	if failed != nil {
		end, tx.last, tx.counts = "rollback to savepoint try; release savepoint try", tx.last[:left], tx.counts[:counted]
	}
	_, err = tx.pgx().Exec(ctx, end)
	if err != nil {
		return errors.Join(failed, fmt.Errorf("end savepoint: %w", err))
	}
	return failed
}

// Rehearse runs fn for real, checks deferred constraints, and takes everything back,
// including the locks. The code that fn calls learns of it from Rehearsing.
func (tx *Tx) Rehearse(ctx context.Context, fn func() error) error {
	before := tx.rehearsing
	tx.rehearsing = true
	defer func() { tx.rehearsing = before }()
	err := tx.Try(ctx, func() error {
		err := fn()
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, checkNowSQL, tx.Tenant())
		if err != nil {
			return err
		}
		return errRehearsed
	})
	if errors.Is(err, errRehearsed) {
		return nil
	}
	return err
}

// Rehearsing says that the work done now will be taken back. A rehearsal needs no step-up
// proof: it would have nothing to spend it on.
func (tx *Tx) Rehearsing() bool { return tx.rehearsing }
