package taxonomy

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// FacetTerm names a term of the content domain the way that people write it
// ("topic:Photosynthesis"). Names with the same slugs name the same term.
type FacetTerm struct {
	Facet string `json:"facet"`
	Term  string `json:"term"`
}

// Slugs gives the name in slugs; a part without letter or digit is empty.
func (n FacetTerm) Slugs() FacetTerm { return FacetTerm{Facet: Slug(n.Facet), Term: Slug(n.Term)} }

// Valid says whether the name can name a term.
func (n FacetTerm) Valid() bool {
	slugs := n.Slugs()
	return slugs.Facet != "" && slugs.Term != "" && storable(n.Facet) && storable(n.Term)
}

// Resolve finds the ids of content-domain terms by their names, keyed as they were given;
// retired terms are found too, and the name of a merged one means its survivor. With create it makes the facets and terms that are missing,
// which needs taxonomy.manage; without, they are absent from the result, as invalid names
// always are. It takes two statements, however many names there are.
func Resolve(ctx context.Context, tx *db.Tx, names []FacetTerm, create bool) (map[FacetTerm]ids.ID, error) {
	if err := mayRead(tx); err != nil {
		return nil, err
	}
	wanted := distinct(names)
	found, err := findTerms(ctx, tx, wanted)
	if err != nil {
		return nil, err
	}
	missing := wanted.without(found)
	if create && len(missing.slugs) > 0 {
		if err := tx.Require(capability.TaxonomyManage); err != nil {
			return nil, err
		}
		err = createTerms(ctx, tx, missing, found)
		if err != nil {
			return nil, err
		}
	}
	resolved := make(map[FacetTerm]ids.ID, len(names))
	for _, name := range names {
		id, ok := found[name.Slugs()]
		if ok {
			resolved[name] = id
		}
	}
	return resolved, nil
}

// wantedTerms are distinct names: slugs[i] are those of labels[i].
type wantedTerms struct{ slugs, labels []FacetTerm }

func distinct(names []FacetTerm) wantedTerms {
	var w wantedTerms
	seen := map[FacetTerm]bool{}
	for _, name := range names {
		slugs := name.Slugs()
		if !seen[slugs] && name.Valid() {
			seen[slugs] = true
			w.slugs, w.labels = append(w.slugs, slugs), append(w.labels, name)
		}
	}
	return w
}

func (w wantedTerms) without(found map[FacetTerm]ids.ID) wantedTerms {
	var rest wantedTerms
	for i, slugs := range w.slugs {
		if _, ok := found[slugs]; !ok {
			rest.slugs, rest.labels = append(rest.slugs, slugs), append(rest.labels, w.labels[i])
		}
	}
	return rest
}

func split(names []FacetTerm) ([]string, []string) {
	facets, terms := make([]string, 0, len(names)), make([]string, 0, len(names))
	for _, name := range names {
		facets, terms = append(facets, name.Facet), append(terms, name.Term)
	}
	return facets, terms
}

func findTerms(ctx context.Context, tx *db.Tx, wanted wantedTerms) (map[FacetTerm]ids.ID, error) {
	facets, terms := split(wanted.slugs)
	rows, err := tx.Query(ctx, `
		select f.slug, t.slug, coalesce(t.merged_into, t.id)
		from unnest($3::text[], $4::text[]) as w (facet, term)
		join facets f on f.tenant_id = $1 and f.domain = $2 and f.slug = w.facet
		join terms t on t.tenant_id = $1 and t.facet_id = f.id and t.slug = w.term`,
		tx.Tenant(), models.DomainContent, facets, terms)
	if err != nil {
		return nil, fmt.Errorf("find terms: %w", err)
	}
	found := make(map[FacetTerm]ids.ID, len(wanted.slugs))
	var name FacetTerm
	var id ids.ID
	_, err = pgx.ForEachRow(rows, []any{&name.Facet, &name.Term, &id}, func() error {
		found[name] = id
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find terms: %w", err)
	}
	return found, nil
}

// createTermsSQL makes facets and terms in one statement. Where another transaction made
// the same at the same time, the empty update waits for it and gives its id: a row that
// was made after the statement began cannot be read by it in any other way.
const createTermsSQL = `
	with wanted as (
		select * from unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::uuid[], $9::uuid[])
			as w (facet, facet_label, term, term_label, facet_id, term_id)
	), made_facets as (
		insert into facets (tenant_id, id, domain, slug, label, created_at, updated_at)
		select distinct on (facet) $1::uuid, facet_id, $2, facet, facet_label, $3::timestamptz, $3::timestamptz
		from wanted order by facet
		on conflict on constraint facets_slug do update set slug = excluded.slug
		returning id, slug
	), made_terms as (
		insert into terms (tenant_id, id, facet_id, slug, label, created_at, updated_at)
		select $1::uuid, w.term_id, f.id, w.term, w.term_label, $3::timestamptz, $3::timestamptz
		from wanted w join made_facets f on f.slug = w.facet
		order by f.id, w.term
		on conflict on constraint terms_slug do update set slug = excluded.slug
		returning id, facet_id, slug
	)
	select f.slug, t.slug, f.id, t.id from made_terms t join made_facets f on f.id = t.facet_id
	order by f.slug, t.slug`

// createTerms makes what is missing and adds it to found.
func createTerms(ctx context.Context, tx *db.Tx, missing wantedTerms, found map[FacetTerm]ids.ID) error {
	facets, terms := split(missing.slugs)
	facetLabels, termLabels := split(missing.labels)
	facetIDs, termIDs := make([]ids.ID, len(facets)), make([]ids.ID, len(terms))
	ours := map[ids.ID]bool{}
	for i := range facets {
		facetIDs[i], termIDs[i] = ids.New(), ids.New()
		ours[facetIDs[i]], ours[termIDs[i]] = true, true
	}
	rows, err := tx.Query(ctx, createTermsSQL, tx.Tenant(), models.DomainContent, tx.Now(),
		facets, facetLabels, terms, termLabels, facetIDs, termIDs)
	if err != nil {
		return fmt.Errorf("create terms: %w", err)
	}
	var events []ledger.Event
	record := func(noun string, id ids.ID) {
		if ours[id] {
			events = append(events, ledger.Event{Type: noun + ".created", SubjectType: noun, SubjectID: id})
			delete(ours, id)
		}
	}
	var name FacetTerm
	var facetID, termID ids.ID
	_, err = pgx.ForEachRow(rows, []any{&name.Facet, &name.Term, &facetID, &termID}, func() error {
		found[name] = termID
		record("facet", facetID)
		record("term", termID)
		return nil
	})
	if err != nil {
		return fmt.Errorf("create terms: %w", err)
	}
	return ledger.Append(ctx, tx, events...)
}
