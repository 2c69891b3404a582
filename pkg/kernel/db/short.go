package db

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"
)

// WriteShort is Write for an operation that usually needs a single statement, as a save does. The transaction begins with the
// first statement and not before; if that one is LastRow, then begin, scope, statement and commit travel together, and the
// call is one round trip; the same goes for LastPair. An operation that needs anything else first (Now, a row, bun's builders)
// gets a transaction like that of Write, in which these are statements like any other.
func (s *Store) WriteShort(ctx context.Context, scope Scope, fn func(*Tx) error) error {
	return s.main.run(ctx, scope, shortWrite, fn)
}

// ReadShort is Read in the same way.
func (s *Store) ReadShort(ctx context.Context, scope Scope, fn func(*Tx) error) error {
	return s.main.run(ctx, scope, shortRead, fn)
}

// LastRow runs a prepared statement that yields a row or none, and reads the row into dest. After a row the
// operation needs nothing more from the database and succeeds: in a short transaction the statement is
// committed by then, in any other it is committed at the end. Errors: pgx.ErrNoRows for a statement that
// found nothing, which must have changed nothing (what comes after it begins another transaction); after any
// other error except outcome_unknown nothing was changed.
func (tx *Tx) LastRow(ctx context.Context, sql string, args []any, dest ...any) error {
	if tx.state != unbegun {
		return tx.QueryRow(ctx, sql, args...).Scan(dest...)
	}
	err := tx.prepare(ctx, sql)
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	tx.queueBegin(b)
	found := queueRow(b, sql, args, dest)
	err = tx.sendCommit(ctx, b)
	if err == nil && *found != nil {
		tx.state, err = unbegun, *found
	}
	return err
}

// LastPair runs two prepared statements: it reads the row of the first into its Dest, and hands each row of the second to read, which does
// not use the transaction. After them the operation needs nothing more from the database and succeeds: a short transaction is one round
// trip. Both travel together, so the second must do nothing by itself if the first finds nothing. Errors: as LastRow.
func (tx *Tx) LastPair(ctx context.Context, first, second Statement, read func(pgx.CollectableRow) error) error {
	if tx.state != unbegun {
		err := tx.QueryRow(ctx, first.SQL, first.Args...).Scan(first.Dest...)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, second.SQL, second.Args...)
		if err != nil {
			return err
		}
		return eachRow(rows, read)
	}
	err := tx.prepare(ctx, first.SQL, second.SQL)
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	tx.queueBegin(b)
	found := queueRow(b, first.SQL, first.Args, first.Dest)
	b.Queue(second.SQL, second.Args...).Query(func(rows pgx.Rows) error { return eachRow(rows, read) })
	err = tx.sendCommit(ctx, b)
	if err == nil && *found != nil {
		tx.state, err = unbegun, *found
	}
	return err
}

func eachRow(rows pgx.Rows, read func(pgx.CollectableRow) error) error {
	defer rows.Close()
	for rows.Next() {
		err := read(rows)
		if err != nil {
			return err
		}
	}
	return rows.Err()
}

// queueRow reads the row of a statement into dest once the batch has been sent, or leaves pgx.ErrNoRows where there is none.
func queueRow(b *pgx.Batch, sql string, args, dest []any) *error {
	var found error
	b.Queue(sql, args...).QueryRow(func(row pgx.Row) error {
		err := row.Scan(dest...)
		if errors.Is(err, pgx.ErrNoRows) {
			found, err = err, nil
		}
		return err
	})
	return &found
}

var errEnded = errors.New("db: the transaction ended with its last row")

// mustBegin begins a short transaction that has not begun. It has no error to give: where it fails, the
// connection is closed, so that nothing runs outside of the transaction, and the call ends with the reason.
func (tx *Tx) mustBegin() {
	if tx.state == begun || tx.failed != nil {
		return
	}
	if tx.state == ended {
		tx.failed = errEnded
	} else {
		_, tx.failed = tx.begin(tx.later, nil)
	}
	if tx.failed != nil {
		tx.raw.Close(tx.later) //nolint:errcheck // the pool drops the connection
	}
}

func (tx *Tx) bun() bun.Conn {
	tx.mustBegin()
	return tx.conn
}

func (tx *Tx) pgx() *pgx.Conn {
	tx.mustBegin()
	return tx.raw
}
