package authoring

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

type evaluationEdit = edit[*models.Evaluation, *models.EvaluationVersion]

var evaluationStore = store[*models.Evaluation, *models.EvaluationVersion, EvaluationInput, Evaluation]{
	noun: "evaluation", read: capability.EvaluationsRead, write: capability.EvaluationsWrite,
	blank: func() (*models.Evaluation, *models.EvaluationVersion) {
		return new(models.Evaluation), new(models.EvaluationVersion)
	},
	owner: func(v *models.EvaluationVersion) *ids.ID { return &v.EvaluationID },
	unpin: func(v *models.EvaluationVersion) {
		v.SnapshotHash = nil
		for i := range v.Items {
			v.Items[i].EvaluationVersionID, v.Items[i].QuestionVersionID = v.ID, nil
		}
	},
	facts: func(*models.EvaluationVersion) map[string]any { return nil },
	terms: func(v *models.EvaluationVersion) []*[]ids.ID {
		places := []*[]ids.ID{&v.TermIDs}
		for i := range v.Items {
			places = append(places, &v.Items[i].DrawTerms, &v.Items[i].DrawExclude)
		}
		return places
	},
	load: loadItems,
	save: saveItems,
	show: func(row *models.Evaluation, versions map[ids.ID]*models.EvaluationVersion, _ []errs.Field) (Evaluation, error) {
		draft, published, err := versionsShown(row.Row(), versions, evaluationVersionOf)
		return Evaluation{ID: row.ID, ExternalID: text(row.ExternalID), Title: row.Title, Status: row.Status, Draft: draft, Published: published,
			CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC()}, err
	},
}

// loadItems reads the items of versions with what publishing pinned for them.
func loadItems(ctx context.Context, tx *db.Tx, versions []*models.EvaluationVersion) error {
	var items []models.EvaluationItem
	wanted := each(versions, func(v *models.EvaluationVersion) ids.ID { return v.ID })
	err := tx.NewSelect().Model(&items).ColumnExpr("?TableColumns").Column("p.question_version_id").
		Join("left join evaluation_pins p on p.tenant_id = i.tenant_id and p.evaluation_version_id = i.evaluation_version_id and p.id = i.id").
		Apply(tx.InScope).Where("i.evaluation_version_id in (?)", bun.List(wanted)).
		Order("i.evaluation_version_id", "i.position").Scan(ctx)
	if err != nil {
		return fmt.Errorf("read evaluation items: %w", err)
	}
	byID := make(map[ids.ID]*models.EvaluationVersion, len(versions))
	for _, v := range versions {
		byID[v.ID] = v
	}
	for _, item := range items {
		v := byID[item.EvaluationVersionID]
		v.Items = append(v.Items, item)
	}
	return nil
}

// saveItems replaces the items of drafts.
func saveItems(ctx context.Context, tx *db.Tx, drafts []*models.EvaluationVersion) error {
	changed := each(drafts, func(v *models.EvaluationVersion) ids.ID { return v.ID })
	_, err := tx.NewDelete().Model((*models.EvaluationItem)(nil)).Where("tenant_id = ?", tx.Tenant()).
		Where("evaluation_version_id in (?)", bun.List(changed)).Exec(ctx)
	if err != nil {
		return fmt.Errorf("clear evaluation items: %w", err)
	}
	var items []models.EvaluationItem
	for _, v := range drafts {
		items = append(items, v.Items...)
	}
	if len(items) == 0 {
		return nil
	}
	_, err = tx.NewInsert().Model(&items).Returning("NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("save evaluation items: %w", err)
	}
	return nil
}

// saidByEvaluation gives the newest version as an input that a client could have sent.
func saidByEvaluation(e *evaluationEdit) (EvaluationInput, error) {
	before, err := evaluationVersionOf(e.version)
	if err != nil {
		return EvaluationInput{}, err
	}
	in, err := sendable[EvaluationInput](before)
	in.ExternalID = text(e.record.ExternalID)
	return in, err
}

func (in EvaluationInput) externalID() string { return in.ExternalID }

func (in EvaluationInput) problems(path string) problems { return in.Problems(path) }

// settle gives sections and items their ids.
func (in EvaluationInput) settle(e *evaluationEdit) (settled[*models.Evaluation, *models.EvaluationVersion], error) {
	c := evaluationContent{EvaluationInput: in.asStored()}
	if !e.isNew {
		var err error
		c.before, err = evaluationVersionOf(e.version)
		if err != nil {
			return nil, err
		}
	}
	c.EvaluationInput = c.keepIDs(c.before)
	sections := make([]storedSection, 0, len(c.Sections))
	for _, section := range c.Sections {
		sections = append(sections, storedSection{ID: section.ID, Title: section.Title, TimeLimitSeconds: section.TimeLimitSeconds})
	}
	var err error
	c.sections, err = json.Marshal(sections)
	if err != nil {
		return nil, fmt.Errorf("store sections: %w", err)
	}
	c.settings, err = json.Marshal(c.Settings)
	if err != nil {
		return nil, fmt.Errorf("store settings: %w", err)
	}
	return c, nil
}

// asStored gives an input in the form in which it is stored: two inputs with the same meaning
// are equal in it.
func (in EvaluationInput) asStored() EvaluationInput {
	in.Settings, in.TaxonomyTermIDs = in.Settings.withDefaults(), termSet(in.TaxonomyTermIDs)
	in.Sections = slices.Clone(in.Sections)
	for i, section := range in.Sections {
		in.Sections[i].Items = slices.Clone(section.Items)
		for j, item := range section.Items {
			if item.Draw != nil {
				in.Sections[i].Items[j].Draw = itemOf(item.row()).Draw
			}
		}
	}
	return in
}

// evaluationContent is an evaluation in the form in which it is stored.
type evaluationContent struct {
	EvaluationInput
	before             EvaluationVersion
	sections, settings json.RawMessage
}

func (c evaluationContent) same(*evaluationEdit) (bool, error) {
	before, err := sendable[EvaluationInput](c.before)
	if err != nil {
		return false, err
	}
	c.ExternalID = "" // by which the evaluation was found
	stored, err := content.Canonical(before.asStored())
	if err != nil {
		return false, fmt.Errorf("compare evaluation: %w", err)
	}
	sent, err := content.Canonical(c.EvaluationInput)
	if err != nil {
		return false, fmt.Errorf("compare evaluation: %w", err)
	}
	return string(stored) == string(sent), nil
}

func (c evaluationContent) put(e *evaluationEdit) {
	v := e.version
	e.record.Title, e.texts = c.Title, []string{c.Title}
	v.Title, v.TermIDs, v.Sections, v.Settings, v.Items = c.Title, c.TaxonomyTermIDs, c.sections, c.settings, nil
	for _, section := range c.Sections {
		for _, item := range section.Items {
			row := item.row()
			row.TenantID, row.EvaluationVersionID, row.OrgUnitID = v.TenantID, v.ID, v.OrgUnitID
			row.SectionID, row.Position = section.ID, len(v.Items)
			v.Items = append(v.Items, row)
		}
	}
}
