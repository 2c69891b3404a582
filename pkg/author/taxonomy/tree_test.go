package taxonomy_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/author/taxonomy"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// grove is a tenant with one facet, for tests of its tree.
type grove struct {
	store *db.Store
	scope db.Scope
	facet ids.ID
}

func newGrove(t testing.TB) *grove {
	t.Helper()
	g := &grove{store: sample.Store(t)}
	g.scope = sample.Tenant(t, g.store)
	facet, err := do(t, g, taxonomy.CreateFacet, taxonomy.FacetInput{Label: "Topic"})
	if err != nil {
		t.Fatal(err)
	}
	g.facet = facet.ID
	return g
}

// do runs an operation in a transaction of its own.
func do[I, O any](t testing.TB, g *grove, op func(context.Context, *db.Tx, I) (O, error), in I) (O, error) {
	t.Helper()
	var out O
	err := g.store.Write(t.Context(), g.scope, func(tx *db.Tx) error {
		var err error
		out, err = op(t.Context(), tx, in)
		return err
	})
	return out, err
}

func (g *grove) term(t testing.TB, label string, below ...ids.ID) taxonomy.Term {
	t.Helper()
	in := taxonomy.TermInput{FacetID: g.facet, Label: label}
	if len(below) > 0 {
		in.ParentID = &below[0]
	}
	term, err := do(t, g, taxonomy.CreateTerm, in)
	if err != nil {
		t.Fatal(err)
	}
	return term
}

func (g *grove) move(t testing.TB, term, parent ids.ID) error {
	t.Helper()
	_, err := g.patch(t, term, taxonomy.TermPatch{ParentID: taxonomy.Below(parent)})
	return err
}

func (g *grove) patch(t testing.TB, term ids.ID, patch taxonomy.TermPatch) (taxonomy.Term, error) {
	t.Helper()
	return do(t, g, func(ctx context.Context, tx *db.Tx, patch taxonomy.TermPatch) (taxonomy.Term, error) {
		return taxonomy.UpdateTerm(ctx, tx, term, patch)
	}, patch)
}

