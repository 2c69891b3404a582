package httpapi

import (
	"context"

	"assess/pkg/kernel/db"
	"assess/pkg/people/people"
)

func getMe(ctx context.Context, tx *db.Tx, _ *nothing) (people.Self, error) {
	return people.Me(ctx, tx)
}
