package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/author/taxonomy"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
	"assess/pkg/kernel/sheet"
)

func newTaxonomyTree(s *Shell) *cobra.Command {
	return newShow(s, "tree [FACET]", "Draw the trees of terms, with the questions and evaluations that carry each",
		ofFacets(inventory.TermTree), func(s *Shell, tree []inventory.TreeTerm) error {
			if s.Format == FormatCSV {
				return writeCSV(s.Screen, tree)
			}
			return s.Show(tree, func(screen *Screen) error { return drawForest(screen, tree) })
		})
}

// ofFacets reads something of the facet that the call names, or of all.
func ofFacets[T any](read func(context.Context, *db.Tx, ...ids.ID) (T, error)) work[T] {
	return func(ctx context.Context, tx *db.Tx, args []string) (T, error) {
		var facets []ids.ID
		for _, word := range args {
			id, err := facetID(ctx, tx, word)
			if err != nil {
				var none T
				return none, err
			}
			facets = append(facets, id)
		}
		return read(ctx, tx, facets...)
	}
}

// drawForest draws a tree a facet. The lines of a term depend on whether it, and each term
// above it, is the last below its parent.
func drawForest(screen *Screen, tree []inventory.TreeTerm) error {
	facet, last := "", make([]bool, taxonomy.MaxDepth+1)
	for i, term := range tree {
		if name := term.Domain + "/" + term.Facet; name != facet {
			facet = name
			fmt.Fprintln(screen, screen.Paint(Strong, clean(name)))
		}
		last[term.Depth] = isLast(tree, i)
		_, err := fmt.Fprintln(screen, branches(screen, last[:term.Depth+1])+caption(screen, term))
		if err != nil {
			return err
		}
	}
	return nil
}

// isLast says that no brother follows.
func isLast(tree []inventory.TreeTerm, i int) bool {
	for _, next := range tree[i+1:] {
		if next.Depth < tree[i].Depth || next.FacetID != tree[i].FacetID {
			return true
		}
		if next.Depth == tree[i].Depth {
			return false
		}
	}
	return true
}

func branches(screen *Screen, last []bool) string {
	bar, tee, corner := "│  ", "├─ ", "└─ "
	if !screen.Unicode {
		bar, tee, corner = "|  ", "|- ", "`- "
	}
	var b strings.Builder
	for _, ended := range last[:len(last)-1] {
		b.WriteString(map[bool]string{true: "   ", false: bar}[ended])
	}
	b.WriteString(map[bool]string{true: corner, false: tee}[last[len(last)-1]])
	return b.String()
}

func caption(screen *Screen, term inventory.TreeTerm) string {
	line := clean(term.Slug)
	if term.Label != term.Slug {
		line += "  " + clean(term.Label)
	}
	if term.Questions+term.Evaluations > 0 {
		line += "  (" + plural.Of(term.Questions, "question") + ", " + plural.Of(term.Evaluations, "evaluation") + ")"
	}
	if status := termStatus(term.Term); status != "active" {
		line = screen.Paint(Faint, line+"  ["+status+"]")
	}
	return line
}

var exportHeader = []string{"facet", "domain", "slug", "label", "parent", "retired"}

func newTaxonomyExport(s *Shell) *cobra.Command {
	return newShow(s, "export [FACET]", "Write terms as CSV that taxonomy import takes; importing it again changes nothing",
		ofFacets(taxonomy.Forest), func(s *Shell, terms []taxonomy.Term) error {
			err := sheet.NewWriter(s.Screen).WriteAll(exportedTerms(terms))
			if err != nil {
				return fmt.Errorf("write CSV: %w", err)
			}
			return nil
		})
}

func exportedTerms(terms []taxonomy.Term) [][]string {
	slugs := make(map[ids.ID]string, len(terms))
	lines := [][]string{exportHeader}
	for _, t := range terms {
		slugs[t.ID] = t.Slug
		parent, retired := "", "no"
		if t.ParentID != nil {
			parent = slugs[*t.ParentID]
		}
		if t.RetiredAt != nil {
			retired = "yes"
		}
		lines = append(lines, []string{t.Facet, t.Domain, t.Slug, t.Label, parent, retired})
	}
	return lines
}
