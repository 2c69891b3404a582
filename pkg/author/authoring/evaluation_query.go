package authoring

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// lockEvaluation finds an evaluation and keeps everybody else from changing it.
func lockEvaluation(ctx context.Context, tx *db.Tx, id ids.ID) (models.Evaluation, error) {
	return oneEvaluation(ctx, tx.NewSelect().Apply(tx.InScope).Where("e.id = ?", id).For("update of e"))
}

func oneEvaluation(ctx context.Context, q *bun.SelectQuery) (models.Evaluation, error) {
	var rows []models.Evaluation
	err := q.Model(&rows).Scan(ctx)
	if err != nil {
		return models.Evaluation{}, fmt.Errorf("read evaluation: %w", err)
	}
	if len(rows) == 0 {
		return models.Evaluation{}, errs.New(errs.NotFound, "There is no such evaluation in your scope.")
	}
	return rows[0], nil
}

// evaluationVersions gives the draft and the published version of each evaluation, with
// their items.
func evaluationVersions(ctx context.Context, tx *db.Tx, evaluations []models.Evaluation) (map[ids.ID]evaluationVersion, error) {
	var wanted []ids.ID
	for _, e := range evaluations {
		wanted = append(wanted, versionIDs(e.DraftID, e.PublishedID)...)
	}
	return evaluationVersionsByID(ctx, tx, wanted)
}

func evaluationVersionsByID(ctx context.Context, tx *db.Tx, wanted []ids.ID) (map[ids.ID]evaluationVersion, error) {
	versions := make(map[ids.ID]evaluationVersion, len(wanted))
	if len(wanted) == 0 {
		return versions, nil
	}
	var rows []models.EvaluationVersion
	err := tx.NewSelect().Model(&rows).Apply(tx.InScope).Where("v.id in (?)", bun.List(wanted)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read evaluation versions: %w", err)
	}
	var items []models.EvaluationItem
	err = tx.NewSelect().Model(&items).Column("i.tenant_id", "i.evaluation_version_id", "i.id", "i.org_unit_id", "i.section_id", "i.position", "i.question_id", "i.passage_id",
		"i.draw_count", "i.draw_terms", "i.draw_exclude", "i.weight", "p.question_version_id").
		Join("left join evaluation_pins p on p.tenant_id = i.tenant_id and p.evaluation_version_id = i.evaluation_version_id and p.id = i.id").
		Apply(tx.InScope).Where("i.evaluation_version_id in (?)", bun.List(wanted)).
		Order("i.evaluation_version_id", "i.position").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("read evaluation items: %w", err)
	}
	ofVersion := make(map[ids.ID][]models.EvaluationItem, len(rows))
	for _, item := range items {
		ofVersion[item.EvaluationVersionID] = append(ofVersion[item.EvaluationVersionID], item)
	}
	for _, row := range rows {
		versions[row.ID] = evaluationVersion{row, ofVersion[row.ID]}
	}
	return versions, nil
}

// saveEvaluations stores evaluations and their drafts as they now are, new ones and
// changed ones alike: eight statements for any number of them.
func saveEvaluations(ctx context.Context, tx *db.Tx, edits []evaluationEdit) error {
	if len(edits) == 0 {
		return nil
	}
	var evaluations []models.Evaluation
	var drafts []models.EvaluationVersion
	var items []models.EvaluationItem
	var changed []ids.ID
	for _, e := range edits {
		evaluations, drafts = append(evaluations, e.evaluation), append(drafts, e.version.EvaluationVersion)
		items, changed = append(items, e.version.items...), append(changed, e.version.ID)
	}
	_, err := tx.NewInsert().Model(&evaluations).On("conflict (tenant_id, id) do update").
		Set("external_id = excluded.external_id, title = excluded.title, draft_id = excluded.draft_id, updated_at = excluded.updated_at").
		Returning("NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("save evaluations: %w", err)
	}
	_, err = tx.NewInsert().Model(&drafts).On("conflict (tenant_id, id) do update").
		Set("title = excluded.title, sections = excluded.sections, settings = excluded.settings, term_ids = excluded.term_ids, updated_at = excluded.updated_at").
		Returning("NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("save evaluation versions: %w", err)
	}
	_, err = tx.Exec(ctx, "delete from evaluation_items where tenant_id = $1 and evaluation_version_id = any($2)", tx.Tenant(), changed)
	if err != nil {
		return fmt.Errorf("clear evaluation items: %w", err)
	}
	err = saveEvaluationTerms(ctx, tx, edits)
	if err != nil {
		return err
	}
	err = saveSearch(ctx, tx, evaluationTables, titlesOf(evaluations))
	if err != nil || len(items) == 0 {
		return err
	}
	_, err = tx.NewInsert().Model(&items).Returning("NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("save evaluation items: %w", err)
	}
	return nil
}

// titlesOf gives what evaluations are found by.
func titlesOf(evaluations []models.Evaluation) []searchText {
	all := make([]searchText, 0, len(evaluations))
	for _, e := range evaluations {
		record := models.Authored{ID: e.ID, OrgUnitID: e.OrgUnitID, ExternalID: e.ExternalID}
		all = append(all, searchText{record: record, texts: []string{e.Title}})
	}
	return all
}
