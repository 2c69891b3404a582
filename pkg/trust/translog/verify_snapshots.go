package translog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
)

// snapshotPiece is how many snapshots are read at a time: some are megabytes long.
const snapshotPiece = 20

// verifySnapshots holds the content of every published version against the hash that it is stored under.
func verifySnapshots(ctx context.Context, tx *db.Tx, r *Report) error {
	for after := ""; ; {
		rows, err := tx.Query(ctx, "select hash, content from version_snapshots where tenant_id = $1 and hash > $2 order by hash limit $3",
			tx.Tenant(), after, snapshotPiece)
		if err != nil {
			return fmt.Errorf("read snapshots: %w", err)
		}
		n := 0
		var whole []byte
		_, err = pgx.ForEachRow(rows, []any{&after, &whole}, func() error {
			n++
			if !authoring.Intact(after, whole) {
				r.add(Finding{Code: SnapshotChanged, Message: "the published content " + after + " in version_snapshots is not what its hash names"})
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("read snapshots: %w", err)
		}
		if n < snapshotPiece {
			return nil
		}
	}
}
