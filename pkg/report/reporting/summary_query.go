package reporting

import (
	"context"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// summaryQuery is what a summary or a page of a list counts: one of versions, or allVersions.
// runs and groups are nil where they do not narrow; by says whose figures are kept apart.
type summaryQuery struct {
	orgs        []ids.ID
	asked       ids.ID // the version, whatever versions are counted
	evaluation  ids.ID
	title       *string
	number      *int
	passMark    *float64
	groupName   *string
	versions    []ids.ID
	allVersions bool
	runs        []string
	groups      []ids.ID
	by          dimension
	from, to    *time.Time
}

// dimension is what each row of a list is about; ” for a single summary.
type dimension string

const (
	bySingle dimension = ""
	byRun    dimension = "run"
	byGroup  dimension = "group"
)

// part is a part of the figures that is read on its own.
type part int

const (
	thePeople part = 1 << iota
	theAssignments
	theMedian
	theItems
	everyPart = thePeople | theAssignments | theMedian
)

// tallied are counts by key: "" for a single summary, else a run label or a group id.
type tallied map[string]*counts

func (all tallied) at(key string) *counts {
	if all[key] == nil {
		all[key] = &counts{n: map[string]int64{}, targets: map[string]int64{}}
	}
	return all[key]
}

// count reads the sums, and of the rest the parts that the caller wants.
func (q summaryQuery) count(ctx context.Context, tx *db.Tx, parts part) (tallied, error) {
	all := tallied{}
	steps := []struct {
		part part
		read func(context.Context, *db.Tx, tallied) error
	}{{everyPart, q.sum}, {theAssignments, q.countAssignments}, {thePeople, q.countPeople}, {theMedian, q.readMedians},
		{theItems, q.readItems}}
	for _, step := range steps {
		if parts&step.part == 0 {
			continue
		}
		err := step.read(ctx, tx, all)
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// cut names the rows that answer the query in tables by cut: days, durations, bands, people.
func (q summaryQuery) cut() string {
	run, group := q.runs != nil || q.by == byRun, q.groups != nil || q.by == byGroup
	switch {
	case run && group:
		return "run_group"
	case run:
		return "run"
	case group:
		return "group"
	}
	return "all"
}

// period is the time that the query is about.
func (q summaryQuery) period() projection.Period { return projection.Period{From: q.from, To: q.to} }

// sum adds up days, and attempts at the edges of the period.
func (q summaryQuery) sum(ctx context.Context, tx *db.Tx, all tallied) error {
	text := q.text(tx)
	text.Stretches = text.days(true)
	var key string
	var sums []int64
	var c counts
	return text.read(ctx, tx, "sums.sql", []any{&key, &sums, &c.gradedPctSum, &c.scoredPctSum, &c.activeDays, &c.firstDay, &c.lastDay}, func() {
		found := all.at(key)
		for i, n := range sums {
			found.n[integers[i].Name] = n
		}
		found.gradedPctSum, found.scoredPctSum = c.gradedPctSum, c.scoredPctSum
		found.activeDays, found.firstDay, found.lastDay = c.activeDays, c.firstDay, c.lastDay
	})
}
