package reporting

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
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
	AvgScorePct    *float64 `json:"avgScorePct" doc:"Mean share of the maximum over scoredAttempts. A sum that negative marking brings below 0 counts as 0"`
	AvgTimeMs      *int64   `json:"avgTimeMs" doc:"Mean of answered attempts with a known time"`
}

// itemsSQL gives the counts of items by key and question. Those of long spans are added up
// already. What these have too little or too much is in short ones, and what those have too little
// or too much is counted from the item attempts.
func (q summaryQuery) itemsSQL(s *statement, tx *db.Tx) string {
	var sources []string
	counted := func(span time.Duration, p projection.Period, sign string) {
		sources = append(sources, "select "+q.key("d")+" as key, d.org_unit_id, d.evaluation_version_id, d.question_version_id, "+
			columnsOf(projection.ItemMeasures, sign+"d.%[1]s")+" from report_evaluation_items d where "+q.ofCut(s, tx)+
			" and d.hours = "+s.arg(int(span.Hours()))+within(s, "d.since", p))
	}
	attempts := func(p projection.Period, sign string) {
		sources = append(sources, "select "+q.key("r")+" as key, r.org_unit_id, r.evaluation_version_id, f.question_version_id, "+
			columnsOf(projection.ItemMeasures, sign+"%[2]s as %[1]s")+` from `+q.rows(s, tx, "report_submissions", "completed_at", p)+`, lateral (select * from report_item_attempts_flat
				where tenant_id = r.tenant_id and submission_id = r.submission_id offset 0) f group by 1, 2, 3, 4`)
	}
	spans := projection.SpansOf[q.cut()]
	short, long := spans[0], spans[len(spans)-1]
	parted(q.period(), short, func(p projection.Period) {
		parted(p, long, func(p projection.Period) { counted(long, p, "") },
			func(p projection.Period, sign string) { counted(short, p, sign) })
	}, attempts)
	return "select key, org_unit_id, evaluation_version_id, question_version_id, " + columnsOf(projection.ItemMeasures, "sum(%[1]s) as %[1]s") +
		"\nfrom (" + strings.Join(sources, "\nunion all\n") + ") i group by 1, 2, 3, 4 having sum(attempts_n) > 0"
}

// readItems adds up the items by tag and by section. What questions have in common is looked
// up once each question is counted.
func (q summaryQuery) readItems(ctx context.Context, tx *db.Tx, all tallied) error {
	var s statement
	source, tenant := q.itemsSQL(&s, tx), s.arg(tx.Tenant())
	by := func(table, columns string) string {
		return "select i.key::text, " + columns + `, sum(attempts_n)::bigint, sum(scored_n)::bigint, sum(correct_n)::bigint,
			sum(omitted_n)::bigint, sum(score_pct_sum)::float8, sum(time_n)::bigint, sum(time_sum_ms)::float8
		from items i join ` + table + ` f on f.tenant_id = ` + tenant + ` and f.org_unit_id = i.org_unit_id
			and f.evaluation_version_id = i.evaluation_version_id and f.question_version_id = i.question_version_id
		group by 1, 2, 3, 4`
	}
	rows, err := tx.Query(ctx, "with items as materialized ("+source+")\n"+
		by("report_question_tags", "f.tag, null::uuid, 0")+"\nunion all\n"+by("report_question_sections", "'', f.section_id, f.position")+
		"\norder by 1, 2, 4, 3", s.args...)
	if err != nil {
		return fmt.Errorf("add up items: %w", err)
	}
	var key, tag string
	var section *ids.ID
	var position int
	var i ItemSummary
	var pctSum, timeSum float64
	var timed int64
	_, err = pgx.ForEachRow(rows, []any{&key, &tag, &section, &position, &i.ItemAttempts, &i.ScoredAttempts, &i.Correct, &i.Omitted,
		&pctSum, &timed, &timeSum}, func() error {
		i.FacilityPct, i.OmittedRate = rate(i.Correct, i.ScoredAttempts), rate(i.Omitted, i.ItemAttempts)
		i.AvgScorePct, i.AvgTimeMs = projection.Share(pctSum, i.ScoredAttempts), projection.Milliseconds(over(timeSum, timed))
		c := all.at(key)
		if section == nil {
			c.tags = append(c.tags, TagSummary{tag, i})
		} else {
			c.sections = append(c.sections, SectionSummary{*section, position, i})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("add up items: %w", err)
	}
	return nil
}
