package migrations

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Prepared says whether an administrator has made the role that the migrations give their rights
// to. If the owner cannot connect, it gives that error unchanged.
func Prepared(ctx context.Context, ownerURL string) (bool, error) {
	conn, err := pgx.Connect(ctx, ownerURL)
	if err != nil {
		return false, err
	}
	defer conn.Close(ctx) //nolint:errcheck // nothing hangs on it
	var there bool
	err = conn.QueryRow(ctx, "select exists (select from pg_roles where rolname = 'assess_app')").Scan(&there)
	if err != nil {
		return false, fmt.Errorf("look for the role assess_app: %w", err)
	}
	return there, nil
}
