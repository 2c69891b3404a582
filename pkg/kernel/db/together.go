package db

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Statement yields a row or none, which is read into Dest; without Dest nothing is read.
type Statement struct {
	SQL  string
	Args []any
	Dest []any
}

// Together runs prepared statements one after the other, in one round trip, and says of each whether it yielded or changed a row. So several
// short statements, which PostgreSQL plans once and Citus sends on as they are, cost no more than a long one.
func (tx *Tx) Together(ctx context.Context, all ...Statement) ([]bool, error) {
	conn := tx.pgx()
	b := &pgx.Batch{}
	found := make([]bool, len(all))
	for i, s := range all {
		_, err := conn.Prepare(ctx, s.SQL, s.SQL)
		if err != nil {
			return nil, err
		}
		queued := b.Queue(s.SQL, s.Args...)
		if s.Dest == nil {
			queued.Exec(func(tag pgconn.CommandTag) error {
				found[i] = tag.RowsAffected() > 0
				return nil
			})
			continue
		}
		queued.QueryRow(func(row pgx.Row) error {
			err := row.Scan(s.Dest...)
			found[i] = err == nil
			if errors.Is(err, pgx.ErrNoRows) {
				return nil
			}
			return err
		})
	}
	return found, conn.SendBatch(ctx, b).Close()
}
