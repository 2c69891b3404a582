package db

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
)

// Tx is one scoped transaction. It must not be used by two goroutines at once.
type Tx struct {
	scope Scope
	mode  mode
	state state
	now   time.Time
	conn  bun.Conn
	raw   *pgx.Conn
	last  []statement
	// counts wait for the commit.
	counts []count
	// rehearsing says that Rehearse is at work.
	rehearsing bool
	// later is the context in which a short transaction begins, and failed why it could not.
	later  context.Context //nolint:containedctx // bun's builders bring none, and the Tx lives as long as the call
	failed error

	keySecret, baseURL string
}

// state is how far a transaction is.
type state int

const (
	unbegun state = iota
	begun
	ended
)

type statement struct {
	sql  string
	args []any
}

// Now is the one clock of domain code: the database's time at the start of the
// transaction, in UTC to the millisecond, so that several machines agree.
func (tx *Tx) Now() time.Time {
	if tx.state != ended {
		tx.mustBegin()
	}
	return tx.now
}

// KeySecret is auth.key_secret (access.Seal); empty where the Store was opened without it.
func (tx *Tx) KeySecret() string { return tx.keySecret }

// BaseURL is http.base_url, without a slash at the end; empty where the Store was opened without it.
func (tx *Tx) BaseURL() string { return tx.baseURL }

// NewSelect starts a bun select.
func (tx *Tx) NewSelect() *bun.SelectQuery { return tx.bun().NewSelect() }

// NewInsert starts a bun insert.
func (tx *Tx) NewInsert() *bun.InsertQuery { return tx.bun().NewInsert() }

// NewUpdate starts a bun update.
func (tx *Tx) NewUpdate() *bun.UpdateQuery { return tx.bun().NewUpdate() }

// NewDelete starts a bun delete.
func (tx *Tx) NewDelete() *bun.DeleteQuery { return tx.bun().NewDelete() }

// NewRaw starts a bun query of plain SQL with ? placeholders.
func (tx *Tx) NewRaw(query string, args ...any) *bun.RawQuery { return tx.bun().NewRaw(query, args...) }

// Query runs a prepared statement; read the rows with pgx.CollectRows or ForEachRow.
func (tx *Tx) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return tx.pgx().Query(ctx, sql, prepared(args)...)
}

// QueryRow runs a prepared statement that yields one row.
func (tx *Tx) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return tx.pgx().QueryRow(ctx, sql, prepared(args)...)
}

// Exec runs a prepared statement and gives the number of rows that it touched.
func (tx *Tx) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	tag, err := tx.pgx().Exec(ctx, sql, prepared(args)...)
	return tag.RowsAffected(), err
}

// AtCommit runs a prepared statement after everything else of the transaction, in the round
// trip of the commit. So its locks are held no longer than that takes, however long the
// transaction goes on before; and nobody sees its writes earlier.
func (tx *Tx) AtCommit(ctx context.Context, sql string, args ...any) error {
	_, err := tx.pgx().Prepare(ctx, sql, sql)
	tx.last = append(tx.last, statement{sql, args})
	return err
}

func (tx *Tx) queueLast(b *pgx.Batch) {
	for _, s := range tx.last {
		b.Queue(s.sql, s.args...)
	}
}

// Pgx gives the transaction to a library that wants a pgx.Tx (the job queue). Its Commit
// and Rollback refuse.
func (tx *Tx) Pgx() pgx.Tx { return view{tx.pgx()} }

func prepared(args []any) []any {
	all := make([]any, 0, len(args)+1)
	return append(append(all, pgx.QueryExecModeCacheStatement), args...)
}
