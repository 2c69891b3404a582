package authoring

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// GetQuestion gives a question with its draft and its published version. Errors:
// not_found.
func GetQuestion(ctx context.Context, tx *db.Tx, id ids.ID) (Question, error) {
	if err := tx.Require(capability.QuestionsRead); err != nil {
		return Question{}, err
	}
	row, err := one[models.Question](ctx, tx, questionTables, id)
	if err != nil {
		return Question{}, err
	}
	return readQuestion(ctx, tx, row)
}

// FindQuestions gives the ids of questions of the home org unit by their external ids;
// one without goes by its id. Unknown ones are absent. Imports use it.
func FindQuestions(ctx context.Context, tx *db.Tx, externalIDs []string) (map[string]ids.ID, error) {
	if err := tx.Require(capability.QuestionsRead); err != nil {
		return nil, err
	}
	return findByExternalID(ctx, tx, "questions", externalIDs)
}

func findByExternalID(ctx context.Context, tx *db.Tx, table string, externalIDs []string) (map[string]ids.ID, error) {
	org, err := tx.HomeOrgUnit()
	if err != nil {
		return nil, err
	}
	found := make(map[string]ids.ID, len(externalIDs))
	var rows []struct {
		ID         ids.ID
		ExternalID string
	}
	err = tx.NewSelect().Table(table).Column("id").ColumnExpr("coalesce(external_id, id::text) as external_id").
		Where("tenant_id = ?", tx.Tenant()).Where("org_unit_id = ?", org).
		Where("(external_id in (?) or (external_id is null and id in (?)))", bun.List(searchable(externalIDs)),
			bun.List(searchableIDs(externalIDs))).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("find %s by external id: %w", table, err)
	}
	for _, row := range rows {
		found[row.ExternalID] = row.ID
	}
	return found, nil
}
