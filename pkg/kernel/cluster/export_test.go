package cluster

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Order gives the groups of tables as Distribute takes them, without asking Citus.
func Order(ctx context.Context, conn *pgx.Conn) ([][]string, error) {
	tables, err := lookAt(ctx, conn)
	return inOrder(tables), err
}
