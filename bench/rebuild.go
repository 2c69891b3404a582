package main

import (
	"context"
	"fmt"

	"assess/pkg/report/projection"
)

// rebuilt bounds the submissions of the comparison: more would only take longer.
const rebuilt = 100_000

// measureRebuild compares a full rebuild, which also makes the cells of evaluations, derives the
// rollups and computes percentiles, with a statement for each table of items, attempts and their
// cells. The comparison with only the rows of items is measured with the reports, with as many
// attempts.
func measureRebuild(ctx context.Context, h *house) ([]result, error) {
	e, err := writeExam(ctx, h.store, h.authority, "rebuild", 1)
	if err != nil {
		return nil, err
	}
	err = e.assignGroups(ctx, h.store, h.size.groups)
	if err != nil {
		return nil, err
	}
	n := min(h.size.many, rebuilt)
	err = e.load(ctx, h.super, n, n/attemptsOfOne, reportedDays)
	if err != nil {
		return nil, err
	}
	err = h.calm(ctx, "sessions", "submissions", "submission_items")
	if err != nil {
		return nil, err
	}
	empty := func(ctx context.Context, _ int) error { return h.emptyReports(ctx) }
	rates, err := contest(ctx, 2, 1, 1,
		contender{"tables", empty, func(ctx context.Context, _, _ int) error { return hand{h.super, false}.rebuild(ctx, &e) }},
		contender{"rebuild", empty, func(ctx context.Context, _, _ int) error {
			return projection.Rebuild(ctx, h.store, e.operator.Tenant, nil)
		}})
	if err != nil {
		return nil, err
	}
	for _, turns := range rates {
		for i := range turns {
			turns[i] *= float64(n * items)
		}
	}
	return []result{compared(fmt.Sprintf("full rebuild of %d submissions, beside a statement a table (items, attempts, days, groups)", n), "items/s",
		rates["rebuild"], rates["tables"], 0.7)}, h.emptyReports(ctx)
}
