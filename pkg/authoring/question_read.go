package authoring

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/capability"
	"assess/pkg/db"
	"assess/pkg/errs"
	"assess/pkg/ids"
	"assess/pkg/scoring"
)

// shownText is how much of a stem a list shows, in characters.
const shownText = 200

// GetQuestion gives a question with its draft and its published version. Errors:
// not_found.
func GetQuestion(ctx context.Context, tx *db.Tx, id ids.ID) (Question, error) {
	if err := tx.Require(capability.QuestionsRead); err != nil {
		return Question{}, err
	}
	var rows []models.Question
	err := tx.NewSelect().Model(&rows).Apply(inScope(tx)).Where("q.id = ?", id).Scan(ctx)
	if err != nil {
		return Question{}, fmt.Errorf("read question: %w", err)
	}
	if len(rows) == 0 {
		return Question{}, errs.New(errs.NotFound, "There is no such question in your scope.")
	}
	return readQuestion(ctx, tx, rows[0])
}

// ListQuestions gives questions, newest change first unless the filter says otherwise.
func ListQuestions(ctx context.Context, tx *db.Tx, filter QuestionFilter) (db.List[QuestionSummary], error) {
	if err := tx.Require(capability.QuestionsRead); err != nil {
		return db.List[QuestionSummary]{}, err
	}
	page, err := filter.Check()
	if err != nil {
		return db.List[QuestionSummary]{}, err
	}
	if err := checkSort(filter.Sort); err != nil {
		return db.List[QuestionSummary]{}, err
	}
	var rows []questionLine
	total, err := tx.NewSelect().Model(&rows).
		ColumnExpr("q.*, v.qtype, v.number").
		ColumnExpr("left(v.extracts -> (v.body -> 'stem' ->> 'defaultLocale') ->> 'stem', ?) as text", shownText).
		Join("join question_versions v on v.tenant_id = q.tenant_id and v.id = coalesce(q.draft_id, q.published_id)").
		Apply(inScope(tx), only("q.status", filter.Status), only("v.qtype", filter.QType), sorted(filter.Sort)).
		Limit(int64(page.Limit)).Offset(int64(page.Offset())).
		ScanAndCount(ctx)
	if err != nil {
		return db.List[QuestionSummary]{}, fmt.Errorf("list questions: %w", err)
	}
	items := make([]QuestionSummary, 0, len(rows))
	for _, row := range rows {
		items = append(items, row.summary())
	}
	return db.NewList(items, page, int(total)), nil
}

// questionLine is a question with what a list shows of its newest version.
type questionLine struct {
	models.Question `bun:",extend"`

	QType  string `bun:"qtype,scanonly"`
	Number int    `bun:",scanonly"`
	Text   string `bun:",scanonly"`
}

func (l questionLine) summary() QuestionSummary {
	return QuestionSummary{ID: l.ID, ExternalID: text(l.ExternalID), Status: l.Status, QType: scoring.QType(l.QType),
		Number: l.Number, HasDraft: l.DraftID != nil, Text: l.Text, CreatedAt: l.CreatedAt.UTC(), UpdatedAt: l.UpdatedAt.UTC()}
}

// FindQuestions gives the ids of questions of the home org unit by their external ids;
// unknown ones are absent. Imports use it.
func FindQuestions(ctx context.Context, tx *db.Tx, externalIDs []string) (map[string]ids.ID, error) {
	if err := tx.Require(capability.QuestionsRead); err != nil {
		return nil, err
	}
	return findByExternalID(ctx, tx, "questions", externalIDs)
}

func findByExternalID(ctx context.Context, tx *db.Tx, table string, externalIDs []string) (map[string]ids.ID, error) {
	org, err := tx.HomeOrgUnit()
	if err != nil {
		return nil, err
	}
	found := make(map[string]ids.ID, len(externalIDs))
	var rows []struct {
		ID         ids.ID
		ExternalID string
	}
	err = tx.NewSelect().Table(table).Column("id", "external_id").
		Where("tenant_id = ?", tx.Tenant()).Where("org_unit_id = ?", org).
		Where("external_id in (?)", bun.List(searchable(externalIDs))).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("find %s by external id: %w", table, err)
	}
	for _, row := range rows {
		found[row.ExternalID] = row.ID
	}
	return found, nil
}
