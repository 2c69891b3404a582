package taxonomy_test

import (
	"context"
	"errors"
	"testing"

	"assess/pkg/author/taxonomy"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Every operation on terms of the domain skills needs skills.taxonomy.manage, on all others
// taxonomy.manage. Both may read.
func TestEachDomainHasItsKeepers(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	facets, terms := map[string]ids.ID{}, map[string][]ids.ID{}
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		for _, domain := range taxonomy.Domains {
			f, err := taxonomy.CreateFacet(t.Context(), tx, taxonomy.FacetInput{Domain: domain, Label: "Of " + domain})
			if err != nil {
				return err
			}
			facets[domain] = f.ID
			for _, label := range []string{"First", "Second", "Third"} {
				term, err := taxonomy.CreateTerm(t.Context(), tx, taxonomy.TermInput{FacetID: f.ID, Label: label})
				if err != nil {
					return err
				}
				terms[domain] = append(terms[domain], term.ID)
			}
		}
		return nil
	})
	label := "Another"
	writes := map[string]func(ctx context.Context, tx *db.Tx, domain string) error{
		"create a facet": func(ctx context.Context, tx *db.Tx, domain string) error {
			_, err := taxonomy.CreateFacet(ctx, tx, taxonomy.FacetInput{Domain: domain, Label: label})
			return err
		},
		"change a facet": func(ctx context.Context, tx *db.Tx, domain string) error {
			_, err := taxonomy.UpdateFacet(ctx, tx, facets[domain], taxonomy.FacetPatch{Label: &label})
			return err
		},
		"create a term": func(ctx context.Context, tx *db.Tx, domain string) error {
			_, err := taxonomy.CreateTerm(ctx, tx, taxonomy.TermInput{FacetID: facets[domain], Label: label})
			return err
		},
		"change a term": func(ctx context.Context, tx *db.Tx, domain string) error {
			_, err := taxonomy.UpdateTerm(ctx, tx, terms[domain][0], taxonomy.TermPatch{Label: &label})
			return err
		},
		"retire a term": func(ctx context.Context, tx *db.Tx, domain string) error {
			_, err := taxonomy.Retire(ctx, tx, terms[domain][0])
			return err
		},
		"restore a term": func(ctx context.Context, tx *db.Tx, domain string) error {
			_, err := taxonomy.Restore(ctx, tx, terms[domain][0])
			return err
		},
		"merge terms": func(ctx context.Context, tx *db.Tx, domain string) error {
			_, err := taxonomy.BeginMerge(ctx, tx, terms[domain][1], terms[domain][2])
			return err
		},
		"look at a file": func(ctx context.Context, tx *db.Tx, domain string) error {
			_, err := taxonomy.CheckImport(ctx, tx, []taxonomy.ImportedTerm{{Facet: "f", Domain: domain, Slug: "s"}})
			return err
		},
		"import a file": func(ctx context.Context, tx *db.Tx, domain string) error {
			_, err := taxonomy.ImportTerms(ctx, tx, []taxonomy.ImportedTerm{{Facet: "f", Domain: domain, Slug: "s"}})
			return err
		},
	}
	for holds, domains := range map[capability.Capability][]string{
		capability.TaxonomyManage: {"content", "subjects", "identity"},
		capability.SkillsTaxonomy: {"skills"},
		capability.TaxonomyRead:   {},
		capability.SkillsManage:   {},
	} {
		may := map[string]bool{}
		for _, domain := range domains {
			may[domain] = true
		}
		who := sample.As(scope, ids.New(), holds)
		for name, write := range writes {
			for _, domain := range taxonomy.Domains {
				err := store.DryRun(t.Context(), who, func(tx *db.Tx) error { return write(t.Context(), tx, domain) })
				if may[domain] && err != nil || !may[domain] && !errors.Is(err, errs.Forbidden) {
					t.Errorf("%s of %s, with %s: %v", name, domain, holds, err)
				}
			}
		}
	}
	sample.Write(t, store, sample.As(scope, ids.New(), capability.SkillsTaxonomy), func(tx *db.Tx) error {
		_, err := taxonomy.FindTerm(t.Context(), tx, "skills/of-skills:first")
		return err
	})
}
