package authoring

import (
	"context"
	"encoding/json"
	"fmt"

	"assess/models"
	"assess/pkg/content"
	"assess/pkg/db"
	"assess/pkg/ids"
	"assess/pkg/ledger"
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
		e.evaluation.UpdatedAt = advance(tx.Now(), e.evaluation.UpdatedAt)
	}
	e.evaluation.ExternalID, e.evaluation.Title = reference(in.ExternalID), in.Title
	e.begin(tx)
	sections := make([]storedSection, 0, len(in.Sections))
	e.version.items = nil
	for _, section := range in.Sections {
		sections = append(sections, storedSection{ID: section.ID, Title: section.Title})
		for _, item := range section.Items {
			e.version.items = append(e.version.items, models.EvaluationItem{TenantID: tx.Tenant(), EvaluationVersionID: e.version.ID,
				ID: item.ID, OrgUnitID: e.version.OrgUnitID, SectionID: section.ID, Position: len(e.version.items),
				QuestionID: item.QuestionID, Weight: item.Weight})
		}
	}
	var err error
	e.version.Title, e.version.UpdatedAt = in.Title, e.evaluation.UpdatedAt
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
	in.Settings = in.Settings.withDefaults()
	stored, err := content.Canonical(before.input(text(e.evaluation.ExternalID)).keepIDs(before))
	if err != nil {
		return false, fmt.Errorf("compare evaluation: %w", err)
	}
	sent, err := content.Canonical(in)
	if err != nil {
		return false, fmt.Errorf("compare evaluation: %w", err)
	}
	return string(stored) == string(sent), nil
}

func (e evaluationEdit) event(what string, facts map[string]any) ledger.Event {
	payload := map[string]any{"evaluationVersionId": e.version.ID, "number": e.version.Number}
	for name, fact := range facts {
		payload[name] = fact
	}
	return ledger.Event{Type: "evaluation." + what, SubjectType: "evaluation", SubjectID: e.evaluation.ID,
		OrgUnit: e.evaluation.OrgUnitID, Payload: payload}
}

// itemUse is a question that an evaluation names at a path; held says that its newest
// version names it already.
type itemUse struct {
	path     string
	question ids.ID
	held     bool
}

func (e evaluationEdit) itemUses(path string, in EvaluationInput) []itemUse {
	held := make(map[ids.ID]bool, len(e.version.items))
	for _, item := range e.version.items {
		held[item.QuestionID] = true
	}
	var uses []itemUse
	for i, section := range in.Sections {
		for j, item := range section.Items {
			uses = append(uses, itemUse{path: element(element(path, "sections", i), "items", j) + ".questionId",
				question: item.QuestionID, held: held[item.QuestionID]})
		}
	}
	return uses
}

// checkQuestions says which questions cannot be used: those that the scope does not have,
// and archived ones, except where they are already.
func checkQuestions(ctx context.Context, tx *db.Tx, uses []itemUse) (problems, error) {
	wanted := make([]ids.ID, 0, len(uses))
	for _, use := range uses {
		wanted = append(wanted, use.question)
	}
	rows, err := findQuestions(ctx, tx, wanted)
	if err != nil {
		return nil, err
	}
	status := make(map[ids.ID]string, len(rows))
	for _, row := range rows {
		status[row.ID] = row.Status
	}
	var p problems
	for _, use := range uses {
		found, known := status[use.question]
		p.addIf(!known && use.question != ids.None, use.path, "unknown_question", "there is no such question in your scope")
		p.addIf(found == models.AuthoringArchived && !use.held, use.path, "archived", "the question is archived")
	}
	return p, nil
}
