package reporting

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/pkg/db"
	"assess/pkg/ids"
	"assess/pkg/projection"
)

// TagSummary is about the items that carry a snapshot tag.
type TagSummary struct {
	Tag string `json:"tag" example:"topic:photosynthesis"`
	ItemSummary
}

// SectionSummary is about the items of a section.
type SectionSummary struct {
	SectionID ids.ID `json:"sectionId"`
	Position  int    `json:"position" doc:"From 0"`
	ItemSummary
}

// ItemSummary are the figures of item attempts.
type ItemSummary struct {
	ItemAttempts   int64    `json:"itemAttempts"`
	ScoredAttempts int64    `json:"scoredAttempts"`
	Correct        int64    `json:"correct" doc:"Scored attempts with full credit"`
	Omitted        int64    `json:"omitted"`
	FacilityPct    *float64 `json:"facilityPct" doc:"correct over scoredAttempts"`
	OmittedRate    *float64 `json:"omittedRate" doc:"omitted over itemAttempts"`
	AvgScorePct    *float64 `json:"avgScorePct" doc:"Mean over scoredAttempts"`
	AvgTimeMs      *float64 `json:"avgTimeMs" doc:"Mean of answered attempts with a known time"`
}

// itemsSQL gives the counts of items by key and question: whole days are counted already, in
// each group or for all; the edges of a period are counted from the item attempts.
func (q summaryQuery) itemsSQL(s *statement, tx *db.Tx) string {
	days, none, edges := q.period().Pieces()
	var sources []string
	if !none {
		table := "report_question_day"
		if q.groups != nil || q.by == byGroup {
			table = "report_group_items"
		}
		sources = append(sources, "select "+q.key("d")+" as key, d.tenant_id, d.org_unit_id, d.evaluation_version_id, d.question_version_id, "+
			columnsOf(projection.ItemMeasures, "d.%[1]s")+" from "+table+" d where "+q.ofCells(s, tx, days))
	}
	for _, edge := range edges {
		sources = append(sources, "select "+q.key("r")+" as key, r.tenant_id, r.org_unit_id, r.evaluation_version_id, f.question_version_id, "+
			columnsOf(projection.ItemMeasures, "%[2]s as %[1]s")+` from report_submissions r, lateral (select * from report_item_attempts_flat
				where tenant_id = r.tenant_id and submission_id = r.submission_id offset 0) f where `+
			q.ofRows(s, tx, "completed_at", edge)+" group by 1, 2, 3, 4, 5")
	}
	return strings.Join(sources, "\nunion all\n")
}

func (q summaryQuery) readTags(ctx context.Context, tx *db.Tx, all tallied) error {
	var t TagSummary
	return q.readItems(ctx, tx, "report_question_tags", "f.tag", []any{&t.Tag}, &t.ItemSummary,
		func(key string) { all.at(key).tags = append(all.at(key).tags, t) })
}

func (q summaryQuery) readSections(ctx context.Context, tx *db.Tx, all tallied) error {
	var section SectionSummary
	return q.readItems(ctx, tx, "report_question_sections", "f.position, f.section_id", []any{&section.Position, &section.SectionID},
		&section.ItemSummary, func(key string) { all.at(key).sections = append(all.at(key).sections, section) })
}

// readItems adds up the items by a column of the facts about questions.
func (q summaryQuery) readItems(ctx context.Context, tx *db.Tx, facts, by string, into []any, figures *ItemSummary, found func(key string)) error {
	var s statement
	source := q.itemsSQL(&s, tx)
	rows, err := tx.Query(ctx, "select i.key, "+by+`, sum(attempts_n)::bigint, sum(scored_n)::bigint, sum(correct_n)::bigint,
			sum(omitted_n)::bigint, sum(score_pct_sum)::float8, sum(time_n)::bigint, sum(time_sum_ms)::float8
		from (`+source+") i join "+facts+` f on f.tenant_id = i.tenant_id and f.org_unit_id = i.org_unit_id
			and f.evaluation_version_id = i.evaluation_version_id and f.question_version_id = i.question_version_id
		group by i.key, `+by+" order by i.key, "+by, s.args...)
	if err != nil {
		return fmt.Errorf("add up items: %w", err)
	}
	var key string
	var pctSum, timeSum float64
	var timed int64
	targets := append([]any{&key}, append(into, &figures.ItemAttempts, &figures.ScoredAttempts, &figures.Correct, &figures.Omitted,
		&pctSum, &timed, &timeSum)...)
	_, err = pgx.ForEachRow(rows, targets, func() error {
		figures.FacilityPct, figures.OmittedRate = rate(figures.Correct, figures.ScoredAttempts), rate(figures.Omitted, figures.ItemAttempts)
		figures.AvgScorePct, figures.AvgTimeMs = over(pctSum, figures.ScoredAttempts), over(timeSum, timed)
		found(key)
		return nil
	})
	if err != nil {
		return fmt.Errorf("add up items: %w", err)
	}
	return nil
}
