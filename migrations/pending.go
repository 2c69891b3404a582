package migrations

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// Pending lists the files that Up would apply, in order. It changes nothing.
func Pending(ctx context.Context, ownerURL string) ([]string, error) {
	found, err := load()
	if err != nil {
		return nil, fmt.Errorf("list pending migrations: read files: %w", err)
	}
	applied, err := appliedNames(ctx, ownerURL)
	if err != nil {
		return nil, err
	}
	var pending []string
	for _, m := range found.Sorted() {
		if !slices.Contains(applied, m.Name) {
			pending = append(pending, m.Name+"_"+m.Comment)
		}
	}
	return pending, nil
}

// appliedNames is empty for a database that was never migrated.
func appliedNames(ctx context.Context, ownerURL string) ([]string, error) {
	config, err := pgx.ParseConfig(ownerURL)
	if err != nil {
		return nil, errors.New("list pending migrations: the owner's database URL cannot be parsed")
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("list pending migrations: connect: %w", err)
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing hangs on it any more
	var there bool
	err = conn.QueryRow(ctx, "select to_regclass('public.bun_migrations') is not null").Scan(&there)
	if err != nil || !there {
		return nil, err
	}
	rows, err := conn.Query(ctx, "select name from bun_migrations")
	if err != nil {
		return nil, fmt.Errorf("list pending migrations: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
