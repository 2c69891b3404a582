package authoring

import (
	"context"
	"errors"
	"slices"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// UpsertQuestions writes questions by external id in the home org unit, in a handful of
// statements for thousands: a new one is created as a draft, one that differs from its
// newest version gets a draft that says so, one that does not is left alone. All or
// nothing: every problem of every input is reported, with paths from questions[0].
func UpsertQuestions(ctx context.Context, tx *db.Tx, inputs []QuestionInput) ([]Upserted, error) {
	if err := tx.Require(capability.QuestionsWrite); err != nil || len(inputs) == 0 {
		return []Upserted{}, err
	}
	org, err := tx.HomeOrgUnit()
	if err != nil {
		return nil, err
	}
	err = oneUpsertAtATime(ctx, tx, "questions", org)
	if err != nil {
		return nil, err
	}
	edits, err := openQuestionEdits(ctx, tx, org, inputs)
	if err != nil {
		return nil, err
	}
	contents, err := checkUpsert(ctx, tx, edits, inputs)
	if err != nil {
		return nil, err
	}
	results := make([]Upserted, len(inputs))
	var changed []questionEdit
	var events []ledger.Event
	for i, edit := range edits {
		results[i] = Upserted{ID: edit.question.ID, Change: edit.upsert(tx, contents[i])}
		if results[i].Change != Unchanged {
			changed = append(changed, *edit)
			events = append(events, edit.event(eventOf[results[i].Change]))
		}
	}
	err = saveQuestions(ctx, tx, changed)
	if err != nil {
		return nil, err
	}
	return results, ledger.Append(ctx, tx, events...)
}

var eventOf = map[Change]string{Created: "created", Changed: "updated"}

func (e *questionEdit) upsert(tx *db.Tx, c questionContent) Change {
	if !e.isNew {
		c.externalID = e.question.ExternalID
	}
	change := Changed
	switch {
	case e.isNew:
		change = Created
	case e.holds(c):
		return Unchanged
	}
	e.write(tx, c)
	return change
}

// openQuestionEdits takes up the question of each input, or starts one.
func openQuestionEdits(ctx context.Context, tx *db.Tx, org ids.ID, inputs []QuestionInput) ([]*questionEdit, error) {
	rows, err := lockExternal[models.Question](ctx, tx, questionTables, org, externalIDs(inputs))
	if err != nil {
		return nil, err
	}
	versions, err := questionVersions(ctx, tx, rows)
	if err != nil {
		return nil, err
	}
	stored := make(map[string]questionEdit, len(rows))
	for _, row := range rows {
		stored[keyOf(row.ID, row.ExternalID)] = openQuestionEdit(row, versions)
	}
	edits := make([]*questionEdit, len(inputs))
	for i, in := range inputs {
		edit, ok := stored[in.ExternalID]
		if !ok {
			edit = newQuestionEdit(tx, org)
		}
		edits[i] = &edit
	}
	return edits, followMerges(ctx, tx, edits)
}

// checkUpsert checks all inputs before anything is written, and gives them as they are stored.
func checkUpsert(ctx context.Context, tx *db.Tx, edits []*questionEdit, inputs []QuestionInput) ([]questionContent, error) {
	found, bodies, err := upsertProblems(ctx, tx, edits, inputs)
	if err != nil {
		return nil, err
	}
	if err := errs.Invalid(found...); err != nil {
		return nil, err
	}
	contents, failed := make([]questionContent, len(inputs)), make([]error, len(inputs))
	onAllCores(len(inputs), func(i int) { contents[i], failed[i] = inputs[i].store(bodies[i]) })
	return contents, errors.Join(failed...)
}

// upsertProblems names everything that is wrong with the inputs, what can be told of a
// faulty one included.
func upsertProblems(ctx context.Context, tx *db.Tx, edits []*questionEdit, inputs []QuestionInput) (problems, []QuestionBody, error) {
	p := checkExternalIDs("questions", externalIDs(inputs))
	var uses []termUse
	var documents []placedDocument
	bodies := make([]QuestionBody, len(inputs))
	for i, in := range inputs {
		path := element("", "questions", i)
		body, found := in.parseWhole(path)
		p = append(p, found...)
		p.addIf(edits[i].question.Status == models.AuthoringArchived, path+".externalId", "archived", "the question is archived")
		uses = append(uses, edits[i].termUses(path, in)...)
		placed, err := edits[i].documents(path, body)
		if err != nil {
			return nil, nil, err
		}
		documents = append(documents, placed...)
		bodies[i] = body
	}
	unusable, err := checkTerms(ctx, tx, uses)
	if err != nil {
		return nil, nil, err
	}
	shown, err := checkDocuments(ctx, tx, documents)
	return slices.Concat(p, unusable, shown), bodies, err
}

func externalIDs(inputs []QuestionInput) []string {
	all := make([]string, 0, len(inputs))
	for _, in := range inputs {
		all = append(all, in.ExternalID)
	}
	return all
}
