package authoring

import (
	"context"
	"fmt"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// ListPassages gives passages, newest change first unless the filter says otherwise;
// archived ones only where they are asked for.
func ListPassages(ctx context.Context, tx *db.Tx, filter PassageFilter) (db.List[PassageSummary], error) {
	if err := tx.Require(capability.QuestionsRead); err != nil {
		return db.List[PassageSummary]{}, err
	}
	page, err := filter.Check()
	if err != nil {
		return db.List[PassageSummary]{}, err
	}
	if err := checkSort(filter.Sort); err != nil {
		return db.List[PassageSummary]{}, err
	}
	var rows []*models.Passage
	total, err := tx.NewSelect().Model(&rows).
		Apply(tx.InScope, withStatus(filter.Status), matching(passageStore.noun, filter.Search), sorted(filter.Sort)).
		Limit(int64(page.Limit)).Offset(int64(page.Offset())).ScanAndCount(ctx)
	if err != nil {
		return db.List[PassageSummary]{}, fmt.Errorf("list passages: %w", err)
	}
	items, err := passageSummaries(ctx, tx, rows, filter.Lang)
	return db.NewList(items, page, int(total)), err
}

func passageSummaries(ctx context.Context, tx *db.Tx, rows []*models.Passage, lang string) ([]PassageSummary, error) {
	versions, err := passageStore.versionsByID(ctx, tx, each(rows, func(r *models.Passage) ids.ID { return newestID(r.Row()) }))
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
