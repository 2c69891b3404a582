package dbtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Heap gives a connection that writes past constraints, triggers and policies, for tests
// that need very many rows: what these refer to is of no matter to plans. Vacuum and analyze
// afterwards.
func Heap(t testing.TB, urls URLs) *pgx.Conn {
	t.Helper()
	super, err := pgx.Connect(t.Context(), urls.Super)
	if err == nil {
		_, err = super.Exec(t.Context(), "set session_replication_role = replica")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { super.Close(context.WithoutCancel(t.Context())) })
	return super
}

// querier is a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// reads is what a connection has read of a table.
type reads struct {
	// scans is how often it read the table from end to end.
	scans int64
	// rows is how many rows it looked at. What an index answers alone is not among them.
	rows int64
}

// ByIndex does the work in the transaction and fails the test when it reads one of the tables
// from end to end, or looks at more than most of its rows. It counts what the very statements
// read that run, triggers and foreign keys included.
func ByIndex(t testing.TB, tx querier, what string, most int64, work func(), tables ...string) {
	t.Helper()
	before := readsOf(t, tx)
	work()
	after := readsOf(t, tx)
	for _, table := range tables {
		scans, rows := after[table].scans-before[table].scans, after[table].rows-before[table].rows
		if scans > 0 || rows > most {
			t.Errorf("%s: reads %s from end to end %d times and looks at %d of its rows, want 0 and at most %d", what, table, scans, rows, most)
		}
	}
}

// readsOf gives the reads of a connection by table, as far as they are not in the statistics
// yet.
func readsOf(t testing.TB, tx querier) map[string]reads {
	t.Helper()
	all := map[string]reads{}
	rows, err := tx.Query(t.Context(), `
		select relname, seq_scan, seq_tup_read + coalesce(idx_tup_fetch, 0) from pg_stat_xact_user_tables`)
	if err != nil {
		t.Fatal(err)
	}
	var name string
	var r reads
	_, err = pgx.ForEachRow(rows, []any{&name, &r.scans, &r.rows}, func() error {
		all[name] = r
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
