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

// FacetTerm names a term of the content domain the way people write it
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

// Resolve finds the ids of content-domain terms by their names, keyed by the given names; retired terms are found too, and the name of a
// merged one means its survivor. With create it makes the missing facets and terms, which needs taxonomy.manage; without, they are absent
// from the result, as invalid names always are. It takes two round trips, however many names there are.
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

// wantedTerms are distinct names: slugs[i] are the slugs of labels[i].
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
		from (select * from unnest($3::text[], $4::text[]) u (facet, term) offset 0) w
		cross join lateral (select id, slug from facets where tenant_id = $1 and domain = $2 and slug = w.facet offset 0) f
		cross join lateral (select id, slug, merged_into from terms where tenant_id = $1 and facet_id = f.id and slug = w.term offset 0) t`,
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

// Facets and terms are made one after the other. If another transaction makes the same at the same time, the empty update
// waits for it, and the next statement reads its id: each statement sees what was committed before it began.
const (
	createFacetsSQL = `
	insert into facets (tenant_id, id, domain, slug, label, created_at, updated_at)
	select distinct on (facet) $1::uuid, id, $2, facet, label, $3::timestamptz, $3::timestamptz
	from unnest($4::text[], $5::text[], $6::uuid[]) as w (facet, label, id) order by facet
	on conflict on constraint facets_slug do update set slug = excluded.slug`

	createTermsSQL = `
	insert into terms (tenant_id, id, facet_id, slug, label, created_at, updated_at)
	select f.tenant_id, w.id, f.id, w.term, w.label, $3::timestamptz, $3::timestamptz
	from unnest($4::text[], $5::text[], $6::text[], $7::uuid[]) as w (facet, term, label, id)
	join facets f on f.tenant_id = $1 and f.domain = $2 and f.slug = w.facet
	order by f.id, w.term
	on conflict on constraint terms_slug do update set slug = excluded.slug`

	createdSQL = `
	select array_agg(f.slug order by f.slug, t.slug), array_agg(t.slug order by f.slug, t.slug),
		array_agg(f.id order by f.slug, t.slug), array_agg(t.id order by f.slug, t.slug)
	from (select * from unnest($3::text[], $4::text[]) u (facet, term) offset 0) w
	cross join lateral (select id, slug from facets where tenant_id = $1 and domain = $2 and slug = w.facet offset 0) f
	cross join lateral (select id, slug, merged_into from terms where tenant_id = $1 and facet_id = f.id and slug = w.term offset 0) t`
)

// createTerms makes the missing terms and adds them to found.
func createTerms(ctx context.Context, tx *db.Tx, missing wantedTerms, found map[FacetTerm]ids.ID) error {
	facets, terms := split(missing.slugs)
	facetLabels, termLabels := split(missing.labels)
	facetIDs, termIDs := make([]ids.ID, len(facets)), make([]ids.ID, len(terms))
	ours := map[ids.ID]bool{}
	for i := range facets {
		facetIDs[i], termIDs[i] = ids.New(), ids.New()
		ours[facetIDs[i]], ours[termIDs[i]] = true, true
	}
	var created struct {
		facets, terms     []string
		facetIDs, termIDs []ids.ID
	}
	_, err := tx.Together(ctx,
		db.Statement{SQL: createFacetsSQL, Args: []any{tx.Tenant(), models.DomainContent, tx.Now(), facets, facetLabels, facetIDs}},
		db.Statement{SQL: createTermsSQL, Args: []any{tx.Tenant(), models.DomainContent, tx.Now(), facets, terms, termLabels, termIDs}},
		db.Statement{SQL: createdSQL, Args: []any{tx.Tenant(), models.DomainContent, facets, terms},
			Dest: []any{&created.facets, &created.terms, &created.facetIDs, &created.termIDs}})
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
	for i, facet := range created.facets {
		found[FacetTerm{Facet: facet, Term: created.terms[i]}] = created.termIDs[i]
		record("facet", created.facetIDs[i])
		record("term", created.termIDs[i])
	}
	return ledger.Append(ctx, tx, events...)
}
