package authoring

import (
	"context"

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
