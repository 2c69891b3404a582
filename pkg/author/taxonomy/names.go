package taxonomy

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Name has the parts of a term that other packages need: its id, the slugs of its facet
// and of itself, its label, the domain, and whether it is retired. A merged term has the
// name of its survivor.
type Name struct {
	ID      ids.ID
	Domain  string
	Facet   string
	Term    string
	Label   string
	Retired bool
}

// Names gives the names of terms by id in one statement; unknown ids are absent. A merged
// term has the name of its survivor, with the survivor's id. It checks no capability
// itself: anyone who may see a question may see its tags.
func Names(ctx context.Context, tx *db.Tx, termIDs []ids.ID) (map[ids.ID]Name, error) {
	names := make(map[ids.ID]Name, len(termIDs))
	if len(termIDs) == 0 {
		return names, nil
	}
	rows, err := tx.Query(ctx, `
		select t.id, s.id, f.domain, f.slug, s.slug, s.label, s.retired_at is not null
		from (select id, coalesce(merged_into, id) as survivor from terms where tenant_id = $1 and id = any($2) offset 0) t
		cross join lateral (select * from terms where tenant_id = $1 and id = t.survivor offset 0) s
		cross join lateral (select domain, slug from facets where tenant_id = $1 and id = s.facet_id offset 0) f`, tx.Tenant(), termIDs)
	if err != nil {
		return nil, fmt.Errorf("name terms: %w", err)
	}
	var id ids.ID
	var name Name
	_, err = pgx.ForEachRow(rows, []any{&id, &name.ID, &name.Domain, &name.Facet, &name.Term, &name.Label, &name.Retired}, func() error {
		names[id] = name
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("name terms: %w", err)
	}
	return names, nil
}

// Assignable is Names for terms that are about to be assigned: until the transaction ends
// nobody retires or merges them, so that the names still hold when it commits. Store the
// ids of the names and not the ids that you passed.
func Assignable(ctx context.Context, tx *db.Tx, termIDs []ids.ID) (map[ids.ID]Name, error) {
	if len(termIDs) == 0 {
		return map[ids.ID]Name{}, nil
	}
	// The order keeps two callers from waiting for each other. A separate statement
	// reads the names, since this one may have waited for a merge.
	_, err := tx.Exec(ctx, `
		select from terms where tenant_id = $1 and id = any($2) order by id for share`, tx.Tenant(), termIDs)
	if err != nil {
		return nil, fmt.Errorf("hold terms: %w", err)
	}
	return Names(ctx, tx, termIDs)
}

// Survivors follows merges: it gives each id with the id of its survivor, which is the
// same if it was never merged. Unknown ids are absent.
func Survivors(ctx context.Context, tx *db.Tx, termIDs []ids.ID) (map[ids.ID]ids.ID, error) {
	names, err := Names(ctx, tx, termIDs)
	if err != nil {
		return nil, err
	}
	survivors := make(map[ids.ID]ids.ID, len(names))
	for id, name := range names {
		survivors[id] = name.ID
	}
	return survivors, nil
}
