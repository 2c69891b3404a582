package authoring

import (
	"context"

	"assess/models"
	"assess/pkg/kernel/db"
)

// ListPassages gives passages, newest change first unless the filter says otherwise;
// archived ones only if the filter chooses them.
func ListPassages(ctx context.Context, tx *db.Tx, filter PassageFilter) (db.List[PassageSummary], error) {
	rows, page, total, err := passageStore.list(ctx, tx, listing{status: filter.Status, search: filter.Search, sort: filter.Sort, page: filter.Page})
	if err != nil {
		return db.List[PassageSummary]{}, err
	}
	items, err := passageSummaries(ctx, tx, rows, filter.Lang)
	return db.NewList(items, page, total), err
}

func passageSummaries(ctx context.Context, tx *db.Tx, rows []*models.Passage, lang string) ([]PassageSummary, error) {
	versions, err := passageStore.newestOf(ctx, tx, rows, "body")
	if err != nil {
		return nil, err
	}
	questions, err := countQuestions(ctx, tx, rows)
	if err != nil {
		return nil, err
	}
	items := make([]PassageSummary, 0, len(rows))
	for _, row := range rows {
		version := versions[newestID(row.Row())]
		document, err := documentOf(version.AuthoredBody)
		if err != nil {
			return nil, err
		}
		locale, payload := document.Resolve(lang)
		items = append(items, PassageSummary{ID: row.ID, ExternalID: text(row.ExternalID), Title: row.Title, Status: row.Status,
			Number: version.Number, HasDraft: row.DraftID != nil, Questions: questions[row.ID],
			Locale: locale, Text: beginning(payload.PlainText()), CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC()})
	}
	return items, nil
}

// beginning gives as much of a text as a list shows.
func beginning(said string) string {
	runes := []rune(said)
	return string(runes[:min(len(runes), shownText)])
}
