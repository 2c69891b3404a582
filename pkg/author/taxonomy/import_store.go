package taxonomy

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// store writes the changes of the plan, in the order of the file.
func (p importPlan) store(ctx context.Context, tx *db.Tx) ([]ledger.Event, error) {
	var termIDs, facetIDs, placed, parents, top []ids.ID
	var slugs, labels []string
	var retired []*time.Time
	var updated []time.Time
	var events []ledger.Event
	for i, in := range p.in {
		key := in.key()
		term := p.terms[key]
		if p.changes[i] == Unchanged {
			continue
		}
		termIDs, facetIDs = append(termIDs, term.ID), append(facetIDs, p.facets[key.facetKey])
		slugs, labels = append(slugs, term.Slug), append(labels, term.Label)
		retired, updated = append(retired, term.RetiredAt), append(updated, tx.ChangedAt(term.UpdatedAt))
		above, has := p.parent[key]
		switch {
		case p.moved[key] && has:
			placed, parents = append(placed, term.ID), append(parents, p.terms[above].ID)
		case p.moved[key]:
			top = append(top, term.ID)
		}
		events = append(events, ledger.Event{Type: "term." + eventOf[p.changes[i]], SubjectType: "term", SubjectID: term.ID,
			Payload: map[string]any{"facetId": p.facets[key.facetKey]}})
	}
	if len(termIDs) == 0 {
		return nil, nil
	}
	for _, step := range []struct {
		sql  string
		args []any
	}{
		{storeTermsSQL, []any{termIDs, facetIDs, slugs, labels, retired, updated, tx.Now()}},
		{`delete from term_relations where tenant_id = $1 and term_id = any($2)`, []any{append([]ids.ID{}, top...)}},
		{storeRelationsSQL, []any{append([]ids.ID{}, placed...), append([]ids.ID{}, parents...), tx.Now()}},
	} {
		_, err := tx.Exec(ctx, step.sql, append([]any{tx.Tenant()}, step.args...)...)
		if err != nil {
			return nil, fmt.Errorf("import terms: %w", err)
		}
	}
	return events, nil
}

var eventOf = map[Change]string{Created: "created", Changed: "updated"}

const (
	storeTermsSQL = `
		insert into terms (tenant_id, id, facet_id, slug, label, retired_at, created_at, updated_at)
		select $1, id, facet_id, slug, label, retired_at, $8, updated_at
		from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[])
			as t (id, facet_id, slug, label, retired_at, updated_at)
		order by id
		on conflict (tenant_id, id) do update set label = excluded.label, retired_at = excluded.retired_at, updated_at = excluded.updated_at`
	storeRelationsSQL = `
		insert into term_relations (tenant_id, term_id, parent_id, created_at)
		select $1, term, parent, $4 from unnest($2::uuid[], $3::uuid[]) as r (term, parent) order by term
		on conflict (tenant_id, term_id) do update set parent_id = excluded.parent_id, created_at = excluded.created_at`
)
