package authoring

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// shownText is the length to which a list cuts a text, in characters.
const shownText = 200

// QuestionSummary is a question in a list. QType, ContributesToScore, Number and Text (the
// stem, shortened, in its default locale) are from the newest version.
type QuestionSummary struct {
	ID                 ids.ID        `json:"id"`
	ExternalID         string        `json:"externalId,omitempty"`
	Status             string        `json:"status" enum:"draft,published,archived"`
	QType              scoring.QType `json:"qtype"`
	ContributesToScore bool          `json:"contributesToScore"`
	Number             int           `json:"number"`
	HasDraft           bool          `json:"hasDraft"`
	Text               string        `json:"text"`
	CreatedAt          time.Time     `json:"createdAt"`
	UpdatedAt          time.Time     `json:"updatedAt"`
}

// QuestionFilter chooses questions by their newest versions; the zero value chooses all
// that are not archived, newest change first.
type QuestionFilter struct {
	Status string `query:"status" enum:"draft,published,archived" doc:"Without it, all that are not archived"`
	// Statuses chooses several statuses if Status is empty.
	Statuses           []string
	Search             string        `query:"q" maxLength:"200" doc:"Full-text query in any language: every word, the last one by its beginning" example:"photosynth"`
	QType              scoring.QType `query:"qtype"`
	ContributesToScore *bool         `query:"contributesToScore" doc:"false for survey items"`
	TermsFilter
	PassageID ids.ID `query:"passageId" noun:"passage" doc:"Questions about this passage"`
	Sort      string `query:"sort" enum:"-updatedAt,updatedAt,-createdAt,createdAt" doc:"Default -updatedAt"`
	db.Page
}

// TermsFilter finds content by its terms.
type TermsFilter struct {
	TermsAny           []ids.ID `query:"terms_any,explode" noun:"term" maxItems:"50" doc:"With at least one of the terms; repeatable"`
	TermsAll           []ids.ID `query:"terms_all,explode" noun:"term" maxItems:"50" doc:"With every one of the terms; repeatable"`
	IncludeDescendants bool     `query:"include_descendants" doc:"A term stands for everything below it, too"`
}

// ListQuestions gives questions, newest change first unless the filter says otherwise.
// Indexes serve every filter and every combination of filters. Errors:
// validation_failed.
func ListQuestions(ctx context.Context, tx *db.Tx, filter QuestionFilter) (db.List[QuestionSummary], error) {
	rows, page, total, err := questionStore.list(ctx, tx, listing{status: filter.Status, statuses: filter.Statuses,
		terms: termFilter{filter.TermsAny, filter.TermsAll, filter.IncludeDescendants}, search: filter.Search, sort: filter.Sort, page: filter.Page,
		also: []func(*bun.SelectQuery) *bun.SelectQuery{db.Only("qtype", filter.QType), contributing(filter.ContributesToScore), about(tx, filter.PassageID)}})
	if err != nil {
		return db.List[QuestionSummary]{}, err
	}
	items, err := questionSummaries(ctx, tx, rows)
	return db.NewList(items, page, total), err
}

func contributing(wanted *bool) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		if wanted == nil {
			return q
		}
		return q.Where("q.contributes_to_score = ?", *wanted)
	}
}

// about keeps the questions about a passage.
func about(tx *db.Tx, passage ids.ID) func(*bun.SelectQuery) *bun.SelectQuery {
	return func(q *bun.SelectQuery) *bun.SelectQuery {
		if passage == ids.None {
			return q
		}
		return q.Where("q.id in (select question_id from passage_questions where tenant_id = ? and passage_id = ?)", tx.Tenant(), passage)
	}
}

// questionSummaries shows questions in their order.
func questionSummaries(ctx context.Context, tx *db.Tx, questions []*models.Question) ([]QuestionSummary, error) {
	newest := make([]ids.ID, 0, len(questions))
	for _, q := range questions {
		newest = append(newest, newestID(q.Row()))
	}
	rows, err := tx.Query(ctx, `
		select id, number, coalesce(left(extracts -> (body -> 'stem' ->> 'defaultLocale') ->> 'stem', $3), '')
		from question_versions where tenant_id = $1 and id = any($2)`, tx.Tenant(), newest, shownText)
	if err != nil {
		return nil, fmt.Errorf("read newest versions: %w", err)
	}
	lines := make(map[ids.ID]QuestionSummary, len(questions))
	var id ids.ID
	var line QuestionSummary
	_, err = pgx.ForEachRow(rows, []any{&id, &line.Number, &line.Text}, func() error {
		lines[id] = line
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read newest versions: %w", err)
	}
	items := make([]QuestionSummary, 0, len(questions))
	for _, q := range questions {
		line := lines[newestID(q.Row())]
		items = append(items, QuestionSummary{ID: q.ID, ExternalID: text(q.ExternalID), Status: q.Status, QType: scoring.QType(q.QType),
			ContributesToScore: q.ContributesToScore, Number: line.Number, HasDraft: q.DraftID != nil, Text: line.Text,
			CreatedAt: q.CreatedAt.UTC(), UpdatedAt: q.UpdatedAt.UTC()})
	}
	return items, nil
}
