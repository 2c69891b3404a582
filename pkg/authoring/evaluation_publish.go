package authoring

import (
	"context"
	"fmt"

	"assess/models"
	"assess/pkg/capability"
	"assess/pkg/content"
	"assess/pkg/db"
	"assess/pkg/errs"
	"assess/pkg/ids"
	"assess/pkg/ledger"
	"assess/pkg/taxonomy"
)

// PublishEvaluation pins the published version of each question, freezes the draft into a
// snapshot and makes it the version that is delivered. It takes a handful of statements
// for any number of items, and a step-up proof (specification, section 5.6). Of two calls
// at once, one publishes and the other gets nothing_to_publish. Errors: step_up_required,
// not_found, archived, nothing_to_publish, publish_blocked with every problem.
func PublishEvaluation(ctx context.Context, tx *db.Tx, id ids.ID) (Evaluation, error) {
	if err := tx.Require(capability.EvaluationsWrite); err != nil {
		return Evaluation{}, err
	}
	if err := tx.RequireStepUp(ctx); err != nil {
		return Evaluation{}, err
	}
	edit, err := takeUpEvaluation(ctx, tx, id)
	if err != nil {
		return Evaluation{}, err
	}
	if edit.evaluation.DraftID == nil {
		return Evaluation{}, errs.New(errs.NothingToPublish, "There is no draft to publish.")
	}
	draft, err := edit.version.version()
	if err != nil {
		return Evaluation{}, err
	}
	available, err := loadBank(ctx, tx, draft)
	if err != nil {
		return Evaluation{}, err
	}
	if err := draft.publishProblems(available).blocked(); err != nil {
		return Evaluation{}, err
	}
	hash, err := storeSnapshot(ctx, tx, edit.evaluation.OrgUnitID, draft.snapshot(id, available))
	if err != nil {
		return Evaluation{}, err
	}
	row, err := freezeEvaluation(ctx, tx, edit.evaluation, draft, available, hash)
	if err != nil {
		return Evaluation{}, err
	}
	event := edit.event("published", map[string]any{"snapshotHash": hash,
		"canonicalScheme": content.CanonicalScheme, "hashScheme": content.HashScheme})
	if err := ledger.Append(ctx, tx, event); err != nil {
		return Evaluation{}, err
	}
	return readEvaluation(ctx, tx, row)
}

// bank is what a draft's items refer to: the questions that the scope has, the published
// versions of those that have one, and the names of their terms.
type bank struct {
	status   map[ids.ID]string
	versions map[ids.ID]QuestionVersion
	terms    map[ids.ID]taxonomy.Name
}

func loadBank(ctx context.Context, tx *db.Tx, draft EvaluationVersion) (bank, error) {
	b := bank{status: map[ids.ID]string{}, versions: map[ids.ID]QuestionVersion{}}
	rows, err := findQuestions(ctx, tx, draft.questionIDs())
	if err != nil {
		return bank{}, err
	}
	var pins []ids.ID
	for _, row := range rows {
		b.status[row.ID] = row.Status
		pins = append(pins, versionIDs(row.PublishedID)...)
	}
	versions, err := questionVersionsByID(ctx, tx, pins)
	if err != nil {
		return bank{}, err
	}
	var terms []ids.ID
	for _, row := range versions {
		b.versions[row.QuestionID], err = questionVersionOf(row)
		if err != nil {
			return bank{}, err
		}
		terms = append(terms, row.TermIDs...)
	}
	b.terms, err = taxonomy.Names(ctx, tx, terms)
	return b, err
}

func (v EvaluationVersion) questionIDs() []ids.ID {
	var all []ids.ID
	for _, section := range v.Sections {
		for _, item := range section.Items {
			all = append(all, item.QuestionID)
		}
	}
	return all
}

// freezeEvaluation pins the versions, then closes the draft: after that its rows refuse to
// change.
func freezeEvaluation(ctx context.Context, tx *db.Tx, row models.Evaluation, draft EvaluationVersion, b bank, hash string) (models.Evaluation, error) {
	questionIDs, pinned := make([]ids.ID, 0, len(b.versions)), make([]ids.ID, 0, len(b.versions))
	for question, version := range b.versions {
		questionIDs, pinned = append(questionIDs, question), append(pinned, version.ID)
	}
	_, err := tx.Exec(ctx, `
		insert into evaluation_pins (tenant_id, evaluation_version_id, id, org_unit_id, group_id, position, question_id, question_version_id)
		select i.tenant_id, i.evaluation_version_id, i.id, i.org_unit_id, i.id, i.position, i.question_id, pin.version
		from evaluation_items i join unnest($3::uuid[], $4::uuid[]) as pin (question, version) on i.question_id = pin.question
		where i.tenant_id = $1 and i.evaluation_version_id = $2`,
		tx.Tenant(), draft.ID, questionIDs, pinned)
	if err != nil {
		return row, fmt.Errorf("pin question versions: %w", err)
	}
	row.UpdatedAt = advance(tx.Now(), row.UpdatedAt)
	_, err = tx.Exec(ctx, `
		update evaluation_versions set status = 'published', snapshot_hash = $3, published_at = $4, updated_at = $5
		where tenant_id = $1 and id = $2`, tx.Tenant(), draft.ID, hash, tx.Now(), row.UpdatedAt)
	if err != nil {
		return row, fmt.Errorf("publish evaluation version: %w", err)
	}
	row.Status, row.PublishedID, row.DraftID = models.AuthoringPublished, row.DraftID, nil
	_, err = tx.Exec(ctx, `
		update evaluations set status = $3, published_id = $4, draft_id = null, updated_at = $5
		where tenant_id = $1 and id = $2`, tx.Tenant(), row.ID, row.Status, row.PublishedID, row.UpdatedAt)
	if err != nil {
		return row, fmt.Errorf("publish evaluation: %w", err)
	}
	return row, nil
}
