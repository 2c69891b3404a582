package authoring

import (
	"context"

	"assess/models"
	"assess/pkg/kernel/db"
)

// ListEvaluations gives evaluations, newest change first unless the filter says otherwise.
// Every filter is served by an index. Errors: validation_failed.
func ListEvaluations(ctx context.Context, tx *db.Tx, filter EvaluationFilter) (db.List[EvaluationSummary], error) {
	rows, page, total, err := evaluationStore.list(ctx, tx, listing{status: filter.Status, statuses: filter.Statuses,
		terms: termFilter{filter.TermsAny, filter.TermsAll, filter.IncludeDescendants}, search: filter.Search, sort: filter.Sort, page: filter.Page})
	if err != nil {
		return db.List[EvaluationSummary]{}, err
	}
	newest, err := evaluationStore.newestOf(ctx, tx, rows)
	if err != nil {
		return db.List[EvaluationSummary]{}, err
	}
	items := each(rows, func(row *models.Evaluation) EvaluationSummary {
		return EvaluationSummary{ID: row.ID, ExternalID: text(row.ExternalID), Title: row.Title, Status: row.Status,
			Number: newest[newestID(row.Row())].Number, HasDraft: row.DraftID != nil, PublishedVersionID: row.PublishedID,
			CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC()}
	})
	return db.NewList(items, page, total), nil
}
