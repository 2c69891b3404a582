package attempt

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"assess/pkg/author/authoring"
	"assess/pkg/exam/submission"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/report/projection"
)

// Figures are the figures of some of the items.
type Figures struct {
	Items       int      `json:"items"`
	Answered    int      `json:"answered"`
	Omitted     int      `json:"omitted"`
	Scored      int      `json:"scored" doc:"Answered items with the status SCORED"`
	Correct     int      `json:"correct" doc:"Those of them with full credit"`
	FacilityPct *float64 `json:"facilityPct" doc:"correct over scored"`
	OmittedRate *float64 `json:"omittedRate" doc:"omitted over items"`
	Score       float64  `json:"score" doc:"Sum over items that contribute to the score, never below 0"`
	MaxScore    float64  `json:"maxScore"`
	AvgScore    *float64 `json:"avgScore" doc:"Mean score of the scored items; below 0 where negative marking took more than was earned"`
	AvgScorePct *float64 `json:"avgScorePct" doc:"Mean of score over max_score of the scored items. A sum below 0 counts as 0, as in the total"`
	TotalTimeMs int64    `json:"totalTimeMs" doc:"Sum over the items with a known time"`
	AvgTimeMs   *int64   `json:"avgTimeMs" doc:"Mean over answered items with a known time"`
}

// TagAggregate is about the items with one tag.
type TagAggregate struct {
	Tag   string `json:"tag" example:"topic:photosynthesis"`
	Facet string `json:"facet"`
	Term  string `json:"term"`
	Label string `json:"label" doc:"As the snapshot labels it for feedback; else the slug"`
	Figures
}

// TagKeySummary is about the items that carry any tag of one facet.
type TagKeySummary struct {
	Facet     string  `json:"facet"`
	Label     string  `json:"label"`
	Feedback  bool    `json:"isFeedbackKey" doc:"The candidate's feedback speaks of it"`
	Tags      int     `json:"tags" doc:"Different tags of the facet"`
	Strongest *string `json:"strongestTag" doc:"The tag with the highest facility; of several the first"`
	Weakest   *string `json:"weakestTag" doc:"The tag with the lowest facility; of several the first. Null where all are alike"`
	Figures
}

// SectionAggregate is about the items of one section that the person saw.
type SectionAggregate struct {
	SectionID ids.ID `json:"sectionId"`
	Title     string `json:"title"`
	Position  int    `json:"position" doc:"From 0"`
	Figures
}

// worth is the items as scoring knows them: their sums are as exact as the total.
type worth struct {
	items  map[ids.ID]scoring.Item
	config scoring.Config
}

func (r record) worth() *worth {
	w := &worth{items: map[ids.ID]scoring.Item{}, config: r.snapshot.Settings.ScoringConfig}
	for _, row := range r.items {
		w.items[row.ID] = submission.Scored(row)
	}
	return w
}

// tally adds items up.
type tally struct {
	Figures
	worth                 *worth
	sum                   scoring.Sum
	scores, shares, times float64
	shareable             int64
	timedAnswered         int
}

func (t *tally) add(item Item) {
	t.Items++
	if item.IsOmitted {
		t.Omitted++
	} else {
		t.Answered++
	}
	if item.countsAsScored() {
		t.Scored++
		t.scores += item.Score
		if item.IsCorrect {
			t.Correct++
		}
	}
	if share := over(item.Score, item.MaxScore); item.countsAsScored() && share != nil {
		t.shareable++
		t.shares += *share
	}
	if item.ContributesToScore {
		t.sum.Add(t.worth.items[item.ID], t.worth.config)
	}
	if item.TimeOnItemMs != nil {
		t.TotalTimeMs += *item.TimeOnItemMs
		if !item.IsOmitted {
			t.timedAnswered++
			t.times += float64(*item.TimeOnItemMs)
		}
	}
}

