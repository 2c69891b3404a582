package authoring

import (
	"encoding/json"
	"fmt"
	"slices"

	"assess/models"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// evaluationEdit is an evaluation on the way to being stored, with its newest version.
type evaluationEdit struct {
	evaluation models.Evaluation
	version    evaluationVersion
}

// newEvaluationEdit starts an evaluation that does not exist yet.
func newEvaluationEdit(tx *db.Tx, org ids.ID) evaluationEdit {
	return evaluationEdit{evaluation: models.Evaluation{TenantID: tx.Tenant(), ID: ids.New(), OrgUnitID: org,
		Status: models.AuthoringDraft, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}}
}

// openEvaluationEdit takes up a stored evaluation: its draft, or else its published version.
func openEvaluationEdit(e models.Evaluation, versions map[ids.ID]evaluationVersion) evaluationEdit {
	if e.DraftID != nil {
		return evaluationEdit{evaluation: e, version: versions[*e.DraftID]}
	}
	return evaluationEdit{evaluation: e, version: versions[*e.PublishedID]}
}

// isNew says that the evaluation has never been stored.
func (e evaluationEdit) isNew() bool { return e.version.Number == 0 }

// before gives the newest stored version; the zero value for a new evaluation.
func (e evaluationEdit) before() (EvaluationVersion, error) {
	if e.isNew() {
		return EvaluationVersion{}, nil
	}
	return e.version.version()
}

// write puts an input, with all its ids, into the draft; where there is none, a new version
// begins.
func (e *evaluationEdit) write(tx *db.Tx, in EvaluationInput) error {
	if !e.isNew() {
		e.evaluation.UpdatedAt = tx.ChangedAt(e.evaluation.UpdatedAt)
	}
	e.evaluation.ExternalID, e.evaluation.Title = reference(in.ExternalID), in.Title
	e.begin(tx)
	sections := make([]storedSection, 0, len(in.Sections))
	e.version.items = nil
	for _, section := range in.Sections {
		sections = append(sections, storedSection{ID: section.ID, Title: section.Title, TimeLimitSeconds: section.TimeLimitSeconds})
		for _, item := range section.Items {
			row := item.row()
			row.TenantID, row.EvaluationVersionID, row.OrgUnitID = tx.Tenant(), e.version.ID, e.version.OrgUnitID
			row.SectionID, row.Position = section.ID, len(e.version.items)
			e.version.items = append(e.version.items, row)
		}
	}
	var err error
	e.version.Title, e.version.UpdatedAt = in.Title, e.evaluation.UpdatedAt
	e.version.TermIDs = termSet(in.TaxonomyTermIDs)
	e.version.Sections, err = json.Marshal(sections)
	if err != nil {
		return fmt.Errorf("store sections: %w", err)
	}
	e.version.Settings, err = json.Marshal(in.Settings.withDefaults())
	if err != nil {
		return fmt.Errorf("store settings: %w", err)
	}
	return nil
}

// begin makes the newest version a draft: itself, or a copy under the next number, whose
// questions are no longer pinned.
func (e *evaluationEdit) begin(tx *db.Tx) {
	if e.evaluation.DraftID != nil {
		return
	}
	v := &e.version
	v.TenantID, v.ID, v.OrgUnitID, v.EvaluationID = tx.Tenant(), ids.New(), e.evaluation.OrgUnitID, e.evaluation.ID
	v.Number++
	v.Status, v.PublishedAt, v.SnapshotHash = models.VersionDraft, nil, nil
	v.CreatedAt, v.UpdatedAt = tx.Now(), e.evaluation.UpdatedAt
	for i := range v.items {
		v.items[i].EvaluationVersionID, v.items[i].QuestionVersionID = v.ID, nil
	}
	e.evaluation.DraftID = &v.ID
}

// holds says whether the newest version says exactly what the input says.
func (e evaluationEdit) holds(in EvaluationInput) (bool, error) {
	before, err := e.before()
	if err != nil {
		return false, err
	}
	in = in.settled()
	stored, err := content.Canonical(before.input(text(e.evaluation.ExternalID)).keepIDs(before).settled())
	if err != nil {
		return false, fmt.Errorf("compare evaluation: %w", err)
	}
	sent, err := content.Canonical(in)
	if err != nil {
		return false, fmt.Errorf("compare evaluation: %w", err)
	}
	return string(stored) == string(sent), nil
}

// settled gives an input in the form in which it is stored: two that mean the same are
// equal in it.
func (in EvaluationInput) settled() EvaluationInput {
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

func (e evaluationEdit) event(what string, facts map[string]any) ledger.Event {
	payload := map[string]any{"evaluationVersionId": e.version.ID, "number": e.version.Number}
	for name, fact := range facts {
		payload[name] = fact
	}
	return ledger.Event{Type: "evaluation." + what, SubjectType: "evaluation", SubjectID: e.evaluation.ID,
		OrgUnit: e.evaluation.OrgUnitID, Payload: payload}
}
