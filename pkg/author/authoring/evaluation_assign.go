package authoring

import (
	"context"
	"slices"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// GetEvaluationTerms gives the terms of an evaluation. It needs taxonomy.read alone.
// Errors: not_found.
func GetEvaluationTerms(ctx context.Context, tx *db.Tx, id ids.ID) (AssignedTerms, error) {
	if err := tx.Require(capability.TaxonomyRead); err != nil {
		return AssignedTerms{}, err
	}
	var rows []models.Evaluation
	err := tx.NewSelect().Model(&rows).Apply(tx.InScope).Where("e.id = ?", id).Scan(ctx)
	if err == nil && len(rows) == 0 {
		err = errs.New(errs.NotFound, "There is no such evaluation in your scope.")
	}
	if err != nil {
		return AssignedTerms{}, err
	}
	return evaluationTerms(ctx, tx, rows[0])
}

// SetEvaluationTerms replaces the terms of an evaluation as SetQuestionTerms does those of
// a question. Errors: the same.
func SetEvaluationTerms(ctx context.Context, tx *db.Tx, id ids.ID, in TermsInput) (AssignedTerms, error) {
	if err := tx.Require(capability.TaxonomyManage); err != nil {
		return AssignedTerms{}, err
	}
	edit, err := takeUpEvaluation(ctx, tx, id)
	if err != nil {
		return AssignedTerms{}, err
	}
	if err := db.Fresh(in.UpdatedAt, edit.evaluation.UpdatedAt); err != nil {
		return AssignedTerms{}, err
	}
	if err := in.check(ctx, tx, edit.version.TermIDs); err != nil {
		return AssignedTerms{}, err
	}
	terms := termSet(in.TaxonomyTermIDs)
	if slices.Equal(terms, termSet(edit.version.TermIDs)) {
		return evaluationTerms(ctx, tx, edit.evaluation)
	}
	edit.evaluation.UpdatedAt = tx.ChangedAt(edit.evaluation.UpdatedAt)
	edit.begin(tx)
	edit.version.TermIDs, edit.version.UpdatedAt = terms, edit.evaluation.UpdatedAt
	_, err = storeEvaluation(ctx, tx, edit, "updated")
	if err != nil {
		return AssignedTerms{}, err
	}
	return evaluationTerms(ctx, tx, edit.evaluation)
}

func evaluationTerms(ctx context.Context, tx *db.Tx, row models.Evaluation) (AssignedTerms, error) {
	versions, err := evaluationVersions(ctx, tx, []models.Evaluation{row})
	if err != nil {
		return AssignedTerms{}, err
	}
	tagged := func(id *ids.ID) *taggedVersion {
		if id == nil {
			return nil
		}
		v := versions[*id]
		return &taggedVersion{id: v.ID, number: v.Number, status: v.Status, terms: v.TermIDs}
	}
	return assignedTerms(ctx, tx, row.ID, row.UpdatedAt, tagged(row.DraftID), tagged(row.PublishedID))
}
