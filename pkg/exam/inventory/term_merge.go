package inventory

import (
	"context"

	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// TermMergeInput says which term replaces another one.
type TermMergeInput struct {
	IntoID ids.ID `json:"intoId" noun:"term" doc:"The survivor: an active term of the same facet"`
	DryRun bool   `json:"dryRun,omitempty" doc:"Do everything, answer the numbers, and change nothing; needs no Idempotency-Key"`
}

// TermMerge says what a merge did, or would do, in the whole tenant. Questions and Evaluations
// count drafts that name the survivor now, Draws counts items of drafts that draw by it. Published
// versions never change: Indexed counts the questions and evaluations, published ones included,
// that are found by the survivor now.
type TermMerge struct {
	Term        taxonomy.Term `json:"term"`
	DryRun      bool          `json:"dryRun"`
	Children    int           `json:"children" doc:"Terms that stand below the survivor now"`
	Questions   int           `json:"questions" doc:"Drafts of questions that were rewritten"`
	Evaluations int           `json:"evaluations" doc:"Drafts of evaluations that were rewritten, draws included"`
	Draws       int           `json:"draws" doc:"Draws that were rewritten"`
	Views       int           `json:"views" doc:"Saved views that were rewritten"`
	Indexed     int           `json:"indexed" doc:"Questions and evaluations that are found by the survivor now"`
}

// MergeTerm merges a term into another one of its facet: it is retired for good, drafts and
// saved views name the survivor instead, and the terms below it move below the survivor. Vocabulary
// belongs to the whole tenant, so all of its org units are rewritten, whatever the scope. For a dry
// run the surface rolls back (Store.DryRun). Errors: as of taxonomy.BeginMerge.
func MergeTerm(ctx context.Context, tx *db.Tx, id ids.ID, in TermMergeInput) (TermMerge, error) {
	out := TermMerge{DryRun: in.DryRun}
	err := tx.AcrossOrgUnits(ctx, func() error {
		m := merging{from: id, into: in.IntoID}
		// Editors lock a question first and then its terms, and so does this; anything that began
		// to name the term in between has committed once the term is locked, and is locked after that.
		err := m.lockUsers(ctx, tx)
		if err != nil {
			return err
		}
		merger, err := taxonomy.BeginMerge(ctx, tx, id, in.IntoID)
		if err != nil {
			return err
		}
		err = m.lockUsers(ctx, tx)
		if err != nil {
			return err
		}
		err = m.rewrite(ctx, tx, &out)
		if err != nil {
			return err
		}
		out.Term, out.Children, err = merger.Finish(ctx, tx, map[string]any{"questions": out.Questions,
			"evaluations": out.Evaluations, "draws": out.Draws, "views": out.Views})
		return err
	})
	return out, err
}
