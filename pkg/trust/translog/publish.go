package translog

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// publish writes the checkpoints that are not yet outside the database: <tenant>/<size>.txt, the size
// in 12 digits, so that names sort. They include checkpoints that were signed while there was no place
// for copies. It does no more than some pieces, and says whether there is more. A copy that is there is
// never replaced: finding one that differs is the purpose of such copies, and stops the publishing.
func (s *Service) publish(ctx context.Context, tenant ids.ID, most int) (more bool, err error) {
	if s.Outside == nil {
		return false, nil
	}
	more = true
	for n := 0; more && n < most && err == nil; n++ {
		more, err = s.publishNext(ctx, tenant)
	}
	return more, err
}

// publishPiece is how many checkpoints are copied before that is written down.
const publishPiece = 1000

func (s *Service) publishNext(ctx context.Context, tenant ids.ID) (more bool, err error) {
	var notes []signedNote
	err = s.Store.Read(ctx, db.System(tenant, "ledger"), func(tx *db.Tx) error {
		var err error
		notes, err = unpublished(ctx, tx)
		return err
	})
	if err != nil || len(notes) == 0 {
		return false, err
	}
	for _, n := range notes {
		err = s.Outside.Keep(ctx, fmt.Sprintf("%s/%012d.txt", tenant, n.size), []byte(n.text))
		if err != nil {
			return false, fmt.Errorf("publish the checkpoint of %d events: %w", n.size, err)
		}
	}
	last := notes[len(notes)-1].size
	return len(notes) == publishPiece, s.Store.Write(ctx, db.System(tenant, "ledger"), func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, "update ledger_logs set published = greatest(published, $2) where tenant_id = $1", tenant, last)
		return err
	})
}

type signedNote struct {
	size int64
	text string
}

func unpublished(ctx context.Context, tx *db.Tx) ([]signedNote, error) {
	rows, err := tx.Query(ctx, `select c.size, c.note from ledger_logs l
		cross join lateral (select size, note from ledger_checkpoints c where c.tenant_id = $1 and c.size > l.published
			order by c.size limit $2) c
		where l.tenant_id = $1`, tx.Tenant(), publishPiece)
	if err != nil {
		return nil, fmt.Errorf("read checkpoints to publish: %w", err)
	}
	notes, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (signedNote, error) {
		var n signedNote
		return n, row.Scan(&n.size, &n.text)
	})
	if err != nil {
		return nil, fmt.Errorf("read checkpoints to publish: %w", err)
	}
	return notes, nil
}
