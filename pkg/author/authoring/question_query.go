package authoring

import (
	"context"
	"fmt"
	"strings"
	"time"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
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
		questions, drafts = append(questions, e.question), append(drafts, e.version)
		if !e.isNew {
			changed = append(changed, e.question.ID)
		}
		for _, term := range e.version.TermIDs {
			terms = append(terms, models.QuestionTerm{TenantID: tx.Tenant(), QuestionID: e.question.ID,
				TermID: term, OrgUnitID: e.question.OrgUnitID, IsNewest: true})
		}
		if e.texts != nil {
			words = append(words, searchText{e.question.Authored, e.texts})
		}
	}
	err := insertQuestions(ctx, tx, questions)
	if err != nil {
		return err
	}
	err = insertQuestionVersions(ctx, tx, drafts)
	if err != nil {
		return err
	}
	err = saveQuestionTerms(ctx, tx, changed, terms)
	if err != nil {
		return err
	}
	return saveSearch(ctx, tx, questionTables, words)
}

// insertQuestions sends columns, so that one prepared statement takes any number of rows.
func insertQuestions(ctx context.Context, tx *db.Tx, rows []models.Question) error {
	var questionIDs, orgs []ids.ID
	var externalIDs []*string
	var statuses, qtypes []string
	var drafts, published []*ids.ID
	var contributes []bool
	var created, updated []time.Time
	for _, q := range rows {
		questionIDs, orgs, externalIDs = append(questionIDs, q.ID), append(orgs, q.OrgUnitID), append(externalIDs, q.ExternalID)
		statuses, drafts, published = append(statuses, q.Status), append(drafts, q.DraftID), append(published, q.PublishedID)
		qtypes, contributes = append(qtypes, q.QType), append(contributes, q.ContributesToScore)
		created, updated = append(created, q.CreatedAt), append(updated, q.UpdatedAt)
	}
	_, err := tx.Exec(ctx, `
		insert into questions (tenant_id, id, org_unit_id, external_id, status, draft_id, published_id, qtype, contributes_to_score,
			created_at, updated_at)
		select $1, n.* from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::uuid[], $7::uuid[], $8::text[], $9::bool[],
			$10::timestamptz[], $11::timestamptz[]) as n
		on conflict (tenant_id, id) do update set external_id = excluded.external_id, draft_id = excluded.draft_id,
			updated_at = excluded.updated_at, qtype = excluded.qtype, contributes_to_score = excluded.contributes_to_score`,
		tx.Tenant(), questionIDs, orgs, externalIDs, statuses, drafts, published, qtypes, contributes, created, updated)
	if err != nil {
		return fmt.Errorf("save questions: %w", err)
	}
	return nil
}

// insertQuestionVersions writes drafts, which pin nothing and were never published.
func insertQuestionVersions(ctx context.Context, tx *db.Tx, rows []models.QuestionVersion) error {
	var versionIDs, orgs, questionIDs []ids.ID
	var numbers []int32
	var statuses, qtypes, bodies, extracts, hashes, canonical, hashing, terms []string
	var created, updated []time.Time
	for _, v := range rows {
		versionIDs, orgs, questionIDs = append(versionIDs, v.ID), append(orgs, v.OrgUnitID), append(questionIDs, v.QuestionID)
		numbers, statuses, qtypes = append(numbers, int32(v.Number)), append(statuses, v.Status), append(qtypes, v.QType)
		bodies, extracts, hashes = append(bodies, string(v.Body)), append(extracts, string(v.Extracts)), append(hashes, v.ContentHash)
		canonical, hashing = append(canonical, v.CanonicalScheme), append(hashing, v.HashScheme)
		terms = append(terms, arrayText(v.TermIDs))
		created, updated = append(created, v.CreatedAt), append(updated, v.UpdatedAt)
	}
	_, err := tx.Exec(ctx, `
		insert into question_versions (tenant_id, id, org_unit_id, question_id, number, status, qtype, body, term_ids, extracts,
			content_hash, canonical_scheme, hash_scheme, created_at, updated_at)
		select $1, id, org, question, number, status, qtype, body::jsonb, terms::uuid[], extracts::jsonb, hash, canonical, hashing,
			created, updated
		from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::int[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
			$11::text[], $12::text[], $13::text[], $14::timestamptz[], $15::timestamptz[])
			as n (id, org, question, number, status, qtype, body, terms, extracts, hash, canonical, hashing, created, updated)
		on conflict (tenant_id, id) do update set qtype = excluded.qtype, body = excluded.body, term_ids = excluded.term_ids,
			extracts = excluded.extracts, content_hash = excluded.content_hash, updated_at = excluded.updated_at`,
		tx.Tenant(), versionIDs, orgs, questionIDs, numbers, statuses, qtypes, bodies, terms, extracts, hashes, canonical, hashing, created, updated)
	if err != nil {
		return fmt.Errorf("save question versions: %w", err)
	}
	return nil
}

// arrayText writes an array of ids as PostgreSQL reads it: arrays of several lengths cannot
// travel in one.
func arrayText(all []ids.ID) string {
	words := make([]string, len(all))
	for i, id := range all {
		words[i] = id.String()
	}
	return "{" + strings.Join(words, ",") + "}"
}
