package authoring

import (
	"context"
	"fmt"
	"maps"

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
// delivered. It takes a handful of statements for any number of items, and needs a step-up
// proof and everything else that the policy for publishing requires (package policy); the
// policy for submissions is frozen with the rest. Of two calls at once, one publishes and
// the other gets nothing_to_publish. Errors: step_up_required, not_found, archived,
// nothing_to_publish, publish_blocked with every problem.
func PublishEvaluation(ctx context.Context, tx *db.Tx, id ids.ID) (Evaluation, error) {
	done, err := PublishEvaluationDraft(ctx, tx, PublishInput{ID: id})
	return done.Evaluation, err
}

// PublishEvaluationDraft is PublishEvaluation with warnings, and with an optional dry run.
func PublishEvaluationDraft(ctx context.Context, tx *db.Tx, in PublishInput) (EvaluationPublication, error) {
	none := EvaluationPublication{}
	if err := tx.Require(capability.EvaluationsWrite); err != nil {
		return none, err
	}
	edit, err := evaluationStore.takeUp(ctx, tx, in.ID)
	if err != nil {
		return none, err
	}
	if edit.record.DraftID == nil {
		return none, errs.New(errs.NothingToPublish, "There is no draft to publish.")
	}
	draft, err := evaluationVersionOf(edit.version)
	if err != nil {
		return none, err
	}
	authority, err := in.authority(ctx, tx, draft, edit.record.OrgUnitID)
	if err != nil {
		return none, err
	}
	available, err := loadBank(ctx, tx, edit.record.OrgUnitID, draft)
	if err != nil {
		return none, err
	}
	blocking := draft.publishProblems(available)
	out := EvaluationPublication{Publication: Publication{in.DryRun, draft.warnings(available).listed()}, Problems: blocking.listed()}
	if len(blocking) == 0 {
		err = freezeEvaluation(ctx, tx, edit, draft, available, authority)
		if err != nil {
			return none, err
		}
	} else if !in.DryRun {
		return none, blocking.blocked()
	}
	out.Evaluation, err = evaluationStore.shown(ctx, tx, edit.record)
	return out, err
}

// authority requires what the policy for publishing requires; a dry run proves nothing.
func (in PublishInput) authority(ctx context.Context, tx *db.Tx, draft EvaluationVersion, org ids.ID) (policy.Authority, error) {
	if in.DryRun {
		return policy.Authority{}, nil
	}
	return policy.RequirePublish(ctx, tx, draft.Settings.VerificationLevel, in.ID, org)
}

// freezeEvaluation stores the snapshot and its words and publishes the draft. The versions are pinned before
// the draft is closed: after that its rows refuse to change.
func freezeEvaluation(ctx context.Context, tx *db.Tx, e *evaluationEdit, draft EvaluationVersion, b bank, authority policy.Authority) error {
	var err error
	frozen := draft.snapshot(e.record.ID, b)
	frozen.VerificationPolicy, err = policy.Freeze(ctx, tx, frozen.Settings.VerificationLevel)
	if err != nil {
		return err
	}
	row := e.record
	hash, err := storeSnapshot(ctx, tx, row.OrgUnitID, frozen)
	if err != nil {
		return err
	}
	err = insertPins(ctx, tx, row.OrgUnitID, frozen)
	if err != nil {
		return err
	}
	err = storeWords(ctx, tx, row.OrgUnitID, frozen, b)
	if err != nil {
		return err
	}
	event := evaluationStore.event(e, "published")
	maps.Copy(event.Payload, authority.Into(map[string]any{"snapshotHash": hash, "policyRef": frozen.VerificationPolicy.PolicyRef,
		"canonicalScheme": content.CanonicalScheme, "hashScheme": content.HashScheme}))
	row.UpdatedAt = tx.ChangedAt(row.UpdatedAt)
	row.Status, row.PublishedID, row.DraftID = models.AuthoringPublished, row.DraftID, nil
	v, now := e.version, tx.Now()
	v.Status, v.SnapshotHash, v.PublishedAt, v.UpdatedAt = models.VersionPublished, &hash, &now, row.UpdatedAt
	_, err = tx.NewUpdate().Model(v).Column("status", "snapshot_hash", "published_at", "updated_at").WherePK().Exec(ctx)
	if err != nil {
		return fmt.Errorf("publish evaluation version: %w", err)
	}
	_, err = tx.NewUpdate().Model(row).Column("status", "published_id", "draft_id", "updated_at").WherePK().Exec(ctx)
	if err != nil {
		return fmt.Errorf("publish evaluation: %w", err)
	}
	err = evaluationStore.publishTerms(ctx, tx, []ids.ID{row.ID})
	if err != nil {
		return err
	}
	return ledger.Append(ctx, tx, event)
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
			as p (id, group_id, position, question, version, passage)
		returning true`,
		tx.Tenant(), frozen.EvaluationVersionID, org, itemIDs, groups, positions, questions, versions, passages)
	if err != nil {
		return fmt.Errorf("pin question versions: %w", err)
	}
	return nil
}
