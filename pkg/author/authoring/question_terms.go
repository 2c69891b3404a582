package authoring

import (
	"context"
	"fmt"
	"slices"

	"assess/models"
	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// saveQuestionTerms makes the given terms those of the newest versions of their questions.
// changed are the questions that may have other terms so far. Those of published versions
// stay as they are.
func saveQuestionTerms(ctx context.Context, tx *db.Tx, changed []ids.ID, terms []models.QuestionTerm) error {
	err := clearQuestionTerms(ctx, tx, changed)
	if err != nil || len(terms) == 0 {
		return err
	}
	var questions, named, orgs []ids.ID
	for _, t := range terms {
		questions, named, orgs = append(questions, t.QuestionID), append(named, t.TermID), append(orgs, t.OrgUnitID)
	}
	_, err = tx.Exec(ctx, `
		insert into question_terms (tenant_id, question_id, term_id, org_unit_id, is_newest)
		select $1, n.*, true from unnest($2::uuid[], $3::uuid[], $4::uuid[]) as n
		on conflict (tenant_id, question_id, term_id) do update set is_newest = true`, tx.Tenant(), questions, named, orgs)
	if err != nil {
		return fmt.Errorf("save question terms: %w", err)
	}
	return nil
}

func clearQuestionTerms(ctx context.Context, tx *db.Tx, changed []ids.ID) error {
	if len(changed) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `
		delete from question_terms where tenant_id = $1 and question_id = any($2) and not is_published`, tx.Tenant(), changed)
	if err != nil {
		return fmt.Errorf("clear question terms: %w", err)
	}
	_, err = tx.Exec(ctx, `
		update question_terms set is_newest = false where tenant_id = $1 and question_id = any($2) and is_newest`, tx.Tenant(), changed)
	if err != nil {
		return fmt.Errorf("clear question terms: %w", err)
	}
	return nil
}

// publishQuestionTerms makes the terms of the newest versions those of the published ones:
// the two have become one version.
func publishQuestionTerms(ctx context.Context, tx *db.Tx, published []ids.ID) error {
	_, err := tx.Exec(ctx, `
		delete from question_terms where tenant_id = $1 and question_id = any($2) and not is_newest`, tx.Tenant(), published)
	if err != nil {
		return fmt.Errorf("clear published terms: %w", err)
	}
	_, err = tx.Exec(ctx, `
		update question_terms set is_published = true where tenant_id = $1 and question_id = any($2) and not is_published`, tx.Tenant(), published)
	if err != nil {
		return fmt.Errorf("publish question terms: %w", err)
	}
	return nil
}

// followMerges puts survivors in the place of merged terms where a new draft is about to
// begin from a published version, which keeps what it named.
func followMerges(ctx context.Context, tx *db.Tx, edits []*questionEdit) error {
	var named []ids.ID
	for _, e := range edits {
		if e.question.DraftID == nil {
			named = append(named, e.version.TermIDs...)
		}
	}
	survivors, err := taxonomy.Survivors(ctx, tx, named)
	if err != nil {
		return err
	}
	for _, e := range edits {
		if e.question.DraftID != nil {
			continue
		}
		followed := make([]ids.ID, 0, len(e.version.TermIDs))
		for _, id := range e.version.TermIDs {
			followed = append(followed, survivors[id])
		}
		e.version.TermIDs = sortedSet(followed)
	}
	return nil
}

// sortedSet gives each id once, in order.
func sortedSet(all []ids.ID) []ids.ID {
	slices.SortFunc(all, func(a, b ids.ID) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(all)
}
