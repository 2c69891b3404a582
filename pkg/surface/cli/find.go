package cli

import (
	"context"

	"assess/pkg/kernel/db"
)

// ifNamed finds the record that a flag names, if it was given.
func ifNamed[T any](ctx context.Context, tx *db.Tx, word string, find func(context.Context, *db.Tx, string) (T, error), to *T) error {
	if word == "" {
		return nil
	}
	found, err := find(ctx, tx, word)
	*to = found
	return err
}
