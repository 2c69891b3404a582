package reporting

import (
	"context"
	"slices"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// TagSummary is about the items that carry a snapshot tag.
type TagSummary struct {
	Tag        string `json:"tag" example:"topic:photosynthesis"`
	Label      string `json:"label" doc:"Of the term, at the time of publishing" example:"Photosynthesis"`
	FacetLabel string `json:"facetLabel" example:"Topic"`
	ItemSummary
}

// SectionSummary is about the items of a section.
type SectionSummary struct {
	SectionID ids.ID `json:"sectionId"`
	Title     string `json:"title" doc:"By its place where it has none" example:"Reading"`
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

// readItems adds up the items by tag and by section. Over all attempts at a version the questions
// are counted by day already, whatever the cut.
func (q summaryQuery) readItems(ctx context.Context, tx *db.Tx, all tallied) error {
	called, err := q.readLabels(ctx, tx)
	if err != nil {
		return err
	}
	text := q.text(tx)
	if spans := slices.Clone(projection.SpansOf[q.cut()]); len(spans) > 0 {
		slices.Reverse(spans)
		text.Stretches = text.divided(q.period(), spans)
	} else {
		text.Stretches = text.days(false)
	}
	var key, tag string
	var section *ids.ID
	var position int
	var i ItemSummary
	var pctSum, timeSum float64
	var timed int64
	return text.read(ctx, tx, "items.sql", []any{&key, &tag, &section, &position, &i.ItemAttempts, &i.ScoredAttempts, &i.Correct, &i.Omitted,
		&pctSum, &timed, &timeSum}, func() {
		i.FacilityPct, i.OmittedRate = rate(i.Correct, i.ScoredAttempts), rate(i.Omitted, i.ItemAttempts)
		i.AvgScorePct, i.AvgTimeMs = projection.Share(pctSum, i.ScoredAttempts), projection.Milliseconds(over(timeSum, timed))
		c := all.at(key)
		if section == nil {
			label, facet := called.tag(tag)
			c.tags = append(c.tags, TagSummary{tag, label, facet, i})
		} else {
			c.sections = append(c.sections, SectionSummary{*section, called.section(*section, position), position, i})
		}
	})
}
