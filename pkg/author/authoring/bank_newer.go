package authoring

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/pkg/author/media"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// newer has the state next to the versions that publishing pins: drafts of questions, the
// current state of passages by passage id, the assets that each version pinned, and the
// current version of each.
type newer struct {
	drafts   map[ids.ID]bool
	passages map[ids.ID]passageNow
	pins     map[ids.ID]map[ids.ID]ids.ID
	current  map[ids.ID]ids.ID
}

// passageNow is the version of a passage that is published now.
type passageNow struct {
	published ids.ID
	number    int
	hasDraft  bool
}

// loadNewer reads the current state of everything that the bank has pinned.
func (b *bank) loadNewer(ctx context.Context, tx *db.Tx) error {
	var err error
	b.newer.current, err = media.Current(ctx, tx, slices.Collect(maps.Keys(b.assets)))
	if err != nil {
		return err
	}
	b.newer.passages = map[ids.ID]passageNow{}
	if len(b.pinned) == 0 {
		return nil
	}
	wanted := make([]ids.ID, 0, len(b.pinned))
	for _, passage := range b.pinned {
		wanted = append(wanted, passage.PassageID)
	}
	rows, err := tx.Query(ctx, `
		select p.id, v.id, v.number, p.draft_id is not null
		from passages p join passage_versions v on v.tenant_id = p.tenant_id and v.id = p.published_id
		where p.tenant_id = $1 and p.id = any($2) and ($3 or p.org_unit_id = $4)`,
		tx.Tenant(), wanted, tx.Scope().All, tx.Scope().OrgUnit)
	if err != nil {
		return fmt.Errorf("read the present passages: %w", err)
	}
	var id ids.ID
	var now passageNow
	_, err = pgx.ForEachRow(rows, []any{&id, &now.published, &now.number, &now.hasDraft}, func() error {
		b.newer.passages[id] = now
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the present passages: %w", err)
	}
	return nil
}
