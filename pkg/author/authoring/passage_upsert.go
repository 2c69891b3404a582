package authoring

import (
	"context"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// UpsertPassages writes passages by external id in the home org unit, as UpsertQuestions
// writes questions: all or nothing, with paths from passages[0].
func UpsertPassages(ctx context.Context, tx *db.Tx, inputs []PassageInput) ([]Upserted, error) {
	if err := tx.Require(capability.QuestionsWrite); err != nil || len(inputs) == 0 {
		return []Upserted{}, err
	}
	org, err := tx.HomeOrgUnit()
	if err != nil {
		return nil, err
	}
	err = oneUpsertAtATime(ctx, tx, "passages", org)
	if err != nil {
		return nil, err
	}
	edits, err := openPassageEdits(ctx, tx, org, inputs)
	if err != nil {
		return nil, err
	}
	contents, err := checkPassages(ctx, tx, edits, inputs)
	if err != nil {
		return nil, err
	}
	results := make([]Upserted, len(inputs))
	var changed []passageEdit
	var events []ledger.Event
	for i, edit := range edits {
		results[i] = Upserted{ID: edit.passage.ID, Change: edit.upsert(tx, contents[i])}
		if results[i].Change != Unchanged {
			changed = append(changed, *edit)
			events = append(events, edit.event(eventOf[results[i].Change]))
		}
	}
	err = savePassages(ctx, tx, changed)
	if err != nil {
		return nil, err
	}
	return results, ledger.Append(ctx, tx, events...)
}

func (e *passageEdit) upsert(tx *db.Tx, c passageContent) Change {
	if !e.isNew() {
		c.externalID = e.passage.ExternalID
	}
	change := Changed
	switch {
	case e.isNew():
		change = Created
	case e.holds(c):
		return Unchanged
	}
	e.write(tx, c)
	return change
}

// openPassageEdits takes up the passage of each input, or starts one.
func openPassageEdits(ctx context.Context, tx *db.Tx, org ids.ID, inputs []PassageInput) ([]*passageEdit, error) {
	rows, err := lockExternal[models.Passage](ctx, tx, passageTables, org, passageExternalIDs(inputs))
	if err != nil {
		return nil, err
	}
	versions, err := passageVersions(ctx, tx, rows)
	if err != nil {
		return nil, err
	}
	stored := make(map[string]passageEdit, len(rows))
	for _, row := range rows {
		stored[keyOf(row.ID, row.ExternalID)] = openPassageEdit(row, versions)
	}
	edits := make([]*passageEdit, len(inputs))
	for i, in := range inputs {
		edit, ok := stored[in.ExternalID]
		if !ok {
			edit = newPassageEdit(tx, org)
		}
		edits[i] = &edit
	}
	return edits, nil
}

// checkPassages checks all inputs before anything is written, and gives them as they are
// stored.
func checkPassages(ctx context.Context, tx *db.Tx, edits []*passageEdit, inputs []PassageInput) ([]passageContent, error) {
	found, documents, err := passageProblems(ctx, tx, edits, inputs)
	if err != nil {
		return nil, err
	}
	if err := errs.Invalid(found...); err != nil {
		return nil, err
	}
	contents := make([]passageContent, len(inputs))
	for i, in := range inputs {
		contents[i], err = in.store(documents[i].Document)
		if err != nil {
			return nil, err
		}
	}
	return contents, nil
}

// passageProblems names everything that is wrong with the inputs, what can be told of a
// faulty one included.
func passageProblems(ctx context.Context, tx *db.Tx, edits []*passageEdit, inputs []PassageInput) (problems, []placedDocument, error) {
	p := checkExternalIDs("passages", passageExternalIDs(inputs))
	documents := make([]placedDocument, len(inputs))
	for i, in := range inputs {
		path := element("", "passages", i)
		d, found := in.parse(path)
		p = append(p, found...)
		p.addIf(edits[i].passage.Status == models.AuthoringArchived, path+".externalId", "archived", "the passage is archived")
		held, err := edits[i].locales()
		if err != nil {
			return nil, nil, err
		}
		documents[i] = placedDocument{path + ".content", d, held}
	}
	unusable, err := checkDocuments(ctx, tx, documents)
	return append(p, unusable...), documents, err
}

func passageExternalIDs(inputs []PassageInput) []string {
	all := make([]string, 0, len(inputs))
	for _, in := range inputs {
		all = append(all, in.ExternalID)
	}
	return all
}