func (t *tally) figures() Figures {
	f := t.Figures
	sum := t.sum.Result(scoring.Config{}, nil)
	f.Score, f.MaxScore = sum.Score, sum.MaxScore
	f.FacilityPct, f.OmittedRate = rate(f.Correct, f.Scored), rate(f.Omitted, f.Items)
	f.AvgScore, f.AvgScorePct = over(t.scores, float64(f.Scored)), projection.Share(t.shares, t.shareable)
	f.AvgTimeMs = projection.Milliseconds(over(t.times, float64(t.timedAnswered)))
	return f
}

func tallied(items []Item, w *worth, keysOf func(Item) []string) map[string]*tally {
	all := map[string]*tally{}
	for _, item := range items {
		for _, key := range keysOf(item) {
			if all[key] == nil {
				all[key] = &tally{worth: w}
			}
			all[key].add(item)
		}
	}
	return all
}

func tagAggregates(items []Item, w *worth, labels []authoring.FeedbackTag) []TagAggregate {
	all := tallied(items, w, func(i Item) []string { return i.TagList })
	rows := []TagAggregate{}
	for _, tag := range slices.Sorted(maps.Keys(all)) {
		facet, term, _ := strings.Cut(tag, ":")
		row := TagAggregate{Tag: tag, Facet: facet, Term: term, Label: term, Figures: all[tag].figures()}
		for _, l := range labels {
			if l.Facet == facet && l.Term == term {
				row.Label = l.Label
			}
		}
		rows = append(rows, row)
	}
	return rows
}

func facetsOf(item Item) []string {
	var facets []string
	for _, tag := range item.TagList {
		facet, _, _ := strings.Cut(tag, ":")
		facets = append(facets, facet)
	}
	slices.Sort(facets)
	return slices.Compact(facets)
}

func tagKeySummaries(items []Item, w *worth, snapshot *authoring.Snapshot) []TagKeySummary {
	tags := tagAggregates(items, w, snapshot.FeedbackTags)
	all := tallied(items, w, facetsOf)
	rows := []TagKeySummary{}
	for _, facet := range slices.Sorted(maps.Keys(all)) {
		row := TagKeySummary{Facet: facet, Label: facet, Feedback: slices.Contains(snapshot.FeedbackTagKeys, facet), Figures: all[facet].figures()}
		for _, l := range snapshot.FeedbackTags {
			if l.Facet == facet {
				row.Label = l.FacetLabel
			}
		}
		own := slices.DeleteFunc(slices.Clone(tags), func(t TagAggregate) bool { return t.Facet != facet })
		row.Tags = len(own)
		row.Strongest, row.Weakest = extremes(own)
		rows = append(rows, row)
	}
	return rows
}

// extremes gives the tags with the highest and the lowest facility, where they differ.
func extremes(tags []TagAggregate) (*string, *string) {
	known := slices.DeleteFunc(slices.Clone(tags), func(t TagAggregate) bool { return t.FacilityPct == nil })
	if len(known) == 0 {
		return nil, nil
	}
	slices.SortStableFunc(known, func(a, b TagAggregate) int { return cmp.Compare(*b.FacilityPct, *a.FacilityPct) })
	best, last := known[0], known[len(known)-1]
	if *best.FacilityPct == *last.FacilityPct {
		return &best.Tag, nil
	}
	worst := known[slices.IndexFunc(known, func(t TagAggregate) bool { return *t.FacilityPct == *last.FacilityPct })]
	return &best.Tag, &worst.Tag
}

func sectionAggregates(items []Item, w *worth, snapshot *authoring.Snapshot) []SectionAggregate {
	all := tallied(items, w, func(i Item) []string {
		if i.SectionID == nil {
			return nil
		}
		return []string{i.SectionID.String()}
	})
	rows := []SectionAggregate{}
	for i, section := range snapshot.Sections {
		row := SectionAggregate{SectionID: section.ID, Title: section.Title, Position: i}
		if t := all[section.ID.String()]; t != nil {
			row.Figures = t.figures()
		}
		rows = append(rows, row)
	}
	return rows
}
