package reporting

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"assess/models"
	"assess/pkg/db"
	"assess/pkg/ids"
	"assess/pkg/projection"
)

// settledAtOnce is how many questions at least are looked at together for their order.
const settledAtOnce = 1000

// measuredPage orders all questions that the filter chooses by sums of their attempts, and
// measures in full what is on the page alone. Questions that fit on one page are measured at
// once.
func measuredPage(ctx context.Context, tx *db.Tx, f HealthFilter, orgs []ids.ID, by order, page db.Page) ([]models.QuestionHealth, int, error) {
	few, err := f.choosesAtMost(ctx, tx, orgs, page.Limit)
	if err != nil {
		return nil, 0, err
	}
	if few {
		rows, err := measureList(ctx, tx, f.projected())
		sortRows(rows, by)
		return onPage(rows, page), len(rows), err
	}
	rows, err := by.first(ctx, tx, f.projected(), page.Offset()+page.Limit)
	if err != nil {
		return nil, 0, err
	}
	sortRows(rows, by)
	shown, err := measureRows(ctx, tx, f, onPage(rows, page))
	return shown, len(rows), err
}

// onlyCounts is for orders that look at counts alone.
func onlyCounts(ctx context.Context, tx *db.Tx, f projection.Filter, _ int) ([]models.QuestionHealth, error) {
	return projection.Counts(ctx, tx, f)
}

// drifts is for the order by drift.
func drifts(ctx context.Context, tx *db.Tx, f projection.Filter, _ int) ([]models.QuestionHealth, error) {
	outline, err := projection.NewOutline(ctx, tx, f)
	if err != nil {
		return nil, err
	}
	return outline.Rows, nil
}

// ranks is for the order by attention.
func ranks(ctx context.Context, tx *db.Tx, f projection.Filter, n int) ([]models.QuestionHealth, error) {
	outline, err := projection.NewOutline(ctx, tx, f)
	if err != nil {
		return nil, err
	}
	return outline.Rows, settle(ctx, tx, outline, n, max(n, settledAtOnce))
}

// choosesAtMost says whether there are no more than n questions, as far as an evaluation
// version, or the org units, tell.
func (f HealthFilter) choosesAtMost(ctx context.Context, tx *db.Tx, orgs []ids.ID, n int) (bool, error) {
	sql, args := "select from report_question_health_rollup where tenant_id = $1 and org_unit_id = any($2)", []any{tx.Tenant(), orgs, n}
	if f.EvaluationVersionID != ids.None {
		sql, args = "select from report_question_sections where tenant_id = $1 and org_unit_id = any($2) and evaluation_version_id = $4",
			append(args, f.EvaluationVersionID)
	}
	few := false
	err := tx.QueryRow(ctx, "select count(*) <= $3 from ("+sql+" limit $3 + 1) q", args...).Scan(&few)
	if err != nil {
		return false, fmt.Errorf("count questions: %w", err)
	}
	return few, nil
}

func sortRows(rows []models.QuestionHealth, by order) {
	slices.SortFunc(rows, func(a, b models.QuestionHealth) int {
		return cmp.Or(by.compare(a, b), bytes.Compare(a.QuestionVersionID[:], b.QuestionVersionID[:]))
	})
}

func onPage(rows []models.QuestionHealth, page db.Page) []models.QuestionHealth {
	start := min(page.Offset(), len(rows))
	return rows[start:min(start+page.Limit, len(rows))]
}

// settle makes sure that the first n questions by attention rank are the first ones. A
// question that is not settled counts with the highest rank that it can have; so the others
// need no look as soon as n ranks are settled that reach it. It looks at so many at once.
func settle(ctx context.Context, tx *db.Tx, outline *projection.Outline, n, atOnce int) error {
	for {
		var known []int
		var open []models.QuestionHealth
		for _, h := range outline.Rows {
			if outline.Settled(h.QuestionVersionID) {
				known = append(known, h.AttentionRank)
			} else {
				open = append(open, h)
			}
		}
		if len(known) >= n {
			slices.Sort(known)
			nth := known[len(known)-n]
			open = slices.DeleteFunc(open, func(h models.QuestionHealth) bool { return h.AttentionRank < nth })
		}
		if len(open) == 0 {
			return nil
		}
		slices.SortFunc(open, byAttention)
		err := outline.Settle(ctx, tx, questionsOf(open[:min(len(open), atOnce)]))
		if err != nil {
			return err
		}
	}
}

// measureRows gives the same questions in the same order, measured.
func measureRows(ctx context.Context, tx *db.Tx, f HealthFilter, rows []models.QuestionHealth) ([]models.QuestionHealth, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	narrow := f.projected()
	narrow.Questions = questionsOf(rows)
	measured, err := measureList(ctx, tx, narrow)
	of := map[ids.ID]models.QuestionHealth{}
	for _, h := range measured {
		of[h.QuestionVersionID] = h
	}
	var all []models.QuestionHealth
	for _, h := range rows {
		all = append(all, of[h.QuestionVersionID])
	}
	return all, err
}

func measureList(ctx context.Context, tx *db.Tx, f projection.Filter) ([]models.QuestionHealth, error) {
	measured, err := projection.Measure(ctx, tx, f, projection.ForList)
	var rows []models.QuestionHealth
	for _, m := range measured {
		rows = append(rows, m.Health)
	}
	return rows, err
}
