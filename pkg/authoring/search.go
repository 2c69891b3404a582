package authoring

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/db"
	"assess/pkg/search"
)

// searchText is what full-text search finds a record by: the text of its newest version in
// all languages, and its external id.
type searchText struct {
	record models.Authored
	texts  []string
}

// saveSearch replaces what the records are found by.
func saveSearch(ctx context.Context, tx *db.Tx, of tables, all []searchText) error {
	if len(all) == 0 {
		return nil
	}
	records, orgs, vectors := make([]string, len(all)), make([]string, len(all)), make([]string, len(all))
	onAllCores(len(all), func(i int) {
		one := all[i]
		records[i], orgs[i] = one.record.ID.String(), one.record.OrgUnitID.String()
		vectors[i] = search.Vector(tx.Tenant(), one.record.OrgUnitID, append(one.texts, text(one.record.ExternalID))...)
	})
	_, err := tx.Exec(ctx, fmt.Sprintf(`
		insert into %[1]s (tenant_id, %[2]s_id, org_unit_id, document)
		select $1, s.id, s.org, s.document::tsvector
		from unnest($2::text[]::uuid[], $3::text[]::uuid[], $4::text[]) as s (id, org, document)
		on conflict (tenant_id, %[2]s_id) do update set document = excluded.document`, of.search, of.noun),
		tx.Tenant(), records, orgs, vectors)
	if err != nil {
		return fmt.Errorf("save what %s are found by: %w", of.records, err)
	}
	return nil
}

// matching keeps what full-text search finds. The function looks into the index with the
// scope of the transaction (package search says why).
func matching(of tables, question string) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		if question == "" {
			return q
		}
		wanted := search.Query(question)
		if wanted == "" {
			return q.Where("false")
		}
		return q.Where("?TableAlias.id in (select found.id from ?(?) as found (id))", bun.Safe("search_"+of.records), wanted)
	}
}