func (g *grove) slugs(t testing.TB, list func(tx *db.Tx) (db.List[taxonomy.Term], error)) []string {
	t.Helper()
	got := []string{}
	err := g.store.Read(t.Context(), g.scope, func(tx *db.Tx) error {
		terms, err := list(tx)
		for _, term := range terms.Items {
			got = append(got, term.Slug)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (g *grove) ancestors(t testing.TB, of ids.ID) []string {
	return g.slugs(t, func(tx *db.Tx) (db.List[taxonomy.Term], error) { return taxonomy.Ancestors(t.Context(), tx, of) })
}

func (g *grove) children(t testing.TB, of ids.ID) []string {
	return g.slugs(t, func(tx *db.Tx) (db.List[taxonomy.Term], error) {
		return taxonomy.Children(t.Context(), tx, of, db.Page{})
	})
}

func wantProblem(t *testing.T, err error, want ...string) {
	t.Helper()
	wantCode(t, err, errs.ValidationFailed)
	var got []string
	for _, f := range errs.Of(err).Fields {
		got = append(got, f.Path+" "+f.Code)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

// Specification, section 2.6: "Strict tree by default."
func TestTermRelationsFormAStrictTree(t *testing.T) {
	t.Parallel()
	g := newGrove(t)
	top := g.term(t, "Biology")
	middle := g.term(t, "Cells", top.ID)
	leaf := g.term(t, "Membranes", middle.ID)
	other := g.term(t, "Genes", top.ID)
	if diff := cmp.Diff([]string{"biology", "cells"}, g.ancestors(t, leaf.ID)); diff != "" {
		t.Errorf("ancestors (-want +got):\n%s", diff)
	}
	if err := g.move(t, middle.ID, other.ID); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"biology", "genes", "cells"}, g.ancestors(t, leaf.ID)); diff != "" {
		t.Errorf("a moved term takes what stands below it along (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"genes"}, g.children(t, top.ID)); diff != "" {
		t.Errorf("a term has one parent (-want +got):\n%s", diff)
	}
	if err := g.move(t, middle.ID, ids.None); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{}, g.ancestors(t, middle.ID)); diff != "" {
		t.Errorf("at the top (-want +got):\n%s", diff)
	}
}

// Specification, section 2.6: "Cycles are rejected."
func TestCyclesAreRejected(t *testing.T) {
	t.Parallel()
	g := newGrove(t)
	top := g.term(t, "Top")
	middle := g.term(t, "Middle", top.ID)
	leaf := g.term(t, "Leaf", middle.ID)
	for _, below := range []ids.ID{top.ID, middle.ID, leaf.ID} {
		wantCode(t, g.move(t, top.ID, below), errs.TaxonomyCycle)
	}
	if got := g.ancestors(t, top.ID); len(got) != 0 {
		t.Errorf("the top stands below %v", got)
	}
}

// Two moves that are each sound and close a circle together: one of them loses, no
// matter how they overlap.
func TestMovesAtOnceCloseNoCircle(t *testing.T) {
	t.Parallel()
	g := newGrove(t)
	for round := range 20 {
		a, b := g.term(t, fmt.Sprint("a", round)), g.term(t, fmt.Sprint("b", round))
		var all sync.WaitGroup
		var errA, errB error
		all.Go(func() { errA = g.move(t, a.ID, b.ID) })
		all.Go(func() { errB = g.move(t, b.ID, a.ID) })
		all.Wait()
		refused := 0
		for _, err := range []error{errA, errB} {
			if errors.Is(err, errs.TaxonomyCycle) {
				refused++
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if refused != 1 {
			t.Fatalf("round %d: %d moves were refused, want 1", round, refused)
		}
	}
}

// The same, with both moves open at once for certain: the second waits for the first.
func TestAMoveWaitsForAnotherInItsFacet(t *testing.T) {
	t.Parallel()
	g := newGrove(t)
	a, b := g.term(t, "a"), g.term(t, "b")
	moved, second := make(chan struct{}), make(chan error, 1)
	go func() {
		<-moved
		second <- g.move(t, b.ID, a.ID)
	}()
	sample.Write(t, g.store, g.scope, func(tx *db.Tx) error {
		_, err := taxonomy.UpdateTerm(t.Context(), tx, a.ID, taxonomy.TermPatch{ParentID: taxonomy.Below(b.ID)})
		close(moved)
		select {
		case err := <-second:
			t.Errorf("the second move did not wait: %v", err)
		case <-time.After(100 * time.Millisecond):
		}
		return err
	})
	wantCode(t, <-second, errs.TaxonomyCycle)
}

func TestTheDepthOfATreeIsBounded(t *testing.T) {
	t.Parallel()
	g := newGrove(t)
	deepest := g.term(t, "level 1")
	for level := 2; level <= taxonomy.MaxDepth; level++ {
		deepest = g.term(t, fmt.Sprint("level ", level), deepest.ID)
	}
	_, err := do(t, g, taxonomy.CreateTerm, taxonomy.TermInput{FacetID: g.facet, Label: "deeper", ParentID: &deepest.ID})
	wantProblem(t, err, "parentId too_deep")
	pair := g.term(t, "pair")
	g.term(t, "below", pair.ID)
	wantProblem(t, g.move(t, pair.ID, *deepest.ParentID), "parentId too_deep")
}

func TestParentsAreChecked(t *testing.T) {
	t.Parallel()
	g := newGrove(t)
	skill, err := do(t, g, taxonomy.CreateFacet, taxonomy.FacetInput{Domain: "skills", Label: "Skill"})
	if err != nil {
		t.Fatal(err)
	}
	far, err := do(t, g, taxonomy.CreateTerm, taxonomy.TermInput{FacetID: skill.ID, Label: "Far"})
	if err != nil {
		t.Fatal(err)
	}
	term := g.term(t, "Term")
	wantProblem(t, g.move(t, term.ID, far.ID), "parentId wrong_facet")
	wantProblem(t, g.move(t, term.ID, ids.New()), "parentId unknown_term")
	_, err = do(t, g, taxonomy.CreateTerm, taxonomy.TermInput{FacetID: g.facet, Label: "", ParentID: &far.ID})
	wantProblem(t, err, "label required", "parentId wrong_facet")
	wantCode(t, g.move(t, ids.New(), term.ID), errs.NotFound)
}

func TestAParentChangeTellsNullFromAbsent(t *testing.T) {
	t.Parallel()
	id := ids.New()
	tests := []struct {
		name, body string
		want       taxonomy.ParentChange
	}{
		{"absent", `{}`, taxonomy.ParentChange{}},
		{"null", `{"parentId":null}`, taxonomy.Below(ids.None)},
		{"an id", `{"parentId":"` + id.String() + `"}`, taxonomy.Below(id)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var patch taxonomy.TermPatch
			err := json.Unmarshal([]byte(test.body), &patch)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, patch.ParentID); diff != "" {
				t.Error(diff)
			}
			again, err := json.Marshal(patch)
			if err != nil || string(again) != test.body {
				t.Errorf("written: %s, %v", again, err)
			}
		})
	}
}
