package authoring

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// ExportedPassage is the newest version of a passage, with its questions in order.
// ExternalIDs has the external ids of the questions that have one.
type ExportedPassage struct {
	ID          ids.ID
	ExternalID  string
	Title       string
	Content     content.Document
	Questions   []ids.ID
	ExternalIDs map[ids.ID]string
}

// ExportPassages gives up to limit passages, as ExportQuestions gives questions.
func ExportPassages(ctx context.Context, tx *db.Tx, filter ExportFilter, after ids.ID, limit int) ([]ExportedPassage, error) {
	page, err := passageStore.exported(ctx, tx, filter, after, limit)
	if err != nil {
		return nil, err
	}
	all := make([]ExportedPassage, 0, len(page))
	var shown, asked []ids.ID
	for _, e := range page {
		document, err := documentOf(e.version.AuthoredBody)
		if err != nil {
			return nil, err
		}
		shown = append(shown, e.record.ID)
		all = append(all, ExportedPassage{ID: e.record.ID, ExternalID: text(e.record.ExternalID), Title: e.version.Title, Content: document})
	}
	linked, err := QuestionsOfPassages(ctx, tx, shown)
	if err != nil {
		return nil, err
	}
	for _, questions := range linked {
		asked = append(asked, questions...)
	}
	names, err := externalIDsOf(ctx, tx, asked)
	for i := range all {
		all[i].Questions, all[i].ExternalIDs = linked[all[i].ID], names
	}
	return all, err
}

// QuestionsOfPassages gives the questions of passages in order, in one statement. It needs
// questions.read.
func QuestionsOfPassages(ctx context.Context, tx *db.Tx, passageIDs []ids.ID) (map[ids.ID][]ids.ID, error) {
	if err := tx.Require(capability.QuestionsRead); err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, `
		select passage_id, question_id from passage_questions where tenant_id = $1 and passage_id = any($2)
		order by passage_id, position`, tx.Tenant(), passageIDs)
	if err != nil {
		return nil, fmt.Errorf("read the questions of passages: %w", err)
	}
	linked := make(map[ids.ID][]ids.ID, len(passageIDs))
	var passage, question ids.ID
	_, err = pgx.ForEachRow(rows, []any{&passage, &question}, func() error {
		linked[passage] = append(linked[passage], question)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the questions of passages: %w", err)
	}
	return linked, nil
}
