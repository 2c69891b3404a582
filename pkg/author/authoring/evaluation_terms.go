package authoring

import (
	"context"
	"fmt"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// saveEvaluationTerms writes who carries which terms in the newest version, in three
// statements; what the published version carries stays.
func saveEvaluationTerms(ctx context.Context, tx *db.Tx, edits []evaluationEdit) error {
	var changed, evaluations, orgs, terms []ids.ID
	for _, e := range edits {
		changed = append(changed, e.evaluation.ID)
		for _, term := range e.version.TermIDs {
			evaluations, orgs, terms = append(evaluations, e.evaluation.ID), append(orgs, e.evaluation.OrgUnitID), append(terms, term)
		}
	}
	statements := []struct {
		sql  string
		args []any
	}{
		{`delete from evaluation_terms where tenant_id = $1 and evaluation_id = any($2) and not is_published`, []any{changed}},
		{`update evaluation_terms set is_newest = false where tenant_id = $1 and evaluation_id = any($2) and is_newest`, []any{changed}},
		{`insert into evaluation_terms (tenant_id, evaluation_id, term_id, org_unit_id)
			select $1, n.evaluation, n.term, n.org from unnest($2::uuid[], $3::uuid[], $4::uuid[]) as n (evaluation, term, org)
			on conflict (tenant_id, evaluation_id, term_id) do update set is_newest = true`,
			[]any{given(evaluations), given(terms), given(orgs)}},
	}
	for _, s := range statements {
		_, err := tx.Exec(ctx, s.sql, append([]any{tx.Tenant()}, s.args...)...)
		if err != nil {
			return fmt.Errorf("save evaluation terms: %w", err)
		}
	}
	return nil
}

// publishEvaluationTerms makes the terms of the newest version those of the published one.
func publishEvaluationTerms(ctx context.Context, tx *db.Tx, evaluation ids.ID) error {
	_, err := tx.Exec(ctx, "delete from evaluation_terms where tenant_id = $1 and evaluation_id = $2 and not is_newest", tx.Tenant(), evaluation)
	if err != nil {
		return fmt.Errorf("publish evaluation terms: %w", err)
	}
	_, err = tx.Exec(ctx, "update evaluation_terms set is_published = true where tenant_id = $1 and evaluation_id = $2", tx.Tenant(), evaluation)
	if err != nil {
		return fmt.Errorf("publish evaluation terms: %w", err)
	}
	return nil
}
