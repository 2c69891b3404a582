package taxonomy_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// model is the expected state of a facet: a parent for each term, none at the top.
type model struct {
	parent          map[ids.ID]ids.ID
	retired, merged map[ids.ID]bool
}

// below says whether a term is another one or below it.
func (m model) below(term, other ids.ID) bool {
	for ; term != ids.None; term = m.parent[term] {
		if term == other {
			return true
		}
	}
	return false
}

func (m model) move(term, to ids.ID) errs.Code {
	switch {
	case m.merged[term]:
		return errs.TermMerged
	case to != ids.None && m.merged[to]:
		return errs.ValidationFailed
	case to != ids.None && m.below(to, term):
		return errs.TaxonomyCycle
	}
	m.parent[term] = to
	return ""
}

func (m model) merge(from, into ids.ID) errs.Code {
	switch {
	case m.merged[from]:
		return errs.TermMerged
	case from == into || m.retired[into]:
		return errs.ValidationFailed
	}
	if m.below(into, from) {
		m.parent[into] = m.parent[from]
	}
	for term, parent := range m.parent {
		if parent == from {
			m.parent[term] = into
		}
	}
	m.parent[from] = ids.None
	m.retired[from], m.merged[from] = true, true
	return ""
}

// After any moves, merges, retirements and restorations, the terms form a strict tree
// without cycles, the one that a simple model has.
func TestAnyChangesKeepAStrictTree(t *testing.T) {
	t.Parallel()
	g := newGrove(t)
	round := 0
	rapid.Check(t, func(rt *rapid.T) {
		round++
		m := model{map[ids.ID]ids.ID{}, map[ids.ID]bool{}, map[ids.ID]bool{}}
		var terms []ids.ID
		for i := range 6 {
			id := g.term(t, fmt.Sprint("term ", round, " ", i)).ID
			terms, m.parent[id] = append(terms, id), ids.None
		}
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			a, b := rapid.SampledFrom(terms).Draw(rt, "a"), rapid.SampledFrom(append(terms, ids.None)).Draw(rt, "b")
			want, err := g.step(t, rapid.SampledFrom([]string{"move", "move", "merge", "retire", "restore"}).Draw(rt, "step"), m, a, b)
			if (want == "") != (err == nil) || (want != "" && !errors.Is(err, want)) {
				rt.Fatalf("got %v, want %q", err, want)
			}
		}
		for _, id := range terms {
			got, err := do(t, g, taxonomy.GetTerm, id)
			parent := ids.None
			if got.ParentID != nil {
				parent = *got.ParentID
			}
			if err != nil || parent != m.parent[id] || (got.RetiredAt != nil) != m.retired[id] || (got.MergedInto != nil) != m.merged[id] {
				rt.Fatalf("got %+v, %v; want parent %s, retired %v, merged %v", got, err, m.parent[id], m.retired[id], m.merged[id])
			}
			if chain := len(g.ancestors(t, id)); chain != m.depth(id) {
				rt.Fatalf("%d ancestors, want %d", chain, m.depth(id))
			}
		}
	})
}

func (m model) depth(id ids.ID) int {
	n := 0
	for id = m.parent[id]; id != ids.None; id = m.parent[id] {
		n++
	}
	return n
}

func (g *grove) step(t *testing.T, what string, m model, a, b ids.ID) (errs.Code, error) {
	t.Helper()
	switch what {
	case "move":
		return m.move(a, b), g.move(t, a, b)
	case "merge":
		if b == ids.None {
			return "", nil
		}
		_, err := do(t, g, func(ctx context.Context, tx *db.Tx, into ids.ID) (taxonomy.Term, error) {
			merger, err := taxonomy.BeginMerge(ctx, tx, a, into)
			if err != nil {
				return taxonomy.Term{}, err
			}
			term, _, err := merger.Finish(ctx, tx, nil)
			return term, err
		}, b)
		return m.merge(a, b), err
	case "retire":
		m.retired[a] = true
		_, err := do(t, g, taxonomy.Retire, a)
		return "", err
	}
	_, err := do(t, g, taxonomy.Restore, a)
	if m.merged[a] {
		return errs.TermMerged, err
	}
	delete(m.retired, a)
	return "", err
}

// Earlier merges follow later ones: every merged term names a term that is not merged.
func TestMergesAreFollowedInOneStep(t *testing.T) {
	t.Parallel()
	g := newGrove(t)
	chain := []ids.ID{g.term(t, "a").ID, g.term(t, "b").ID, g.term(t, "c").ID}
	m := model{map[ids.ID]ids.ID{}, map[ids.ID]bool{}, map[ids.ID]bool{}}
	for _, pair := range [][2]ids.ID{{chain[0], chain[1]}, {chain[1], chain[2]}} {
		if _, err := g.step(t, "merge", m, pair[0], pair[1]); err != nil {
			t.Fatal(err)
		}
	}
	survivors, err := do(t, g, taxonomy.Survivors, slices.Clone(chain))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range chain {
		if survivors[id] != chain[2] {
			t.Errorf("%s means %s", id, survivors[id])
		}
	}
}
