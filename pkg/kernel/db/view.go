package db

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// view shows an open transaction as a pgx.Tx that cannot end it.
type view struct{ raw *pgx.Conn }

var errNotYours = errors.New("db: the transaction belongs to the Store that opened it")

// Begin opens a savepoint, which is all that a library may nest.
func (v view) Begin(ctx context.Context) (pgx.Tx, error) {
	_, err := v.raw.Exec(ctx, "savepoint library")
	if err != nil {
		return nil, err
	}
	return savepoint{v}, nil
}

func (v view) Commit(context.Context) error   { return errNotYours }
func (v view) Rollback(context.Context) error { return errNotYours }

func (v view) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, src pgx.CopyFromSource) (int64, error) {
	return v.raw.CopyFrom(ctx, table, columns, src)
}

func (v view) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return v.raw.SendBatch(ctx, b)
}

func (v view) LargeObjects() pgx.LargeObjects { return pgx.LargeObjects{} }

func (v view) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	return v.raw.Prepare(ctx, name, sql)
}

func (v view) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return v.raw.Exec(ctx, sql, args...)
}

func (v view) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return v.raw.Query(ctx, sql, args...)
}

func (v view) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return v.raw.QueryRow(ctx, sql, args...)
}

func (v view) Conn() *pgx.Conn { return v.raw }

// savepoint ends with itself and not with the transaction.
type savepoint struct{ view }

func (s savepoint) Commit(ctx context.Context) error {
	_, err := s.raw.Exec(ctx, "release savepoint library")
	return err
}

func (s savepoint) Rollback(ctx context.Context) error {
	_, err := s.raw.Exec(ctx, "rollback to savepoint library")
	return err
}
