package reporting

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// How many questions are looked at together for their order: few at first, since these may be
// enough, and then more and more.
const (
	lookedAtFirst = 500
	lookedAtMost  = 2000
)

// measuredPage orders all questions that the filter chooses by sums of their attempts, and measures
// in full only the questions on the page. Questions that fit on one page are measured at once.
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
	ranking, err := projection.Rank(ctx, tx, f.projected())
	if err != nil {
		return nil, 0, err
	}
	if cmp.Or(f.Sort, NeedsAttentionFirst) == NeedsAttentionFirst {
		n := page.Offset() + page.Limit
		err = sharpen(ctx, tx, ranking, n, max(n, lookedAtFirst))
		if err != nil {
			return nil, 0, err
		}
	}
	slices.SortFunc(ranking.Rows, by.places)
	shown, err := measureRows(ctx, tx, f, onPage(ranking.Rows, page))
	return shown, len(ranking.Rows), err
}

const fewQuestionsSQL = `
select count(*) <= $3 from (
	select from report_question_health_rollup where tenant_id = $1 and org_unit_id = any($2) limit $3 + 1) q`

const fewOfVersionSQL = `
select count(*) <= $3 from (
	select from report_question_sections where tenant_id = $1 and org_unit_id = any($2) and evaluation_version_id = $4 limit $3 + 1) q`

// choosesAtMost says whether there are no more than n questions, as far as the evaluation version
// or the org units tell.
func (f HealthFilter) choosesAtMost(ctx context.Context, tx *db.Tx, orgs []ids.ID, n int) (bool, error) {
	sql, args := fewQuestionsSQL, []any{tx.Tenant(), orgs, n}
	if f.EvaluationVersionID != ids.None {
		sql, args = fewOfVersionSQL, append(args, f.EvaluationVersionID)
	}
	few := false
	err := tx.QueryRow(ctx, sql, args...).Scan(&few)
	if err != nil {
		return false, fmt.Errorf("count questions: %w", err)
	}
	return few, nil
}

// places compares questions by the order; the question version id settles ties.
func (o order) places(a, b projection.Ranked) int {
	return cmp.Or(o.compare(a, b), bytes.Compare(a.QuestionVersionID[:], b.QuestionVersionID[:]))
}

func sortRows(rows []models.QuestionHealth, by order) {
	slices.SortFunc(rows, func(a, b models.QuestionHealth) int {
		return by.places(projection.RankedBy(a), projection.RankedBy(b))
	})
}

func onPage[T any](rows []T, page db.Page) []T {
	start := min(page.Offset(), len(rows))
	return rows[start:min(start+page.Limit, len(rows))]
}

// sharpen makes sure that the first n questions by attention rank are the first ones. A question
// that is not exact counts with the highest rank that it can have; so the others need no look as
// soon as n exact ranks reach it. It looks at a few first, and at twice as many each time; medians
// are looked at last, since they are expensive.
func sharpen(ctx context.Context, tx *db.Tx, ranking *projection.Ranking, n, atOnce int) error {
	for {
		var known []int
		var open []projection.Ranked
		for _, row := range ranking.Rows {
			if row.Exact {
				known = append(known, row.AttentionRank)
			} else {
				open = append(open, row)
			}
		}
		if len(known) >= n {
			slices.Sort(known)
			nth := known[len(known)-n]
			open = slices.DeleteFunc(open, func(r projection.Ranked) bool { return r.AttentionRank < nth })
		}
		if len(open) == 0 {
			return nil
		}
		slices.SortFunc(open, byAttention)
		err := ranking.Sharpen(ctx, tx, idsOf(open[:min(len(open), atOnce)]))
		if err != nil {
			return err
		}
		atOnce = min(2*atOnce, lookedAtMost)
	}
}

func idsOf(rows []projection.Ranked) []ids.ID {
	var all []ids.ID
	for _, s := range rows {
		all = append(all, s.QuestionVersionID)
	}
	return all
}

// measureRows gives the same questions in the same order, measured.
func measureRows(ctx context.Context, tx *db.Tx, f HealthFilter, rows []projection.Ranked) ([]models.QuestionHealth, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	narrow := f.projected()
	narrow.Questions = idsOf(rows)
	measured, err := measureList(ctx, tx, narrow)
	of := map[ids.ID]models.QuestionHealth{}
	for _, h := range measured {
		of[h.QuestionVersionID] = h
	}
	var all []models.QuestionHealth
	for _, s := range rows {
		all = append(all, of[s.QuestionVersionID])
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
