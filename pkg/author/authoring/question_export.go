package authoring

import (
	"context"
	"slices"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// ExportedQuestion is the newest version of a question as an input for UpsertCheckedQuestions.
type ExportedQuestion struct {
	ID    ids.ID
	Input QuestionInput
}

// ExportQuestions gives up to limit questions in the order in which they were made,
// beginning after a given one; an empty result means the end. It needs questions.read.
func ExportQuestions(ctx context.Context, tx *db.Tx, filter ExportFilter, after ids.ID, limit int) ([]ExportedQuestion, error) {
	page, err := questionStore.exported(ctx, tx, filter, after, limit)
	if err != nil {
		return nil, err
	}
	return saidByQuestions(page)
}

// ExportQuestionsOf gives questions as ExportQuestions does, by their ids and in their order, archived ones too; ids out of the
// scope are left out. It needs questions.read.
func ExportQuestionsOf(ctx context.Context, tx *db.Tx, wanted []ids.ID) ([]ExportedQuestion, error) {
	err := tx.Require(questionStore.read)
	if err != nil {
		return nil, err
	}
	rows, err := questionStore.find(ctx, tx, wanted)
	if err != nil {
		return nil, err
	}
	edits, err := questionStore.newest(ctx, tx, rows)
	if err != nil {
		return nil, err
	}
	all, err := saidByQuestions(edits)
	place := make(map[ids.ID]int, len(wanted))
	for i, id := range wanted {
		place[id] = i
	}
	slices.SortFunc(all, func(a, b ExportedQuestion) int { return place[a.ID] - place[b.ID] })
	return all, err
}

func saidByQuestions(page []*questionEdit) ([]ExportedQuestion, error) {
	all := make([]ExportedQuestion, len(page))
	for i, e := range page {
		version, err := questionVersionOf(e.version)
		if err != nil {
			return nil, err
		}
		all[i].ID = e.record.ID
		all[i].Input, err = sendable[QuestionInput](version)
		if err != nil {
			return nil, err
		}
		all[i].Input.ExternalID = text(e.record.ExternalID)
	}
	return all, nil
}
