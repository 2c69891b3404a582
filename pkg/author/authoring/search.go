package authoring

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/search"
)

// searchText has the texts that full-text search finds a record by: the text of its newest
// version in all languages, and its external id.
type searchText struct {
	record *models.Authored
	texts  []string
}

// saveSearch replaces the texts that the records are found by.
func saveSearch(ctx context.Context, tx *db.Tx, of noun, all []searchText) error {
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
		insert into %[1]s_search (tenant_id, %[1]s_id, org_unit_id, document)
		select $1, s.id, s.org, s.document::tsvector
		from unnest($2::text[]::uuid[], $3::text[]::uuid[], $4::text[]) as s (id, org, document)
		on conflict (tenant_id, %[1]s_id) do update set document = excluded.document`, of),
		tx.Tenant(), records, orgs, vectors)
	if err != nil {
		return fmt.Errorf("save what %s are found by: %w", of.records(), err)
	}
	return nil
}

// matching keeps what full-text search finds. The function looks into the index with the
// scope of the transaction (package search says why).
func matching(of noun, question string) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		if question == "" {
			return q
		}
		wanted := search.Query(question)
		if wanted == "" {
			return q.Where("false")
		}
		return q.Where("?TableAlias.id in (select found.id from ?(?) as found (id))", bun.Safe("search_"+of.records()), wanted)
	}
}

// commonWord is the number of hits from which on it is faster to read all the records.
const commonWord = 5_000

// sift counts the records of a query that full-text search finds, and gives a page of them. It
// searches once and keeps the result for both. The planner takes any search for a rare one and looks
// up each hit separately; if a bounded look shows that the words are common, it is kept from that.
func sift(ctx context.Context, tx *db.Tx, of noun, q *bun.SelectQuery, question, sort string, page db.Page) (int, []ids.ID, error) {
	if search.Query(question) == "" {
		return 0, nil, nil
	}
	common, err := isCommon(ctx, tx, of, question)
	if err != nil {
		return 0, nil, err
	}
	var hits []struct {
		Total int
		ID    *ids.ID
	}
	q = q.ColumnExpr("?TableAlias.id, ?TableAlias.created_at, ?TableAlias.updated_at").Apply(matching(of, question))
	read := tx.NewRaw(`with hit as materialized (?) select n as total, id from (select count(*) as n from hit) c
		left join (select id from hit order by ?, id limit ? offset ?) p on true`, q, bun.Safe(sortColumns[sort]), page.Limit, page.Offset())
	err = lookUpEach(ctx, tx, !common, func() error { return read.Scan(ctx, &hits) })
	if err != nil {
		return 0, nil, err
	}
	var found []ids.ID
	for _, hit := range hits {
		if hit.ID != nil {
			found = append(found, *hit.ID)
		}
	}
	return hits[0].Total, found, nil
}

// isCommon reads no more hits than it needs.
func isCommon(ctx context.Context, tx *db.Tx, of noun, question string) (bool, error) {
	var n int
	err := tx.QueryRow(ctx, "select count(*) from (select search_"+of.records()+"($1) limit $2) f", search.Query(question), commonWord).Scan(&n)
	if err != nil {
		return false, fmt.Errorf("look for common words: %w", err)
	}
	return n == commonWord, nil
}

// lookUpEach runs a statement, on demand without nested loops.
func lookUpEach(ctx context.Context, tx *db.Tx, allowed bool, run func() error) error {
	if allowed {
		return run()
	}
	_, err := tx.Exec(ctx, "set local enable_nestloop = off")
	if err == nil {
		err = run()
	}
	if err == nil {
		_, err = tx.Exec(ctx, "set local enable_nestloop = on")
	}
	return err
}
