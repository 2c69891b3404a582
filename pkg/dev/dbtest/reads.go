package dbtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Reads counts what a piece of work read from a table: rows of the table itself, entries of its
// indexes, and blocks of both. ReadThrough says that it was read without an index.
type Reads struct {
	Rows, Entries, Blocks int64
	ReadThrough           bool
}

// querier is a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	Exec(ctx context.Context, sql string, args ...any) (int64, error)
}

// readsSQL reads the counters of this connection, which are exact and free of time.
const readsSQL = `
select t.relname,
	(pg_stat_get_xact_tuples_returned(t.oid) + pg_stat_get_xact_tuples_fetched(t.oid)
		+ coalesce(sum(pg_stat_get_xact_tuples_fetched(i.indexrelid)), 0))::bigint,
	coalesce(sum(pg_stat_get_xact_tuples_returned(i.indexrelid)), 0)::bigint,
	(pg_stat_get_xact_blocks_fetched(t.oid) + coalesce(sum(pg_stat_get_xact_blocks_fetched(i.indexrelid)), 0))::bigint,
	pg_stat_get_xact_tuples_returned(t.oid)::bigint
from pg_class t left join pg_index i on i.indrelid = t.oid
where t.relkind = 'r' and t.relnamespace = 'public'::regnamespace
group by t.oid, t.relname`

// ReadsOf says what work, all of its statements together, read of each table. It counts
// rows and blocks, so it says the same on every machine, however busy.
func ReadsOf(t testing.TB, tx querier, work func() error) map[string]Reads {
	t.Helper()
	OneServer(t)
	// The counters cover only this process.
	_, err := tx.Exec(t.Context(), "set local max_parallel_workers_per_gather = 0")
	if err != nil {
		t.Fatal(err)
	}
	before := counters(t, tx)
	err = work()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]Reads{}
	for table, now := range counters(t, tx) {
		then := before[table]
		r := Reads{Rows: now.rows - then.rows, Entries: now.entries - then.entries, Blocks: now.blocks - then.blocks,
			ReadThrough: now.through > then.through}
		if r != (Reads{}) {
			all[table] = r
		}
	}
	return all
}

type counter struct{ rows, entries, blocks, through int64 }

func counters(t testing.TB, tx querier) map[string]counter {
	t.Helper()
	rows, err := tx.Query(t.Context(), readsSQL)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]counter{}
	var table string
	var c counter
	_, err = pgx.ForEachRow(rows, []any{&table, &c.rows, &c.entries, &c.blocks, &c.through}, func() error {
		all[table] = c
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
