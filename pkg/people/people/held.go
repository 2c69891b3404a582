package people

import (
	"context"
	"fmt"
	"reflect"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

const keptByHold = "a hold keeps the metadata of this person as they are"

// keepsHeld refuses to change the metadata of a person under a hold: the old ones would be gone. The caller holds the
// lock of the person's row, as placing a hold does.
func (n userChange) keepsHeld(ctx context.Context, tx *db.Tx, old User) error {
	if reflect.DeepEqual(n.user.Metadata, old.Metadata) {
		return nil
	}
	var held bool
	err := tx.QueryRow(ctx, "select held from users where tenant_id = $1 and id = $2", tx.Tenant(), old.ID).Scan(&held)
	if err != nil {
		return fmt.Errorf("look for a hold: %w", err)
	}
	if held {
		return errs.New(errs.HoldActive, "A hold keeps the metadata of this person as they are; nothing was changed.")
	}
	return nil
}

// checkHeld adds the same problem to the rows of an import.
func checkHeld(ctx context.Context, tx *db.Tx, checks []UserCheck) error {
	var at []int
	var keys, metadata []string
	var who []ids.ID
	for i, c := range checks {
		if len(c.Problems) > 0 || len(c.user.metadata) == 0 {
			continue // nothing to compare
		}
		text, err := encodeMetadata(c.user.metadata)
		if err != nil {
			return fmt.Errorf("encode metadata: %w", err)
		}
		at, keys, who, metadata = append(at, i), append(keys, c.user.key), append(who, c.user.id), append(metadata, text)
	}
	if len(at) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `
		select t.n - 1 from unnest($2::text[], $3::uuid[], $4::text[]) with ordinality as t (key, id, metadata, n)
		cross join lateral (select held, metadata from users u where u.tenant_id = $1
			and (u.email_key = t.key or u.email_key is null and u.id = t.id) offset 0) u
		where u.held and u.metadata || t.metadata::jsonb <> u.metadata`, tx.Tenant(), keys, who, metadata)
	if err != nil {
		return fmt.Errorf("look for holds: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return fmt.Errorf("look for holds: %w", err)
	}
	for _, n := range found {
		checks[at[n]].add(errs.Field{Path: "metadata", Code: string(errs.HoldActive), Message: keptByHold})
	}
	return nil
}
