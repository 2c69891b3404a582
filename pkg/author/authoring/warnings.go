package authoring

import (
	"context"
	"fmt"

	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
)

// questionWarnings names things that may surprise the author who publishes a question.
//
//	passage_draft_newer  its passage has a draft that is newer than the version that is pinned
//	retired_term         it carries a retired term, with which no evaluation can be published
//	order_in_ids         its options are in their right order when they are sorted by their ids, which candidates receive
func questionWarnings(ctx context.Context, tx *db.Tx, draft freezing) ([]errs.Field, error) {
	var p problems
	p.addIf(draft.passage != nil && draft.passageDraft, "passageId", "passage_draft_newer",
		"the passage has a newer draft; the question pins the version that is published")
	p.addIf(draft.orderTold, "scoring.order", "order_in_ids",
		"candidates receive the ids of the options, and sorted by them the options are in their right order; give them other ids")
	names, err := taxonomy.Names(ctx, tx, draft.terms)
	if err != nil {
		return nil, err
	}
	for i, id := range draft.terms {
		name := names[id]
		p.addIf(name.Retired, element("", "taxonomyTermIds", i), "retired_term",
			"the term "+name.Facet+":"+name.Term+" is retired; no evaluation can be published with it")
	}
	return p.listed(), nil
}

// passageWarnings names things that may surprise the author who publishes a passage.
//
//	question_pins_older  published questions go on pinning the version before this one, until
//	                     they are published anew
func passageWarnings(ctx context.Context, tx *db.Tx, draft freezing) ([]errs.Field, error) {
	n := 0
	err := tx.QueryRow(ctx, `
		select count(*)::int from passage_questions l join questions q on q.tenant_id = $1 and q.id = l.question_id
		where l.tenant_id = $1 and l.passage_id = $2 and q.published_id is not null and q.status <> 'archived'`, tx.Tenant(), draft.id).Scan(&n)
	if err != nil {
		return nil, fmt.Errorf("count the questions that pin a passage: %w", err)
	}
	var p problems
	p.addIf(n > 0, "questions", "question_pins_older",
		fmt.Sprintf("published questions that go on pinning an older version of the passage until they are published anew: %d", n))
	return p.listed(), nil
}
