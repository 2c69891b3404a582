package inventory

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// termChange says which terms a version has afterwards: only the terms of add (whole), or its
// present terms without remove and with add.
type termChange struct {
	whole  bool
	remove map[ids.ID]bool
	add    []ids.ID
}

// apply gives the terms after the change, in the order of their ids, as versions keep them.
func (c termChange) apply(before []ids.ID) []ids.ID {
	after := slices.Clone(c.add)
	for _, id := range before {
		if !c.whole && !c.remove[id] {
			after = append(after, id)
		}
	}
	slices.SortFunc(after, func(a, b ids.ID) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(after)
}

// retagged is a row whose newest version gets other terms.
type retagged struct {
	row
	// version is the newest version: the draft, or else the published one, which draft will be a copy of.
	version, draft ids.ID
	number         int
	terms          []ids.ID
}

// replace changes the terms of the newest versions: they are part of the version, so a
// published one gets a new draft, like with any other edit.
func (c termChange) replace(ctx context.Context, tx *db.Tx, k *Kind, rows []row) (map[ids.ID]Lifecycle, error) {
	done := make(map[ids.ID]Lifecycle, len(rows))
	for _, r := range rows {
		done[r.id] = Lifecycle{ID: r.id, Status: r.status}
	}
	newest, err := k.newestTerms(ctx, tx, rows)
	if err != nil {
		return nil, err
	}
	survivors, err := survivorsOf(ctx, tx, newest)
	if err != nil {
		return nil, err
	}
	var changed []retagged
	for _, r := range newest {
		after := c.apply(followed(r, survivors))
		if slices.Equal(after, c.sorted(r.terms)) {
			continue
		}
		r.terms = after
		changed = append(changed, r)
		done[r.id] = Lifecycle{ID: r.id, Status: r.status, Changed: true}
	}
	if len(changed) == 0 {
		return done, nil
	}
	return done, k.storeTerms(ctx, tx, changed)
}

// sorted orders terms as apply does.
func (termChange) sorted(terms []ids.ID) []ids.ID { return termChange{add: terms}.apply(nil) }

// followed gives the terms that a draft starts with: the survivor in place of a merged term. A
// draft has no merged terms, since merging rewrites drafts.
func followed(r retagged, survivors map[ids.ID]ids.ID) []ids.ID {
	terms := make([]ids.ID, 0, len(r.terms))
	for _, id := range r.terms {
		if survivor, known := survivors[id]; known {
			terms = append(terms, survivor)
		}
	}
	return terms
}

func survivorsOf(ctx context.Context, tx *db.Tx, newest []retagged) (map[ids.ID]ids.ID, error) {
	seen := map[ids.ID]bool{}
	var all []ids.ID
	for _, r := range newest {
		for _, id := range r.terms {
			if !seen[id] {
				seen[id] = true
				all = append(all, id)
			}
		}
	}
	return taxonomy.Survivors(ctx, tx, all)
}

// newestTerms reads the terms of the newest version of each row.
func (k *Kind) newestTerms(ctx context.Context, tx *db.Tx, rows []row) ([]retagged, error) {
	byVersion := make(map[ids.ID]row, len(rows))
	versions := make([]ids.ID, 0, len(rows))
	for _, r := range rows {
		version := r.newest()
		byVersion[version] = r
		versions = append(versions, version)
	}
	read, err := tx.Query(ctx, "select id, number, term_ids from "+k.noun+"_versions where tenant_id = $1 and id = any($2) order by id",
		tx.Tenant(), versions)
	if err != nil {
		return nil, fmt.Errorf("read terms: %w", err)
	}
	found, err := pgx.CollectRows(read, func(line pgx.CollectableRow) (retagged, error) {
		var r retagged
		err := line.Scan(&r.version, &r.number, &r.terms)
		r.row = byVersion[r.version]
		r.draft = r.version
		if r.row.draft == nil {
			r.draft, r.number = ids.New(), r.number+1
		}
		return r, err
	})
	if err != nil {
		return nil, fmt.Errorf("read terms: %w", err)
	}
	return found, nil
}
