package authoring

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// UpsertEvaluations writes evaluations by external id in the home org unit, as
// UpsertQuestions writes questions. Paths of problems start at evaluations[0].
func UpsertEvaluations(ctx context.Context, tx *db.Tx, inputs []EvaluationInput) ([]Upserted, error) {
	if err := tx.Require(capability.EvaluationsWrite); err != nil || len(inputs) == 0 {
		return []Upserted{}, err
	}
	org, err := tx.HomeOrgUnit()
	if err != nil {
		return nil, err
	}
	err = oneUpsertAtATime(ctx, tx, "evaluations", org)
	if err != nil {
		return nil, err
	}
	edits, err := openEvaluationEdits(ctx, tx, org, inputs)
	if err != nil {
		return nil, err
	}
	found, err := evaluationProblems(ctx, tx, edits, inputs)
	if err != nil {
		return nil, err
	}
	if err := errs.Invalid(found...); err != nil {
		return nil, err
	}
	results := make([]Upserted, len(inputs))
	var changed []evaluationEdit
	var events []ledger.Event
	for i, edit := range edits {
		change, err := edit.upsert(tx, inputs[i])
		if err != nil {
			return nil, err
		}
		results[i] = Upserted{ID: edit.evaluation.ID, Change: change}
		if change != Unchanged {
			changed, events = append(changed, *edit), append(events, edit.event(eventOf[change], nil))
		}
	}
	err = saveEvaluations(ctx, tx, changed)
	if err != nil {
		return nil, err
	}
	return results, ledger.Append(ctx, tx, events...)
}

func (e *evaluationEdit) upsert(tx *db.Tx, in EvaluationInput) (Change, error) {
	if !e.isNew() {
		in.ExternalID = text(e.evaluation.ExternalID)
	}
	before, err := e.before()
	if err != nil {
		return "", err
	}
	in = in.keepIDs(before)
	if e.isNew() {
		return Created, e.write(tx, in)
	}
	same, err := e.holds(in)
	if err != nil || same {
		return Unchanged, err
	}
	return Changed, e.write(tx, in)
}

// openEvaluationEdits takes up the evaluation of each input, or starts one.
func openEvaluationEdits(ctx context.Context, tx *db.Tx, org ids.ID, inputs []EvaluationInput) ([]*evaluationEdit, error) {
	var rows []models.Evaluation
	err := tx.NewSelect().Model(&rows).Where("e.tenant_id = ?", tx.Tenant()).Where("e.org_unit_id = ?", org).
		Where("(e.external_id in (?) or (e.external_id is null and e.id in (?)))", bun.List(searchable(evaluationExternalIDs(inputs))),
			bun.List(searchableIDs(evaluationExternalIDs(inputs)))).
		Order("e.id").For("update of e").Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("lock evaluations: %w", err)
	}
	versions, err := evaluationVersions(ctx, tx, rows)
	if err != nil {
		return nil, err
	}
	stored := make(map[string]evaluationEdit, len(rows))
	for _, row := range rows {
		stored[keyOf(row.ID, row.ExternalID)] = openEvaluationEdit(row, versions)
	}
	edits := make([]*evaluationEdit, len(inputs))
	for i, in := range inputs {
		edit, ok := stored[in.ExternalID]
		if !ok {
			edit = newEvaluationEdit(tx, org)
		}
		edits[i] = &edit
	}
	return edits, followMergesOfEvaluations(ctx, tx, edits)
}

// evaluationProblems names everything that is wrong with the inputs.
func evaluationProblems(ctx context.Context, tx *db.Tx, edits []*evaluationEdit, inputs []EvaluationInput) (problems, error) {
	p := checkExternalIDs("evaluations", evaluationExternalIDs(inputs))
	var named uses
	for i, in := range inputs {
		path := element("", "evaluations", i)
		p = append(p, in.Problems(path)...)
		p.addIf(edits[i].evaluation.Status == models.AuthoringArchived, path+".externalId", "archived", "the evaluation is archived")
		named.add(edits[i].uses(path, in))
	}
	unusable, err := checkUses(ctx, tx, named)
	return append(p, unusable...), err
}

func evaluationExternalIDs(inputs []EvaluationInput) []string {
	all := make([]string, 0, len(inputs))
	for _, in := range inputs {
		all = append(all, in.ExternalID)
	}
	return all
}
