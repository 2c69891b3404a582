package authoring

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// TitleOf gives the title of an evaluation by its id or that of a version; empty where the scope has neither. The caller has
// checked who may see it.
func TitleOf(ctx context.Context, tx *db.Tx, id ids.ID) (string, error) {
	var title string
	err := tx.QueryRow(ctx, `select title from evaluations where tenant_id = $1 and id = coalesce(
		(select evaluation_id from evaluation_versions where tenant_id = $1 and id = $2), $2)`, tx.Tenant(), id).Scan(&title)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", fmt.Errorf("read the title of an evaluation: %w", err)
	}
	return title, nil
}
