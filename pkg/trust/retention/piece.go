package retention

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/hold"
	"assess/pkg/people/policy"
	"assess/pkg/trust/translog"
)

// PieceSize is how many rows a piece looks at: enough for set-based statements to pay off, few enough for
// a transaction to be short.
const PieceSize = 50

// Counts are rows by table.
type Counts map[string]int64

// cursor is the row that a piece ended with.
type cursor struct {
	at time.Time
	id ids.ID
}

// piece is what one transaction did: the rows that it erased, how many it looked at, how many of these a
// hold keeps, and where it ended.
type piece struct {
	counts Counts
	looked int
	held   int64
	last   cursor
}

// row is something whose time is over.
type row struct {
	cursor
	hold.Owned
}

// erase carries a policy out on the next rows of a target after a cursor.
func (t target) erase(ctx context.Context, tx *db.Tx, d Due, after cursor, limit int) (piece, error) {
	_, err := tx.Exec(ctx, "select pg_advisory_xact_lock(hashtextextended(concat_ws('/', 'retention', $1::text, $2::text), 0))", tx.Tenant().String(), d.Domain)
	if err != nil {
		return piece{}, fmt.Errorf("wait for the sweep of %s: %w", d.Domain, err)
	}
	rows, err := t.next(ctx, tx, d, after, limit)
	if err != nil || len(rows) == 0 {
		return piece{last: after}, err
	}
	done := piece{counts: Counts{}, looked: len(rows), last: rows[len(rows)-1].cursor}
	due := slices.DeleteFunc(rows, func(r row) bool { return r.at.After(d.Cutoff) })
	free, err := unheld(ctx, tx, due)
	if err != nil {
		return piece{}, err
	}
	done.held = int64(len(due) - len(free))
	if len(free) == 0 {
		return done, nil
	}
	for _, s := range t.steps(d.Action) {
		n, err := tx.Exec(ctx, s.sql, tx.Tenant(), free)
		if err != nil {
			return piece{}, fmt.Errorf("sweep %s: %w", cmp.Or(s.table, "files"), err)
		}
		if n > 0 && s.table != "" {
			done.counts[s.table] += n
		}
	}
	return done, t.tell(ctx, tx, d, free)
}

func (t target) next(ctx context.Context, tx *db.Tx, d Due, after cursor, limit int) ([]row, error) {
	args := []any{tx.Tenant(), d.Cutoff, after.at, after.id, limit}
	if t.domain == submissions {
		args = append(args, d.basis())
	}
	found, err := tx.Query(ctx, t.page, args...)
	if err != nil {
		return nil, fmt.Errorf("find what is due of %s: %w", d.Domain, err)
	}
	rows, err := pgx.CollectRows(found, func(r pgx.CollectableRow) (row, error) {
		var one row
		err := r.Scan(&one.id, &one.at, &one.User, &one.Submission)
		return one, err
	})
	if err != nil {
		return nil, fmt.Errorf("find what is due of %s: %w", d.Domain, err)
	}
	return rows, nil
}

// unheld gives the ids of rows that no hold keeps.
func unheld(ctx context.Context, tx *db.Tx, rows []row) ([]ids.ID, error) {
	owned := make([]hold.Owned, len(rows))
	for i, r := range rows {
		owned[i] = r.Owned
	}
	places, err := hold.Free(ctx, tx, owned)
	if err != nil {
		return nil, err
	}
	free := make([]ids.ID, 0, len(places))
	for _, i := range places {
		free = append(free, rows[i].id)
	}
	return free, nil
}

// tell lets the projector and the log know what changed.
func (t target) tell(ctx context.Context, tx *db.Tx, d Due, erased []ids.ID) error {
	look := ""
	switch {
	case d.Action == policy.Delete:
		look = t.projected
	case t.sealed:
		look = "readiness"
	}
	if look != "" {
		_, err := tx.Exec(ctx, "insert into projection_outbox (tenant_id, kind, subject_id, enqueued_at) select $1, $2, id, $3 from unnest($4::uuid[]) id returning true",
			tx.Tenant(), look, tx.Now(), erased)
		if err != nil {
			return fmt.Errorf("ask for a projection: %w", err)
		}
	}
	if t.domain == files && d.Action == policy.Delete {
		return translog.FilesErased(ctx, tx, d.Job, erased)
	}
	if t.sealed {
		return translog.Erased(ctx, tx, d.Job, erased)
	}
	return nil
}

// add counts further rows.
func (c Counts) add(more Counts) {
	for _, table := range slices.Sorted(maps.Keys(more)) {
		c[table] += more[table]
	}
}
