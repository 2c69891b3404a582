package authoring

import (
	"context"
	"slices"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// GetQuestionTerms gives the terms of a question. It needs taxonomy.read alone. Errors:
// not_found.
func GetQuestionTerms(ctx context.Context, tx *db.Tx, id ids.ID) (AssignedTerms, error) {
	if err := tx.Require(capability.TaxonomyRead); err != nil {
		return AssignedTerms{}, err
	}
	rows, err := findQuestions(ctx, tx, []ids.ID{id})
	if err != nil {
		return AssignedTerms{}, err
	}
	if len(rows) == 0 {
		return AssignedTerms{}, errs.New(errs.NotFound, "There is no such question in your scope.")
	}
	return questionTerms(ctx, tx, rows[0])
}

// SetQuestionTerms replaces the terms of a question: those of its draft, which a published
// question without one gets. Terms that it carries already change nothing. It needs
// taxonomy.manage alone. Errors: not_found, archived, stale_update, validation_failed
// (unknown_term, wrong_domain, retired_term, duplicate_term).
func SetQuestionTerms(ctx context.Context, tx *db.Tx, id ids.ID, in TermsInput) (AssignedTerms, error) {
	if err := tx.Require(capability.TaxonomyManage); err != nil {
		return AssignedTerms{}, err
	}
	edit, err := takeUpQuestion(ctx, tx, id)
	if err != nil {
		return AssignedTerms{}, err
	}
	if err := db.Fresh(in.UpdatedAt, edit.question.UpdatedAt); err != nil {
		return AssignedTerms{}, err
	}
	if err := in.check(ctx, tx, edit.version.TermIDs); err != nil {
		return AssignedTerms{}, err
	}
	terms := termSet(in.TaxonomyTermIDs)
	if slices.Equal(terms, termSet(edit.version.TermIDs)) {
		return questionTerms(ctx, tx, edit.question)
	}
	edit.question.UpdatedAt = tx.ChangedAt(edit.question.UpdatedAt)
	edit.begin(tx)
	edit.version.TermIDs, edit.version.UpdatedAt = terms, edit.question.UpdatedAt
	err = saveQuestions(ctx, tx, []questionEdit{edit})
	if err != nil {
		return AssignedTerms{}, err
	}
	err = ledger.Append(ctx, tx, edit.event("updated"))
	if err != nil {
		return AssignedTerms{}, err
	}
	return questionTerms(ctx, tx, edit.question)
}

func questionTerms(ctx context.Context, tx *db.Tx, row models.Question) (AssignedTerms, error) {
	versions, err := questionVersions(ctx, tx, []models.Question{row})
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
