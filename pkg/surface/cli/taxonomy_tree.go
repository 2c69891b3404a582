package cli

import (
	"encoding/csv"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/author/taxonomy"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
)

func newTaxonomyTree(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "tree [FACET]",
		Short: "Draw the trees of terms, with the questions and evaluations that carry each",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.tenantWide()
			tree, err := read(cmd.Context(), s, func(tx *db.Tx) ([]inventory.TreeTerm, error) {
				facets, err := chosenFacets(cmd, tx, args)
				if err != nil {
					return nil, err
				}
				return inventory.TermTree(cmd.Context(), tx, facets...)
			})
			if err != nil {
				return err
			}
			if s.Format == FormatCSV {
				return writeCSV(s.Screen, tree)
			}
			return s.Show(tree, func(screen *Screen) error { return drawForest(screen, tree) })
		},
	}
}

func chosenFacets(cmd *cobra.Command, tx *db.Tx, args []string) ([]ids.ID, error) {
	if len(args) == 0 {
		return nil, nil
	}
	id, err := facetID(cmd.Context(), tx, args[0])
	return []ids.ID{id}, err
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
	return &cobra.Command{
		Use:   "export [FACET]",
		Short: "Write terms as CSV that taxonomy import takes; importing it again changes nothing",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.tenantWide()
			terms, err := read(cmd.Context(), s, func(tx *db.Tx) ([]taxonomy.Term, error) {
				facets, err := chosenFacets(cmd, tx, args)
				if err != nil {
					return nil, err
				}
				return taxonomy.Forest(cmd.Context(), tx, facets...)
			})
			if err != nil {
				return err
			}
			err = csv.NewWriter(s.Screen).WriteAll(exportedTerms(terms))
			if err != nil {
				return fmt.Errorf("write CSV: %w", err)
			}
			return nil
		},
	}
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
