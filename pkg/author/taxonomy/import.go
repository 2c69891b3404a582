package taxonomy

import (
	"context"
	"fmt"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// ImportedTerm is a term as a file names it: by facet and slug, so that it is the same term
// when it is imported again. Empty and nil change nothing: the domain is content, and a new
// term has its slug as its label, no parent, and is active. A Parent is the slug of a term
// of the facet, in the file or stored; empty moves to the top.
type ImportedTerm struct {
	Facet, Domain, Slug, Label string
	Parent                     *string
	Retired                    *bool
}

// Change says what an import did to a term.
type Change string

// The changes.
const (
	Created   Change = "created"
	Changed   Change = "changed"
	Unchanged Change = "unchanged"
)

// CheckImport says what is wrong with each term of a file, with paths like "parent".
func CheckImport(ctx context.Context, tx *db.Tx, in []ImportedTerm) ([][]errs.Field, error) {
	if err := mayImport(tx, in); err != nil {
		return nil, err
	}
	p, err := planImport(ctx, tx, in)
	return p.problems, err
}

// ImportTerms creates the terms of a file and its facets, and changes the ones that differ,
// in a handful of statements. It matches by facet and slug, so that importing again changes
// nothing, and removes no term. Errors: validation_failed with paths like "[3].parent";
// then nothing is written.
func ImportTerms(ctx context.Context, tx *db.Tx, in []ImportedTerm) ([]Change, error) {
	if err := mayImport(tx, in); err != nil {
		return nil, err
	}
	made, err := makeFacets(ctx, tx, in)
	if err != nil {
		return nil, err
	}
	p, err := planImport(ctx, tx, in)
	if err != nil {
		return nil, err
	}
	var bad []errs.Field
	for i, problems := range p.problems {
		for _, f := range problems {
			f.Path = fmt.Sprintf("[%d].%s", i, f.Path)
			bad = append(bad, f)
		}
	}
	if err := errs.Invalid(bad...); err != nil {
		return nil, err
	}
	events, err := p.store(ctx, tx)
	if err != nil {
		return nil, err
	}
	return p.changes, ledger.Append(ctx, tx, append(made, events...)...)
}

// makeFacets makes the missing facets and locks all of them, in one order.
func makeFacets(ctx context.Context, tx *db.Tx, in []ImportedTerm) ([]ledger.Event, error) {
	var newIDs []ids.ID
	var domains, slugs, labels []string
	seen := map[facetKey]bool{}
	for _, term := range in {
		key := term.facetKey()
		if seen[key] || key.slug == "" || checkDomain(key.domain) != nil || !storable(term.Facet) {
			continue
		}
		seen[key] = true
		newIDs, domains, slugs, labels = append(newIDs, ids.New()), append(domains, key.domain), append(slugs, key.slug), append(labels, term.Facet)
	}
	rows, err := tx.Query(ctx, `
		insert into facets (tenant_id, id, domain, slug, label, created_at, updated_at)
		select $1, id, domain, slug, label, $2, $2 from unnest($3::uuid[], $4::text[], $5::text[], $6::text[]) as f (id, domain, slug, label)
		order by domain, slug
		on conflict on constraint facets_slug do update set slug = excluded.slug
		returning id`, tx.Tenant(), tx.Now(), newIDs, domains, slugs, labels)
	if err != nil {
		return nil, fmt.Errorf("make facets: %w", err)
	}
	defer rows.Close()
	ours := map[ids.ID]bool{}
	for _, id := range newIDs {
		ours[id] = true
	}
	var events []ledger.Event
	for rows.Next() {
		var id ids.ID
		err = rows.Scan(&id)
		if err != nil {
			return nil, fmt.Errorf("make facets: %w", err)
		}
		if ours[id] {
			events = append(events, ledger.Event{Type: "facet.created", SubjectType: "facet", SubjectID: id})
		}
	}
	return events, rows.Err()
}

type facetKey struct{ domain, slug string }

type termKey struct {
	facetKey
	term string
}

func (t ImportedTerm) facetKey() facetKey {
	if t.Domain == "" {
		return facetKey{models.DomainContent, Slug(t.Facet)}
	}
	return facetKey{t.Domain, Slug(t.Facet)}
}

func (t ImportedTerm) key() termKey { return termKey{t.facetKey(), Slug(t.Slug)} }
