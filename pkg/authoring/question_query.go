package authoring

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/db"
	"assess/pkg/errs"
	"assess/pkg/ids"
)

// lockQuestions finds questions by id and keeps everybody else from changing them. The
// order keeps two such calls from waiting for one another. not_found when one is missing.
func lockQuestions(ctx context.Context, tx *db.Tx, questionIDs []ids.ID) ([]models.Question, error) {
	if len(questionIDs) == 0 {
		return nil, nil
	}
	var rows []models.Question
	err := tx.NewSelect().Model(&rows).Apply(inScope(tx)).Where("q.id in (?)", bun.List(questionIDs)).
		Order("q.id").For("update of q").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("lock questions: %w", err)
	}
	if len(rows) < countDistinct(questionIDs) {
		return nil, errs.New(errs.NotFound, "There is no such question in your scope.")
	}
	return rows, nil
}

// findQuestions gives the questions of the scope among the ids.
func findQuestions(ctx context.Context, tx *db.Tx, questionIDs []ids.ID) ([]models.Question, error) {
	if len(questionIDs) == 0 {
		return nil, nil
	}
	var rows []models.Question
	err := tx.NewSelect().Model(&rows).Apply(inScope(tx)).Where("q.id in (?)", bun.List(questionIDs)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("find questions: %w", err)
	}
	return rows, nil
}

func countDistinct(all []ids.ID) int {
	seen := make(map[ids.ID]bool, len(all))
	for _, id := range all {
		seen[id] = true
	}
	return len(seen)
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
	versions := make(map[ids.ID]models.QuestionVersion, len(wanted))
	if len(wanted) == 0 {
		return versions, nil
	}
	var rows []models.QuestionVersion
	err := tx.NewSelect().Model(&rows).Apply(inScope(tx)).Where("v.id in (?)", bun.List(wanted)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read question versions: %w", err)
	}
	for _, row := range rows {
		versions[row.ID] = row
	}
	return versions, nil
}

// saveQuestions stores questions and their drafts as they now are, new ones and changed
// ones alike: four statements for any number of them.
func saveQuestions(ctx context.Context, tx *db.Tx, edits []questionEdit) error {
	if len(edits) == 0 {
		return nil
	}
	var questions []models.Question
	var drafts []models.QuestionVersion
	var terms []models.QuestionTerm
	var changed []ids.ID
	for _, e := range edits {
		questions, drafts, changed = append(questions, e.question), append(drafts, e.version), append(changed, e.question.ID)
		for _, term := range e.version.TermIDs {
			terms = append(terms, models.QuestionTerm{TenantID: tx.Tenant(), QuestionID: e.question.ID,
				TermID: term, OrgUnitID: e.question.OrgUnitID})
		}
	}
	_, err := tx.NewInsert().Model(&questions).On("conflict (tenant_id, id) do update").
		Set("external_id = excluded.external_id, draft_id = excluded.draft_id, updated_at = excluded.updated_at").
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
	return saveQuestionTerms(ctx, tx, changed, terms)
}

func saveQuestionTerms(ctx context.Context, tx *db.Tx, changed []ids.ID, terms []models.QuestionTerm) error {
	_, err := tx.Exec(ctx, "delete from question_terms where tenant_id = $1 and question_id = any($2)", tx.Tenant(), changed)
	if err != nil {
		return fmt.Errorf("clear question terms: %w", err)
	}
	if len(terms) == 0 {
		return nil
	}
	_, err = tx.NewInsert().Model(&terms).Returning("NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("save question terms: %w", err)
	}
	return nil
}

// freezeQuestions publishes the drafts of questions that are locked.
func freezeQuestions(ctx context.Context, tx *db.Tx, questionIDs []ids.ID) error {
	_, err := tx.Exec(ctx, `
		update question_versions v set status = 'published', published_at = $3, updated_at = $3
		from questions q
		where q.tenant_id = $1 and q.id = any($2) and v.tenant_id = $1 and v.id = q.draft_id`,
		tx.Tenant(), questionIDs, tx.Now())
	if err != nil {
		return fmt.Errorf("publish question versions: %w", err)
	}
	_, err = tx.Exec(ctx, `
		update questions set status = 'published', published_id = draft_id, draft_id = null,
			updated_at = greatest($3, updated_at + interval '1 millisecond')
		where tenant_id = $1 and id = any($2) and draft_id is not null`,
		tx.Tenant(), questionIDs, tx.Now())
	if err != nil {
		return fmt.Errorf("publish questions: %w", err)
	}
	return nil
}
