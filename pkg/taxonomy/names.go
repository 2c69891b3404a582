package taxonomy

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/db"
	"assess/pkg/ids"
)

// Name is what others need to know of a term: the slugs of its facet and of itself, the
// domain, and whether it is retired.
type Name struct {
	Domain  string
	Facet   string
	Term    string
	Retired bool
}

// Names gives the names of terms by id in one statement; unknown ids are absent. It asks
// for no capability of its own: who may see a question may see its tags.
func Names(ctx context.Context, tx *db.Tx, termIDs []ids.ID) (map[ids.ID]Name, error) {
	names := make(map[ids.ID]Name, len(termIDs))
	if len(termIDs) == 0 {
		return names, nil
	}
	rows, err := tx.Query(ctx, `
		select t.id, f.domain, f.slug, t.slug, t.retired_at is not null
		from terms t join facets f on f.tenant_id = t.tenant_id and f.id = t.facet_id
		where t.tenant_id = $1 and t.id = any($2)`, tx.Tenant(), termIDs)
	if err != nil {
		return nil, fmt.Errorf("name terms: %w", err)
	}
	var id ids.ID
	var name Name
	_, err = pgx.ForEachRow(rows, []any{&id, &name.Domain, &name.Facet, &name.Term, &name.Retired}, func() error {
		names[id] = name
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("name terms: %w", err)
	}
	return names, nil
}
