package authoring

import (
	"context"
	"fmt"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
	"assess/pkg/people/policy"
)

// PublishEvaluation pins the published version of each question and passage, shares out the
// pools of the draws, freezes the draft into a snapshot and makes it the version that is
// delivered. It takes a handful of statements
// for any number of items, and a step-up proof, with whatever else the policy for publishing
// asks (package policy); the policy for submissions is frozen with the rest. Of two calls
// at once, one publishes and the other gets nothing_to_publish. Errors: step_up_required,
// not_found, archived, nothing_to_publish, publish_blocked with every problem.
func PublishEvaluation(ctx context.Context, tx *db.Tx, id ids.ID) (Evaluation, error) {
	done, err := PublishEvaluationDraft(ctx, tx, PublishInput{ID: id})
	return done.Evaluation, err
}

// PublishEvaluationDraft is PublishEvaluation with warnings, and as a dry run if that is
// wished.
func PublishEvaluationDraft(ctx context.Context, tx *db.Tx, in PublishInput) (EvaluationPublication, error) {
	none := EvaluationPublication{}
	if err := tx.Require(capability.EvaluationsWrite); err != nil {
		return none, err
	}
	edit, err := takeUpEvaluation(ctx, tx, in.ID)
	if err != nil {
		return none, err
	}
	if edit.evaluation.DraftID == nil {
		return none, errs.New(errs.NothingToPublish, "There is no draft to publish.")
	}
	draft, err := edit.version.version()
	if err != nil {
		return none, err
	}
	authority, err := in.authority(ctx, tx, draft, edit.evaluation.OrgUnitID)
	if err != nil {
		return none, err
	}
	available, err := loadBank(ctx, tx, edit.evaluation.OrgUnitID, draft)
	if err != nil {
		return none, err
	}
	blocking := draft.publishProblems(available)
	out := EvaluationPublication{Publication: Publication{in.DryRun, draft.warnings(available).listed()}, Problems: blocking.listed()}
	row := edit.evaluation
	if len(blocking) == 0 {
		row, err = edit.freeze(ctx, tx, draft.snapshot(in.ID, available), authority)
		if err != nil {
			return none, err
		}
	} else if !in.DryRun {
		return none, blocking.blocked()
	}
	out.Evaluation, err = readEvaluation(ctx, tx, row)
	return out, err
}

// authority asks for what the policy for publishing asks; a dry run proves nothing.
func (in PublishInput) authority(ctx context.Context, tx *db.Tx, draft EvaluationVersion, org ids.ID) (policy.Authority, error) {
	if in.DryRun {
		return policy.Authority{}, nil
	}
	return policy.RequirePublish(ctx, tx, draft.Settings.VerificationLevel, in.ID, org)
}

// freeze stores the snapshot and publishes the draft.
func (e evaluationEdit) freeze(ctx context.Context, tx *db.Tx, frozen Snapshot, authority policy.Authority) (models.Evaluation, error) {
	none := models.Evaluation{}
	var err error
	frozen.VerificationPolicy, err = policy.Freeze(ctx, tx, frozen.Settings.VerificationLevel)
	if err != nil {
		return none, err
	}
	hash, err := storeSnapshot(ctx, tx, e.evaluation.OrgUnitID, frozen)
	if err != nil {
		return none, err
	}
	row, err := freezeEvaluation(ctx, tx, e.evaluation, frozen, hash)
	if err != nil {
		return none, err
	}
	return row, ledger.Append(ctx, tx, e.event("published", authority.Into(map[string]any{"snapshotHash": hash,
		"policyRef": frozen.VerificationPolicy.PolicyRef, "canonicalScheme": content.CanonicalScheme, "hashScheme": content.HashScheme})))
}

// freezeEvaluation pins the versions, then closes the draft: after that its rows refuse to
// change.
func freezeEvaluation(ctx context.Context, tx *db.Tx, row models.Evaluation, frozen Snapshot, hash string) (models.Evaluation, error) {
	err := insertPins(ctx, tx, row.OrgUnitID, frozen)
	if err != nil {
		return row, err
	}
	row.UpdatedAt = tx.ChangedAt(row.UpdatedAt)
	_, err = tx.Exec(ctx, `
		update evaluation_versions set status = 'published', snapshot_hash = $3, published_at = $4, updated_at = $5
		where tenant_id = $1 and id = $2`, tx.Tenant(), frozen.EvaluationVersionID, hash, tx.Now(), row.UpdatedAt)
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
	return row, publishEvaluationTerms(ctx, tx, row.ID)
}

// insertPins writes a row for each item of a snapshot.
func insertPins(ctx context.Context, tx *db.Tx, org ids.ID, frozen Snapshot) error {
	var itemIDs, groups, questions, versions []ids.ID
	var positions []int
	var passages []*ids.ID
	for _, section := range frozen.Sections {
		for _, item := range section.Items {
			group := item.ItemID
			set(&group, item.GroupID)
			itemIDs, groups, positions = append(itemIDs, item.ItemID), append(groups, group), append(positions, item.Position)
			questions, versions = append(questions, item.QuestionID), append(versions, item.QuestionVersionID)
			passages = append(passages, item.PassageVersionID)
		}
	}
	_, err := tx.Exec(ctx, `
		insert into evaluation_pins (tenant_id, evaluation_version_id, id, org_unit_id, group_id, position, question_id,
			question_version_id, passage_version_id)
		select $1, $2, p.id, $3, p.group_id, p.position, p.question, p.version, p.passage
		from unnest($4::uuid[], $5::uuid[], $6::int[], $7::uuid[], $8::uuid[], $9::uuid[])
			as p (id, group_id, position, question, version, passage)`,
		tx.Tenant(), frozen.EvaluationVersionID, org, itemIDs, groups, positions, questions, versions, passages)
	if err != nil {
		return fmt.Errorf("pin question versions: %w", err)
	}
	return nil
}
