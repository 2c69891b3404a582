package taxonomy_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"assess/pkg/author/taxonomy"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func wantCode(t *testing.T, err error, code errs.Code) {
	t.Helper()
	if (code == "" && err != nil) || (code != "" && !errors.Is(err, code)) {
		t.Fatalf("got error %v, want %q", err, code)
	}
}

func TestSlug(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"words", "Newton's 2nd law", "newton-s-2nd-law"},
		{"edges", "  (Topic)  ", "topic"},
		{"dots and underscores stay", "reason.4_b", "reason.4_b"},
		{"other scripts", "Ökologie 生态", "ökologie-生态"},
		{"nothing to say", " -- ", ""},
		{"underscores alone", "__", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := taxonomy.Slug(test.in); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestSlugIsItsOwnSlug(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		once := taxonomy.Slug(rapid.String().Draw(t, "label"))
		if twice := taxonomy.Slug(once); twice != once {
			t.Fatalf("%q becomes %q", once, twice)
		}
	})
}

func TestFacetsAndTermsAreListedInOrder(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	var topic, level taxonomy.Facet
	var made taxonomy.Term
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		var err error
		topic, err = taxonomy.CreateFacet(t.Context(), tx, taxonomy.FacetInput{Label: " Topic "})
		if err != nil {
			return err
		}
		level, err = taxonomy.CreateFacet(t.Context(), tx, taxonomy.FacetInput{Domain: "skills", Slug: "lvl", Label: "Level"})
		if err != nil {
			return err
		}
		_, err = taxonomy.CreateTerm(t.Context(), tx, taxonomy.TermInput{FacetID: level.ID, Label: "Deep"})
		if err != nil {
			return err
		}
		made, err = taxonomy.CreateTerm(t.Context(), tx, taxonomy.TermInput{FacetID: topic.ID, Label: "Acids and bases"})
		return err
	})
	if topic.Slug != "topic" || topic.Label != "Topic" || topic.Domain != "content" || level.Slug != "lvl" {
		t.Errorf("got %+v and %+v", topic, level)
	}
	if made.Slug != "acids-and-bases" || made.Facet != "topic" || made.Domain != "content" {
		t.Errorf("got %+v", made)
	}
	err := store.Read(t.Context(), scope, func(tx *db.Tx) error {
		facets, err := taxonomy.ListFacets(t.Context(), tx, taxonomy.FacetFilter{})
		if err != nil {
			return err
		}
		if len(facets.Items) != 2 || facets.Items[0].ID != topic.ID || facets.Total != 2 {
			t.Errorf("facets: got %+v", facets)
		}
		terms, err := taxonomy.ListTerms(t.Context(), tx, taxonomy.TermFilter{Facet: topic.Slug})
		if err != nil {
			return err
		}
		if len(terms.Items) != 1 || terms.Items[0].ID != made.ID || terms.Items[0].Facet != "topic" {
			t.Errorf("terms: got %+v", terms)
		}
		terms, err = taxonomy.ListTerms(t.Context(), tx, taxonomy.TermFilter{Domain: "skills", Facet: "lvl"})
		if err == nil && (terms.Total != 1 || terms.Items[0].Slug != "deep") {
			t.Errorf("terms by facet: got %+v", terms)
		}
		return err
	})
	wantCode(t, err, "")
}

func TestNamesAreCheckedAllAtOnce(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	tests := []struct {
		name string
		do   func(tx *db.Tx) error
		want []string
	}{
		{"facet", func(tx *db.Tx) error {
			_, err := taxonomy.CreateFacet(t.Context(), tx, taxonomy.FacetInput{Domain: "colours", Slug: "Not OK", Label: "x\x00"})
			return err
		}, []string{"label invalid_text", "slug invalid_slug", "domain unknown_domain"}},
		{"term", func(tx *db.Tx) error {
			_, err := taxonomy.CreateTerm(t.Context(), tx, taxonomy.TermInput{FacetID: ids.New(), Label: "  "})
			return err
		}, []string{"label required", "facetId unknown_facet"}},
		{"long label", func(tx *db.Tx) error {
			_, err := taxonomy.CreateFacet(t.Context(), tx, taxonomy.FacetInput{Slug: "s", Label: strings.Repeat("é", 201)})
			return err
		}, []string{"label invalid_text"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := store.Write(t.Context(), scope, test.do)
			wantCode(t, err, errs.ValidationFailed)
			var got []string
			for _, f := range errs.Of(err).Fields {
				got = append(got, f.Path+" "+f.Code)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSlugsAreUnique(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	twice := func(create func(tx *db.Tx) error) error {
		sample.Write(t, store, scope, create)
		return store.Write(t.Context(), scope, create)
	}
	wantCode(t, twice(func(tx *db.Tx) error {
		_, err := taxonomy.CreateFacet(t.Context(), tx, taxonomy.FacetInput{Label: "Topic"})
		return err
	}), errs.DuplicateSlug)
	var facet ids.ID
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		facets, err := taxonomy.ListFacets(t.Context(), tx, taxonomy.FacetFilter{})
		facet = facets.Items[0].ID
		return err
	})
	wantCode(t, twice(func(tx *db.Tx) error {
		_, err := taxonomy.CreateTerm(t.Context(), tx, taxonomy.TermInput{FacetID: facet, Label: "Cells"})
		return err
	}), errs.DuplicateTerm)
}
