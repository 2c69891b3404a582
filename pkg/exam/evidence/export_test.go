package evidence

import (
	"context"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// NextToCheck reads a piece of the evidence that CheckAll goes through.
func NextToCheck(ctx context.Context, tx *db.Tx, after ids.ID) (int, error) {
	var piece []models.Evidence
	err := CheckFilter{}.next(tx, after).Scan(ctx, &piece)
	return len(piece), err
}
