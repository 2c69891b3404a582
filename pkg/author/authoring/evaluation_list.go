package authoring

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// ListEvaluations gives evaluations, newest change first unless the filter says otherwise.
// Every filter is served by an index. Errors: validation_failed.
func ListEvaluations(ctx context.Context, tx *db.Tx, filter EvaluationFilter) (db.List[EvaluationSummary], error) {
	if err := tx.Require(capability.EvaluationsRead); err != nil {
		return db.List[EvaluationSummary]{}, err
	}
	page, err := filter.Check()
	if err != nil {
		return db.List[EvaluationSummary]{}, err
	}
	if err := filter.check(); err != nil {
		return db.List[EvaluationSummary]{}, err
	}
	carrying, err := filter.terms(ctx, tx)
	if err != nil {
		return db.List[EvaluationSummary]{}, err
	}
	var rows []evaluationLine
	total, err := tx.NewSelect().Model(&rows).
		ColumnExpr("e.*, v.number").
		Join("join evaluation_versions v on v.tenant_id = e.tenant_id and v.id = coalesce(e.draft_id, e.published_id)").
		Apply(tx.InScope, withStatus(filter.Status, filter.Statuses...), carrying, matching(evaluationStore.noun, filter.Search), sorted(filter.Sort)).
		Limit(int64(page.Limit)).Offset(int64(page.Offset())).
		ScanAndCount(ctx)
	if err != nil {
		return db.List[EvaluationSummary]{}, fmt.Errorf("list evaluations: %w", err)
	}
	items := make([]EvaluationSummary, 0, len(rows))
	for _, row := range rows {
		items = append(items, row.summary())
	}
	return db.NewList(items, page, int(total)), nil
}

// evaluationLine is an evaluation with what a list shows of its newest version.
type evaluationLine struct {
	models.Evaluation `bun:",extend"`

	Number int `bun:",scanonly"`
}

func (l evaluationLine) summary() EvaluationSummary {
	return EvaluationSummary{ID: l.ID, ExternalID: text(l.ExternalID), Title: l.Title, Status: l.Status, Number: l.Number,
		HasDraft: l.DraftID != nil, PublishedVersionID: l.PublishedID, CreatedAt: l.CreatedAt.UTC(), UpdatedAt: l.UpdatedAt.UTC()}
}

func (f EvaluationFilter) check() error {
	if err := errs.Invalid(f.termFilter().check()...); err != nil {
		return err
	}
	return checkSort(f.Sort)
}

func (f EvaluationFilter) termFilter() termFilter {
	return termFilter{f.TermsAny, f.TermsAll, f.IncludeDescendants}
}

// terms asks for evaluations whose newest version carries the terms.
func (f EvaluationFilter) terms(ctx context.Context, tx *db.Tx) (func(*bun.SelectQuery) *bun.SelectQuery, error) {
	return f.termFilter().carrying(ctx, tx, func(terms []ids.ID) *bun.SelectQuery {
		return tx.NewSelect().TableExpr("evaluation_terms as et").ColumnExpr("1").Where("et.tenant_id = ?", tx.Tenant()).
			Where("et.evaluation_id = e.id").Where("et.term_id in (?)", bun.List(terms)).Where("et.is_newest")
	})
}
