package authoring

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// ExportedEvaluation is an evaluation as its newest version says it: what UpsertEvaluations
// would take for it. ExternalIDs names its fixed questions, as far as they have one.
type ExportedEvaluation struct {
	ID          ids.ID
	Input       EvaluationInput
	ExternalIDs map[ids.ID]string
}

// ExportEvaluations gives up to limit evaluations, as ExportQuestions gives questions. It
// needs evaluations.read.
func ExportEvaluations(ctx context.Context, tx *db.Tx, filter ExportFilter, after ids.ID, limit int) ([]ExportedEvaluation, error) {
	org, err := exportScope(tx, capability.EvaluationsRead, filter)
	if err != nil {
		return nil, err
	}
	rows, err := exportedRows[models.Evaluation](ctx, tx, "evaluations", org, filter, after, limit)
	if err != nil {
		return nil, err
	}
	versions, err := evaluationVersions(ctx, tx, rows)
	if err != nil {
		return nil, err
	}
	all := make([]ExportedEvaluation, 0, len(rows))
	var asked []ids.ID
	for _, row := range rows {
		version, err := openEvaluationEdit(row, versions).version.version()
		if err != nil {
			return nil, err
		}
		for item := range version.items() {
			asked = append(asked, item.QuestionID)
		}
		all = append(all, ExportedEvaluation{ID: row.ID, Input: version.input(text(row.ExternalID))})
	}
	names, err := externalIDsOf(ctx, tx, asked)
	for i := range all {
		all[i].ExternalIDs = names
	}
	return all, err
}

// exportedRows gives a page of records.
func exportedRows[R any](ctx context.Context, tx *db.Tx, table string, org ids.ID, filter ExportFilter, after ids.ID, limit int) ([]R, error) {
	var rows []R
	err := tx.NewSelect().Model(&rows).Where("?TableAlias.tenant_id = ?", tx.Tenant()).Where("?TableAlias.org_unit_id = ?", org).
		Where("?TableAlias.id > ?", after).Where("(?TableAlias.status = ? or (? = '' and ?TableAlias.status <> 'archived'))", filter.Status, filter.Status).
		OrderExpr("?TableAlias.id").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("export %s: %w", table, err)
	}
	return rows, nil
}

// externalIDsOf gives the external ids of questions that have one.
func externalIDsOf(ctx context.Context, tx *db.Tx, questionIDs []ids.ID) (map[ids.ID]string, error) {
	rows, err := tx.Query(ctx, `
		select id, external_id from questions where tenant_id = $1 and id = any($2) and external_id is not null`, tx.Tenant(), questionIDs)
	if err != nil {
		return nil, fmt.Errorf("name questions: %w", err)
	}
	names := make(map[ids.ID]string, len(questionIDs))
	var id ids.ID
	var name string
	_, err = pgx.ForEachRow(rows, []any{&id, &name}, func() error {
		names[id] = name
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("name questions: %w", err)
	}
	return names, nil
}
