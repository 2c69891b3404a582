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
	cmd := newAct(s, "create FACET LABEL", "Create a term", func(ctx context.Context, tx *db.Tx, args []string) (taxonomy.Term, error) {
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
	}, fields(termColumns))
	cmd.Flags().StringVar(&slug, "slug", "", "default: made from the label")
	cmd.Flags().StringVar(&below, "below", "", "the TERM that it stands below; default: the top")
	return cmd
}

func newTaxonomyMove(s *Shell) *cobra.Command {
	var below string
	var top bool
	cmd := newAct(s, "move TERM --below TERM | --top", "Move a term, with everything below it",
		func(ctx context.Context, tx *db.Tx, args []string) (taxonomy.Term, error) {
			if top == (below != "") {
				return taxonomy.Term{}, Usage("say where to: --below TERM or --top")
			}
			parent := ids.None
			id, err := termID(ctx, tx, args[0])
			if err == nil {
				err = ifNamed(ctx, tx, below, termID, &parent)
			}
			if err != nil {
				return taxonomy.Term{}, err
			}
			return taxonomy.UpdateTerm(ctx, tx, id, taxonomy.TermPatch{ParentID: taxonomy.Below(parent)})
		}, fields(termColumns))
	cmd.Flags().StringVar(&below, "below", "", "the TERM that it stands below from now on")
	cmd.Flags().BoolVar(&top, "top", false, "to the top of the tree")
	return cmd
}

func newTaxonomyMerge(s *Shell) *cobra.Command {
	cmd := newAct(s, "merge TERM INTO", "Merge a term into another one of its facet, after showing what that rewrites",
		func(ctx context.Context, tx *db.Tx, args []string) (inventory.TermMerge, error) {
			return mergeTerms(ctx, tx, args, s.dryRun)
		}, fields(mergeColumns))
	cmd.Long = `Merge a term into another one of its facet. The term is retired for good; drafts, draws and
saved views of the whole tenant name the other one instead, and what stood below it stands
below the other one. Published versions never change. The numbers are shown before anything
is asked and done.`
	merge := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		err := s.askToMerge(cmd.Context(), args)
		if err != nil {
			return err
		}
		return merge(cmd, args)
	}
	return cmd
}

func (s *Shell) askToMerge(ctx context.Context, args []string) error {
	if s.Yes || s.dryRun {
		return nil
	}
	plan, err := rehearse(ctx, s, func(tx *db.Tx) (inventory.TermMerge, error) { return mergeTerms(ctx, tx, args, true) })
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
	cmd := newRead(s, (*db.Store).Report, "check", "Look for damage in the trees, the merges and the assignments of terms", alone(inventory.CheckTerms),
		func(s *Shell, found []inventory.TermFinding) error {
			err := Print(s, found, columns[inventory.TermFinding]("Kind = Finding, TermID, SubjectID = Carried by, Message = What")...)
			if err == nil && len(found) > 0 {
				err = Unsound("findings: %d", len(found))
			}
			return err
		})
	cmd.Long = `Look for cycles, parents of another facet, relations and merges that lead nowhere, assigned
terms of another domain, and indexes that differ from the versions. Exit code 1 says that
something was found.`
	return cmd
}

var mergeColumns = columns(`Merged, Questions = Drafts of questions, Evaluations = Drafts of evaluations, Draws,
	Views = Saved views, Children = Terms moved, Indexed = Found by the survivor`,
	Column[inventory.TermMerge]{Header: "Merged", Cell: func(m inventory.TermMerge) string { return m.Term.Facet + ":" + m.Term.Slug }},
)
