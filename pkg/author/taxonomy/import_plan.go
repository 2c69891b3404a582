package taxonomy

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// importPlan has the facets of a file as they will be after the import.
type importPlan struct {
	in       []ImportedTerm
	problems [][]errs.Field
	changes  []Change
	facets   map[facetKey]ids.ID
	// terms are the terms of the facets, including new ones; row is the line of the
	// file that names a term, and parent the parent of each.
	terms  map[termKey]*termRow
	row    map[termKey]int
	parent map[termKey]termKey
	moved  map[termKey]bool
}

func planImport(ctx context.Context, tx *db.Tx, in []ImportedTerm) (importPlan, error) {
	p := importPlan{in: in, problems: make([][]errs.Field, len(in)), changes: make([]Change, len(in)), facets: map[facetKey]ids.ID{},
		terms: map[termKey]*termRow{}, row: map[termKey]int{}, parent: map[termKey]termKey{}, moved: map[termKey]bool{}}
	err := p.load(ctx, tx)
	if err != nil {
		return p, err
	}
	for i, term := range in {
		p.name(tx, i, term)
	}
	for i, term := range in {
		p.placeBelow(i, term)
	}
	p.checkShape()
	return p, nil
}

// load reads the terms of the facets that the file names.
func (p *importPlan) load(ctx context.Context, tx *db.Tx) error {
	slugs := []string{}
	wanted := map[facetKey]bool{}
	for _, term := range p.in {
		wanted[term.facetKey()] = true
		slugs = append(slugs, term.facetKey().slug)
	}
	var facets []models.Facet
	err := tx.NewSelect().Model(&facets).Where("f.tenant_id = ?", tx.Tenant()).Where("f.slug in (?)", bun.List(append(slugs, ""))).Scan(ctx)
	if err != nil {
		return fmt.Errorf("find facets: %w", err)
	}
	found := []ids.ID{ids.None}
	for _, f := range facets {
		if key := (facetKey{f.Domain, f.Slug}); wanted[key] {
			p.facets[key] = f.ID
			found = append(found, f.ID)
		}
	}
	var rows []termRow
	err = selectTerms(tx, &rows).Where("t.facet_id in (?)", bun.List(found)).Scan(ctx)
	if err != nil {
		return fmt.Errorf("find terms: %w", err)
	}
	byID := make(map[ids.ID]termKey, len(rows))
	for i, r := range rows {
		key := termKey{facetKey{r.Domain, r.Facet}, r.Slug}
		p.terms[key], byID[r.ID] = &rows[i], key
	}
	for _, r := range rows {
		if r.ParentID != nil {
			p.parent[byID[r.ID]] = byID[*r.ParentID]
		}
	}
	return nil
}

func (p *importPlan) bad(i int, path, code, message string) {
	p.problems[i] = append(p.problems[i], errs.Field{Path: path, Code: code, Message: message})
}

// name takes the term of a line, or starts it, and gives it its label and state.
func (p *importPlan) name(tx *db.Tx, i int, in ImportedTerm) {
	key := in.key()
	p.changes[i] = Unchanged
	if checkDomain(key.domain) != nil {
		p.bad(i, "domain", "unknown_domain", "expected content, skills, subjects or identity")
	}
	if key.slug == "" || !storable(in.Facet) {
		p.bad(i, "facet", "invalid_slug", "a facet has letters or digits, at most 200 characters")
	}
	if key.term == "" || !storable(in.Slug) {
		p.bad(i, "slug", "invalid_slug", "a slug has letters or digits, at most 200 characters")
	}
	if !storable(in.Label) {
		p.bad(i, "label", "invalid_text", "at most 200 characters of valid UTF-8 without NUL")
	}
	if _, again := p.row[key]; again {
		p.bad(i, "slug", "duplicate_term", "another line names this term")
	}
	if len(p.problems[i]) > 0 {
		return
	}
	p.row[key] = i
	term, known := p.terms[key]
	if !known {
		term = &termRow{Term: models.Term{TenantID: tx.Tenant(), ID: ids.New(), FacetID: p.facets[key.facetKey], Slug: key.term, Label: in.Slug,
			CreatedAt: tx.Now(), UpdatedAt: tx.Now()}, Facet: key.slug, Domain: key.domain}
		p.terms[key], p.changes[i] = term, Created
	}
	p.describe(tx, i, term, in)
}

func (p *importPlan) describe(tx *db.Tx, i int, term *termRow, in ImportedTerm) {
	if in.Label != "" && in.Label != term.Label {
		term.Label = in.Label
		p.change(tx, i, term)
	}
	switch now := tx.Now(); {
	case in.Retired == nil || *in.Retired == (term.RetiredAt != nil):
		return
	case *in.Retired:
		term.RetiredAt = &now
	case term.MergedInto != nil:
		p.bad(i, "retired", "merged_term", "the term was merged into another one")
		return
	default:
		term.RetiredAt = nil
	}
	p.change(tx, i, term)
}

// change notes that a stored term differs.
func (p *importPlan) change(tx *db.Tx, i int, term *termRow) {
	if p.changes[i] == Unchanged {
		p.changes[i], term.UpdatedAt = Changed, tx.ChangedAt(term.UpdatedAt)
	}
}

// placeBelow puts the term of a line at the place that the line names.
func (p *importPlan) placeBelow(i int, in ImportedTerm) {
	key := in.key()
	row, named := p.row[key]
	if in.Parent == nil || !named || row != i {
		return
	}
	before, had := p.parent[key]
	if *in.Parent == "" {
		if had {
			delete(p.parent, key)
			p.move(i, key)
		}
		return
	}
	parent := termKey{key.facetKey, Slug(*in.Parent)}
	above, known := p.terms[parent]
	switch {
	case !known:
		p.bad(i, "parent", "unknown_parent", "neither the file nor the facet has a term of this slug")
	case above.MergedInto != nil || p.terms[key].MergedInto != nil:
		p.bad(i, "parent", "merged_term", "a merged term stands nowhere in the tree")
	case !had || before != parent:
		p.parent[key] = parent
		p.move(i, key)
	}
}

func (p *importPlan) move(i int, key termKey) {
	p.moved[key] = true
	if p.changes[i] == Unchanged {
		p.changes[i] = Changed
	}
}

// checkShape walks up from every term: a walk that goes on for too long is too deep, or a
// circle, and a line that moves a term on the way is to blame.
func (p *importPlan) checkShape() {
	blamed := map[int]bool{}
	for key := range p.terms {
		at, levels, blame, code := key, 1, -1, "too_deep"
		for ; levels <= MaxDepth; levels++ {
			if p.moved[at] && blame < 0 {
				blame = p.row[at]
			}
			above, has := p.parent[at]
			if !has {
				break
			}
			at = above
			if at == key {
				code = "taxonomy_cycle"
			}
		}
		if levels > MaxDepth && blame >= 0 && !blamed[blame] {
			blamed[blame] = true
			p.bad(blame, "parent", code, fmt.Sprintf("a tree has no circles and at most %d levels", MaxDepth))
		}
	}
}
