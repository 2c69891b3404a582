package authoring

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// freezingQuestions says what publishing drafts pins, and what keeps them from being published.
func freezingQuestions(ctx context.Context, tx *db.Tx, drafts []*questionEdit, paths []string) ([]freezing, error) {
	passages, err := passagesOf(ctx, tx, each(drafts, func(e *questionEdit) ids.ID { return e.record.ID }))
	if err != nil {
		return nil, err
	}
	ready := make([]freezing, len(drafts))
	for i, e := range drafts {
		version, err := questionVersionOf(e.version)
		if err != nil {
			return nil, err
		}
		f := freezing{documents: version.placed(paths[i]), problems: version.publishProblems(paths[i]), terms: version.TaxonomyTermIDs,
			orderTold: len(version.Scoring.Order) > 1 && slices.IsSorted(version.Scoring.Order)}
		if about, ok := passages[e.record.ID]; ok {
			f.passage, f.passageDraft = about.published, about.hasDraft
			at := member(paths[i], "passageId")
			f.problems.addIf(about.published == nil, at, "passage_not_published", "the passage that the question is about has no published version")
			f.problems.addIf(about.status == models.AuthoringArchived, at, "archived", "the passage that the question is about is archived")
		}
		ready[i] = f
	}
	return ready, nil
}

// passageOfQuestion is the passage that a question is about.
type passageOfQuestion struct {
	status    string
	published *ids.ID
	hasDraft  bool
}

// passagesOf gives the passage of each question that is about one.
func passagesOf(ctx context.Context, tx *db.Tx, questionIDs []ids.ID) (map[ids.ID]passageOfQuestion, error) {
	rows, err := tx.Query(ctx, `
		select l.question_id, p.status, p.published_id, p.draft_id is not null
		from passage_questions l join passages p on p.tenant_id = $1 and p.id = l.passage_id
		where l.tenant_id = $1 and l.question_id = any($2)`, tx.Tenant(), questionIDs)
	if err != nil {
		return nil, fmt.Errorf("find the passages of questions: %w", err)
	}
	found := map[ids.ID]passageOfQuestion{}
	var question ids.ID
	var about passageOfQuestion
	_, err = pgx.ForEachRow(rows, []any{&question, &about.status, &about.published, &about.hasDraft}, func() error {
		found[question] = about
		about.published = nil
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find the passages of questions: %w", err)
	}
	return found, nil
}
