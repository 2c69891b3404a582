package sample

import (
	"testing"

	"assess/pkg/dev/await"
	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
)

// AwaitBlocked returns when another transaction waits for this one, so that a test of two at
// once knows which came first.
func AwaitBlocked(t testing.TB, tx *db.Tx) {
	t.Helper()
	await.Until(t, "somebody waits for the transaction", func() bool { return dbtest.Blocks(t, tx) })
}

// Blocked starts other, which is meant to run into a lock of tx, and returns when it waits there.
// The channel gets the result of other, once tx is over.
func Blocked(t testing.TB, tx *db.Tx, other func() error) <-chan error {
	t.Helper()
	over := make(chan error, 1)
	go func() { over <- other() }()
	AwaitBlocked(t, tx)
	return over
}

// HoldLedger keeps everybody else from writing events of the tenant until the transaction ends:
// a call that writes one waits, and the test that makes it does not end.
func HoldLedger(t testing.TB, tx *db.Tx) {
	t.Helper()
	n, err := tx.Exec(t.Context(), "update ledger_heads set last_seq = last_seq where tenant_id = $1", tx.Tenant())
	if err != nil || n != 1 {
		t.Fatalf("%d heads of the ledger held, %v", n, err)
	}
}
