package authoring

import (
	"context"
	"fmt"

	"assess/models"
	"assess/pkg/db"
	"assess/pkg/ids"
)

// lockQuestions finds questions by id and keeps everybody else from changing them.
// not_found when one is missing.
func lockQuestions(ctx context.Context, tx *db.Tx, questionIDs []ids.ID) ([]models.Question, error) {
	return lock[models.Question](ctx, tx, questionTables, questionIDs)
}

// findQuestions gives the questions of the scope among the ids.
func findQuestions(ctx context.Context, tx *db.Tx, questionIDs []ids.ID) ([]models.Question, error) {
	return find[models.Question](ctx, tx, questionTables, questionIDs)
}

// questionVersions gives the draft and the published version of each question.
func questionVersions(ctx context.Context, tx *db.Tx, questions []models.Question) (map[ids.ID]models.QuestionVersion, error) {
	var wanted []ids.ID
	for _, q := range questions {
		wanted = append(wanted, versionIDs(q.DraftID, q.PublishedID)...)
	}
	return questionVersionsByID(ctx, tx, wanted)
}

func questionVersionsByID(ctx context.Context, tx *db.Tx, wanted []ids.ID) (map[ids.ID]models.QuestionVersion, error) {
	return versionsByID(ctx, tx, questionTables, wanted, func(v models.QuestionVersion) ids.ID { return v.ID })
}

// saveQuestions stores questions and their drafts as they now are, new ones and changed
// ones alike: a handful of statements for any number of them.
func saveQuestions(ctx context.Context, tx *db.Tx, edits []questionEdit) error {
	if len(edits) == 0 {
		return nil
	}
	var questions []models.Question
	var drafts []models.QuestionVersion
	var terms []models.QuestionTerm
	var changed []ids.ID
	var words []searchText
	for _, e := range edits {
		questions, drafts, changed = append(questions, e.question), append(drafts, e.version), append(changed, e.question.ID)
		for _, term := range e.version.TermIDs {
			terms = append(terms, models.QuestionTerm{TenantID: tx.Tenant(), QuestionID: e.question.ID,
				TermID: term, OrgUnitID: e.question.OrgUnitID, IsNewest: true})
		}
		if e.texts != nil {
			words = append(words, searchText{e.question.Authored, e.texts})
		}
	}
	_, err := tx.NewInsert().Model(&questions).On("conflict (tenant_id, id) do update").
		Set("external_id = excluded.external_id, draft_id = excluded.draft_id, updated_at = excluded.updated_at").
		Set("qtype = excluded.qtype, contributes_to_score = excluded.contributes_to_score").
		Returning("NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("save questions: %w", err)
	}
	_, err = tx.NewInsert().Model(&drafts).On("conflict (tenant_id, id) do update").
		Set("qtype = excluded.qtype, body = excluded.body, term_ids = excluded.term_ids, extracts = excluded.extracts").
		Set("content_hash = excluded.content_hash, updated_at = excluded.updated_at").
		Returning("NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("save question versions: %w", err)
	}
	err = saveQuestionTerms(ctx, tx, changed, terms)
	if err != nil {
		return err
	}
	return saveSearch(ctx, tx, questionTables, words)
}
