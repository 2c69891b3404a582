package taxonomy_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func ref[T any](v T) *T { return &v }

// Specification, section 2.6: "Label and slug are metadata, not identity."
func TestARenamedTermIsTheSameTerm(t *testing.T) {
	t.Parallel()
	g := newGrove(t)
	term := g.term(t, "Cells")
	child := g.term(t, "Membranes", term.ID).ID
	renamed, err := g.patch(t, term.ID, taxonomy.TermPatch{Label: ref(" Cell biology "), Slug: ref("cell-biology")})
	if err != nil {
		t.Fatal(err)
	}
	if renamed.ID != term.ID || renamed.Slug != "cell-biology" || renamed.Label != "Cell biology" {
		t.Errorf("got %+v", renamed)
	}
	if diff := cmp.Diff([]string{"cell-biology"}, g.ancestors(t, child)); diff != "" {
		t.Error(diff)
	}
	relabelled, err := g.patch(t, term.ID, taxonomy.TermPatch{Label: ref("Cytology")})
	if err != nil || relabelled.Slug != "cell-biology" || relabelled.Label != "Cytology" {
		t.Errorf("a new label leaves the slug alone: got %+v, %v", relabelled, err)
	}
	g.term(t, "Cells")
	_, err = g.patch(t, term.ID, taxonomy.TermPatch{Slug: ref("cells")})
	wantCode(t, err, errs.DuplicateTerm)
	_, err = g.patch(t, term.ID, taxonomy.TermPatch{Slug: ref(""), Label: ref("x\x00")})
	wantProblem(t, err, "slug required")
}

func TestAStaleChangeIsRefused(t *testing.T) {
	t.Parallel()
	g := newGrove(t)
	term := g.term(t, "Cells")
	changed, err := g.patch(t, term.ID, taxonomy.TermPatch{UpdatedAt: &term.UpdatedAt, Label: ref("One")})
	if err != nil || !changed.UpdatedAt.After(term.UpdatedAt) {
		t.Fatalf("got %+v, %v", changed, err)
	}
	_, err = g.patch(t, term.ID, taxonomy.TermPatch{UpdatedAt: &term.UpdatedAt, Label: ref("Two")})
	wantCode(t, err, errs.StaleUpdate)
	if got, want := errs.Of(err).Details["updatedAt"], changed.UpdatedAt.Format("2006-01-02T15:04:05.000Z07:00"); got != want {
		t.Errorf("details.updatedAt is %v, want %v", got, want)
	}
	_, err = do(t, g, func(ctx context.Context, tx *db.Tx, patch taxonomy.FacetPatch) (taxonomy.Facet, error) {
		return taxonomy.UpdateFacet(ctx, tx, g.facet, patch)
	}, taxonomy.FacetPatch{UpdatedAt: ref(time.Unix(0, 0)), Label: ref("Subject")})
	wantCode(t, err, errs.StaleUpdate)
}

func TestARenamedFacetIsTheSameFacet(t *testing.T) {
	t.Parallel()
	g := newGrove(t)
	term := g.term(t, "Cells")
	patch := func(p taxonomy.FacetPatch) (taxonomy.Facet, error) {
		return do(t, g, func(ctx context.Context, tx *db.Tx, p taxonomy.FacetPatch) (taxonomy.Facet, error) {
			return taxonomy.UpdateFacet(ctx, tx, g.facet, p)
		}, p)
	}
	facet, err := patch(taxonomy.FacetPatch{Slug: ref("subject"), Label: ref("Subject")})
	if err != nil || facet.ID != g.facet || facet.Slug != "subject" || facet.Label != "Subject" {
		t.Fatalf("got %+v, %v", facet, err)
	}
	got, err := do(t, g, taxonomy.GetTerm, term.ID)
	if err != nil || got.Facet != "subject" {
		t.Errorf("got %+v, %v", got, err)
	}
	read, err := do(t, g, taxonomy.GetFacet, g.facet)
	if diff := cmp.Diff(facet, read); diff != "" || err != nil {
		t.Errorf("%v, read later (-want +got):\n%s", err, diff)
	}
	if _, err = do(t, g, taxonomy.CreateFacet, taxonomy.FacetInput{Label: "Topic"}); err != nil {
		t.Fatal(err)
	}
	_, err = patch(taxonomy.FacetPatch{Slug: ref("topic")})
	wantCode(t, err, errs.DuplicateSlug)
	_, err = do(t, g, taxonomy.GetFacet, ids.New())
	wantCode(t, err, errs.NotFound)
}

