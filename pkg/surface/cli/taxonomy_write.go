package cli

import (
	"context"

	"github.com/spf13/cobra"

	"assess/pkg/author/taxonomy"
	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
)

func newTaxonomyCreate(s *Shell) *cobra.Command {
	var slug, below string
	cmd := s.changes(&cobra.Command{
		Use:     "create FACET LABEL",
		Short:   "Create a term",
		Example: "  assessctl taxonomy create topic Photosynthesis --below topic:biology --tenant northwind",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.writeTerm(cmd, append(args, slug, below), func(ctx context.Context, tx *db.Tx) (taxonomy.Term, error) {
				in := taxonomy.TermInput{Slug: slug, Label: args[1]}
				var err error
				in.FacetID, err = facetID(ctx, tx, args[0])
				if err == nil && below != "" {
					var parent ids.ID
					parent, err = termID(ctx, tx, below)
					in.ParentID = &parent
				}
				if err != nil {
					return taxonomy.Term{}, err
				}
				return taxonomy.CreateTerm(ctx, tx, in)
			})
		},
	})
	cmd.Flags().StringVar(&slug, "slug", "", "default: made from the label")
	cmd.Flags().StringVar(&below, "below", "", "the TERM that it stands below; default: the top")
	return cmd
}

func newTaxonomyMove(s *Shell) *cobra.Command {
	var below string
	var top bool
	cmd := s.changes(&cobra.Command{
		Use:   "move TERM --below TERM | --top",
		Short: "Move a term, with everything below it",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if top == (below != "") {
				return Usage("say where to: --below TERM or --top")
			}
			return s.writeTerm(cmd, append(args, below), func(ctx context.Context, tx *db.Tx) (taxonomy.Term, error) {
				id, err := termID(ctx, tx, args[0])
				parent := ids.None
				if err == nil && below != "" {
					parent, err = termID(ctx, tx, below)
				}
				if err != nil {
					return taxonomy.Term{}, err
				}
				return taxonomy.UpdateTerm(ctx, tx, id, taxonomy.TermPatch{ParentID: taxonomy.Below(parent)})
			})
		},
	})
	cmd.Flags().StringVar(&below, "below", "", "the TERM that it stands below from now on")
	cmd.Flags().BoolVar(&top, "top", false, "to the top of the tree")
	return cmd
}

func newTaxonomyRetire(s *Shell) *cobra.Command {
	return s.termCommand("retire TERM", "Retire a term: it cannot be assigned anew", taxonomy.Retire)
}

func newTaxonomyRestore(s *Shell) *cobra.Command {
	return s.termCommand("restore TERM", "Restore a retired term", taxonomy.Restore)
}

func (s *Shell) termCommand(use, short string, change func(context.Context, *db.Tx, ids.ID) (taxonomy.Term, error)) *cobra.Command {
	return s.changes(&cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.writeTerm(cmd, args, func(ctx context.Context, tx *db.Tx) (taxonomy.Term, error) {
				id, err := termID(ctx, tx, args[0])
				if err != nil {
					return taxonomy.Term{}, err
				}
				return change(ctx, tx, id)
			})
		},
	})
}

// writeTerm runs a change of a term and shows the term.
func (s *Shell) writeTerm(cmd *cobra.Command, in []string, change func(context.Context, *db.Tx) (taxonomy.Term, error)) error {
	s.tenantWide()
	return changed(s, cmd, in, func(tx *db.Tx) (taxonomy.Term, error) { return change(cmd.Context(), tx) }, termColumns...)
}

func newTaxonomyMerge(s *Shell) *cobra.Command {
	return s.changes(&cobra.Command{
		Use:   "merge TERM INTO",
		Short: "Merge a term into another one of its facet, after showing what that rewrites",
		Long: `Merge a term into another one of its facet. The term is retired for good; drafts, draws and
saved views of the whole tenant name the other one instead, and what stood below it stands
below the other one. Published versions never change. The numbers are shown before anything
is asked and done.`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.tenantWide()
			if !s.dryRun {
				err := s.askToMerge(cmd.Context(), args)
				if err != nil {
					return err
				}
			}
			return changed(s, cmd, args, func(tx *db.Tx) (inventory.TermMerge, error) {
				return mergeTerms(cmd.Context(), tx, args, s.dryRun)
			}, mergeColumns...)
		},
	})
}

func (s *Shell) askToMerge(ctx context.Context, args []string) error {
	if s.Yes {
		return nil
	}
	store, scope, err := s.scoped(ctx)
	if err != nil {
		return err
	}
	var plan inventory.TermMerge
	err = store.DryRun(ctx, scope, func(tx *db.Tx) error {
		var err error
		plan, err = mergeTerms(ctx, tx, args, true)
		return err
	})
	if err != nil {
		return err
	}
	return s.confirm(ctx, "Merge %s into %s? This rewrites the drafts of %s and %s with %s, %s, and moves %s.",
		args[0], args[1], plural.Of(plan.Questions, "question"), plural.Of(plan.Evaluations, "evaluation"), plural.Of(plan.Draws, "draw"),
		plural.Of(plan.Views, "view"), plural.Of(plan.Children, "term"))
}

func mergeTerms(ctx context.Context, tx *db.Tx, args []string, dry bool) (inventory.TermMerge, error) {
	from, err := termID(ctx, tx, args[0])
	if err != nil {
		return inventory.TermMerge{}, err
	}
	into, err := termID(ctx, tx, args[1])
	if err != nil {
		return inventory.TermMerge{}, err
	}
	return inventory.MergeTerm(ctx, tx, from, inventory.TermMergeInput{IntoID: into, DryRun: dry})
}

func newTaxonomyCheck(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Look for damage in the trees, the merges and the assignments of terms",
		Long: `Look for cycles, parents of another facet, relations and merges that lead nowhere, assigned
terms of another domain, and indexes that differ from the versions. Exit code 1 says that
something was found.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.tenantWide()
			found, err := report(cmd.Context(), s, func(tx *db.Tx) ([]inventory.TermFinding, error) {
				return inventory.CheckTerms(cmd.Context(), tx)
			})
			if err != nil {
				return err
			}
			err = Print(s, found, termFindingColumns...)
			if err == nil && len(found) > 0 {
				err = Unsound("findings: %d", len(found))
			}
			return err
		},
	}
}

var mergeColumns = columns(`Merged, Questions = Drafts of questions, Evaluations = Drafts of evaluations, Draws,
	Views = Saved views, Children = Terms moved, Indexed = Found by the survivor`,
	Column[inventory.TermMerge]{Header: "Merged", Cell: func(m inventory.TermMerge) string { return m.Term.Facet + ":" + m.Term.Slug }},
)

var termFindingColumns = columns[inventory.TermFinding]("Kind = Finding, TermID, SubjectID = Carried by, Message = What")
