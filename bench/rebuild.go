package main

import (
	"context"
	"fmt"

	"assess/pkg/projection"
)

// rebuilt bounds the submissions of the comparison: what is more only takes longer.
const rebuilt = 100_000

// measureRebuild compares a full rebuild, which also counts by day, derives the rollups and
// computes percentiles, with statements that only write the rows of the items, and with a
// statement for each table of items, attempts and their cells.
func measureRebuild(ctx context.Context, h *house) ([]result, error) {
	e, err := writeExam(ctx, h.store, h.authority, "rebuild", 1)
	if err != nil {
		return nil, err
	}
	err = e.assignGroups(ctx, h.store)
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
		contender{"hand", empty, func(ctx context.Context, _, _ int) error { return hand{h.super, false}.project(ctx, &e) }},
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
	what := fmt.Sprintf("full rebuild of %d submissions", n)
	return []result{
		compared(what+", beside the rows of items alone", "items/s", rates["rebuild"], rates["hand"], 0.7),
		compared(what+", beside a statement a table (items, attempts, days, groups)", "items/s", rates["rebuild"], rates["tables"], 0.7),
	}, h.emptyReports(ctx)
}