// Specification, section 2.6: "Can be retired (not selectable for new assignment) and
// restored." The part about assignment is tested with questions and evaluations.
func TestTermsAreRetiredAndRestored(t *testing.T) {
	t.Parallel()
	g := newGrove(t)
	top := g.term(t, "Top")
	child := g.term(t, "Child", top.ID)
	retired, err := do(t, g, taxonomy.Retire, top.ID)
	if err != nil || retired.RetiredAt == nil {
		t.Fatalf("got %+v, %v", retired, err)
	}
	again, err := do(t, g, taxonomy.Retire, top.ID)
	if diff := cmp.Diff(retired, again); diff != "" || err != nil {
		t.Errorf("%v, retired twice:\n%s", err, diff)
	}
	below, err := do(t, g, taxonomy.GetTerm, child.ID)
	if err != nil || below.RetiredAt != nil || *below.ParentID != top.ID {
		t.Errorf("what stands below stays as it is: got %+v, %v", below, err)
	}
	names, err := do(t, g, taxonomy.Names, []ids.ID{top.ID, child.ID})
	if err != nil || !names[top.ID].Retired || names[child.ID].Retired {
		t.Errorf("got %+v, %v", names, err)
	}
	restored, err := do(t, g, taxonomy.Restore, top.ID)
	if err != nil || restored.RetiredAt != nil {
		t.Errorf("got %+v, %v", restored, err)
	}
	again, err = do(t, g, taxonomy.Restore, top.ID)
	if diff := cmp.Diff(restored, again); diff != "" || err != nil {
		t.Errorf("%v, restored twice:\n%s", err, diff)
	}
}

// Specification, section 2.6: a facet "belongs to one domain", and so do its terms.
func TestTermsAreListedByDomainFacetParentAndState(t *testing.T) {
	t.Parallel()
	g := newGrove(t)
	top := g.term(t, "Biology")
	g.term(t, "Cells", top.ID)
	genes := g.term(t, "Ökologie", top.ID)
	if _, err := do(t, g, taxonomy.Retire, genes.ID); err != nil {
		t.Fatal(err)
	}
	skills, err := do(t, g, taxonomy.CreateFacet, taxonomy.FacetInput{Domain: "skills", Label: "Skill"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = do(t, g, taxonomy.CreateTerm, taxonomy.TermInput{FacetID: skills.ID, Label: "CELLO", Slug: "x-1"}); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		filter taxonomy.TermFilter
		want   []string
	}{
		{"all", taxonomy.TermFilter{}, []string{"biology", "cells", "ökologie", "x-1"}},
		{"domain", taxonomy.TermFilter{Domain: "skills"}, []string{"x-1"}},
		{"facet", taxonomy.TermFilter{Facet: "topic"}, []string{"biology", "cells", "ökologie"}},
		{"top", taxonomy.TermFilter{Top: true}, []string{"biology", "x-1"}},
		{"parent", taxonomy.TermFilter{ParentID: top.ID}, []string{"cells", "ökologie"}},
		{"retired", taxonomy.TermFilter{Retired: ref(true)}, []string{"ökologie"}},
		{"active", taxonomy.TermFilter{ParentID: top.ID, Retired: ref(false)}, []string{"cells"}},
		{"label prefix", taxonomy.TermFilter{Prefix: "cell"}, []string{"cells", "x-1"}},
		{"slug prefix", taxonomy.TermFilter{Prefix: "X-"}, []string{"x-1"}},
		{"prefix with a wildcard", taxonomy.TermFilter{Prefix: "%"}, []string{}},
		{"the middle is no prefix", taxonomy.TermFilter{Prefix: "ell"}, []string{}},
		{"other scripts", taxonomy.TermFilter{Prefix: "ök"}, []string{"ökologie"}},
		{"together", taxonomy.TermFilter{Prefix: "cel", Domain: "content"}, []string{"cells"}},
	}
	for _, test := range tests {
		got := g.slugs(t, func(tx *db.Tx) (db.List[taxonomy.Term], error) {
			list, err := taxonomy.ListTerms(t.Context(), tx, test.filter)
			if list.Total != len(list.Items) {
				t.Errorf("%s: total %d of %d", test.name, list.Total, len(list.Items))
			}
			return list, err
		})
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
