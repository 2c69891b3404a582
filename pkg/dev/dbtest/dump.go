package dbtest

import (
	"fmt"
	"io"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Dump streams the rows of the whole database, with the queue of jobs, as its owner can copy them: like
// pg_dump --data-only, but without the program, which not every server comes with. The connection is busy
// until the end of the stream.
func Dump(t testing.TB, super *pgx.Conn) io.Reader {
	t.Helper()
	rows, err := super.Query(t.Context(), `
		select format('copy %I.%I to stdout', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema') order by 1`)
	if err != nil {
		t.Fatal(err)
	}
	copies, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(copies) < 100 {
		t.Fatal(len(copies), "tables", err)
	}
	out, in := io.Pipe()
	go func() {
		for _, table := range copies {
			_, err := super.PgConn().CopyTo(t.Context(), in, table)
			if err != nil {
				in.CloseWithError(fmt.Errorf("%s: %w", table, err))
				return
			}
		}
		in.Close() //nolint:errcheck // closing a pipe does not fail
	}()
	return out
}
