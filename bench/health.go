package main

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/report/projection"
	"assess/pkg/report/reporting"
)

// changedQuestions is how many questions wait for new percentiles.
const changedQuestions = 1000

// exportGrowth is how much more memory an export may take with ten times the questions.
const exportGrowth = 1.5

// measureHealth looks at question health where there are many questions.
func measureHealth(ctx context.Context, h *house) ([]result, error) {
	few, err := h.writeShelf(ctx, "few-questions", h.size.exported/10)
	if err != nil {
		return nil, err
	}
	many, err := h.writeShelf(ctx, "many-questions", h.size.exported)
	if err != nil {
		return nil, err
	}
	err = h.calm(ctx, projection.Tables...)
	if err != nil {
		return nil, err
	}
	all, err := many.lists(ctx, h)
	if err != nil {
		return nil, err
	}
	for _, c := range []struct {
		name   string
		filter reporting.HealthFilter
	}{{"", reporting.HealthFilter{}}, {" of a run", reporting.HealthFilter{RunLabel: new(secondRun)}}} {
		// The first export of each fills caches and pools.
		var kept [2]exported
		for range 2 {
			for i, b := range []*shelf{few, many} {
				kept[i], err = b.export(ctx, h, c.filter)
				if err != nil {
					return nil, err
				}
			}
		}
		what := fmt.Sprintf("question health export%s of %d questions", c.name, many.questions)
		all = append(all, result{Name: what, Unit: "s", Value: kept[1].took.Seconds()},
			result{Name: what + " and of a tenth, first byte", Unit: "ms", Value: inMs(kept[1].first), Beside: inMs(kept[0].first)},
			result{Name: what + " and of a tenth, memory", Unit: "MiB", Value: kept[1].peak, Beside: kept[0].peak, Ratio: kept[1].peak / kept[0].peak, AtMost: exportGrowth})
	}
	percentiles, err := many.percentiles(ctx, h)
	return append(all, percentiles), err
}

// secondRun is the run in the middle of the attempts at a shelf.
const secondRun = "run 1"

// lists reads lists without and with filters. The filtered ones are read less often.
func (b *shelf) lists(ctx context.Context, h *house) ([]result, error) {
	at := func(month time.Month, day, hour, minute int) *time.Time {
		return new(time.Date(2026, month, day, hour, minute, 0, 0, time.UTC))
	}
	var all []result
	for _, c := range []struct {
		name   string
		filter reporting.HealthFilter
		goal   float64
	}{
		{"", reporting.HealthFilter{}, 50},
		{" of a run", reporting.HealthFilter{RunLabel: new(secondRun)}, 300},
		{" of a run, most drift", reporting.HealthFilter{RunLabel: new(secondRun), Sort: reporting.MostDrift}, 300},
		{" of a run, most omitted", reporting.HealthFilter{RunLabel: new(secondRun), Sort: reporting.HighestOmit}, 300},
		{" of a month", reporting.HealthFilter{From: at(2, 1, 0, 0), To: at(3, 1, 0, 0)}, 300},
		{" of some weeks", reporting.HealthFilter{From: at(1, 10, 9, 30), To: at(2, 20, 15, 45)}, 300},
		{" of a tag", reporting.HealthFilter{Tags: []string{"topic:t7"}}, 300},
	} {
		reads := h.size.reads
		if c.name != "" {
			reads = filteredReads
		}
		took, err := b.list(ctx, h, c.filter, reads)
		if err != nil {
			return nil, err
		}
		all = append(all, result{Name: fmt.Sprintf("question health list%s, %d questions, library, p95", c.name, b.questions), Unit: "ms",
			Value: quantile(took, 0.95), AtMost: c.goal})
	}
	return all, nil
}

// filteredReads is how often a list with a filter is read.
const filteredReads = 20

func (b *shelf) list(ctx context.Context, h *house, f reporting.HealthFilter, reads int) ([]float64, error) {
	var took []float64
	warm := reads / 10
	for i := range reads + warm {
		f.Page = db.Page{Page: 1 + i%10}
		start := time.Now()
		err := h.store.Report(ctx, b.analyst(), func(tx *db.Tx) error {
			_, err := reporting.ListHealth(ctx, tx, f)
			return err
		})
		if err != nil {
			return nil, err
		}
		if i >= warm {
			took = append(took, inMs(time.Since(start)))
		}
	}
	return took, nil
}

func inMs(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// exported is the cost of an export: its time, the time to its first byte, and the peak memory.
type exported struct {
	took, first time.Duration
	peak        float64
}

// clock notes when the first byte came.
type clock struct {
	start time.Time
	first time.Duration
}

func (c *clock) Write(b []byte) (int, error) {
	if c.first == 0 {
		c.first = time.Since(c.start)
	}
	return len(b), nil
}

func (b *shelf) export(ctx context.Context, h *house, filter reporting.HealthFilter) (exported, error) {
	debug.FreeOSMemory()
	// Garbage is collected early, so that memory in use shows and not memory that was in use.
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	var e exported
	filter.Progress = func(int) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		e.peak = max(e.peak, float64(m.HeapAlloc)/(1<<20))
	}
	to := clock{start: time.Now()}
	err := h.store.Report(ctx, b.analyst(), func(tx *db.Tx) error {
		_, err := reporting.ExportHealth(ctx, tx, filter, &to)
		return err
	})
	e.took, e.first = time.Since(to.start), to.first
	return e, err
}

// handPercentilesSQL is how one would compute the figures of some questions at once.
const handPercentilesSQL = `
with picked as (
	select f.org_unit_id, f.question_version_id, f.time_on_item_ms as ms, (f.completed_at at time zone 'UTC')::date as day, n.newest, f.is_omitted
	from report_item_attempts_flat f
	join (select org_unit_id, question_version_id, max((completed_at at time zone 'UTC')::date) as newest from report_item_attempts_flat
		where tenant_id = $1 and org_unit_id = $2 and question_version_id = any($3) group by 1, 2) n using (org_unit_id, question_version_id)
	where f.tenant_id = $1 and f.org_unit_id = $2 and f.question_version_id = any($3)
), figures as (
	select org_unit_id, question_version_id, percentile_cont(0.5) within group (order by ms) as median,
		percentile_cont(0.9) within group (order by ms) as p90,
		percentile_cont(0.5) within group (order by ms) filter (where day > newest - 7) as median7,
		percentile_cont(0.5) within group (order by ms) filter (where day > newest - 30) as median30
	from picked where not is_omitted group by 1, 2
)
update report_question_health_rollup r set median_time_ms = f.median, p90_time_ms = f.p90, median_7d_time_ms = f.median7,
	median_30d_time_ms = f.median30, percentiles_stale = false
from figures f
where r.tenant_id = $1 and r.org_unit_id = f.org_unit_id and r.question_version_id = f.question_version_id`

// percentiles compares the job, which also judges the questions anew and keeps their runs,
// with one statement by hand.
func (b *shelf) percentiles(ctx context.Context, h *house) (result, error) {
	var changed []string
	err := h.super.QueryRow(ctx, `select array_agg(question_version_id::text) from (select question_version_id from report_question_health_rollup
		where tenant_id = $1 order by 1 limit $2) q`, uuid(b.operator.Tenant), changedQuestions).Scan(&changed)
	if err != nil {
		return result{}, err
	}
	stale := func(ctx context.Context, _ int) error {
		_, err := h.super.Exec(ctx, "update report_question_health_rollup set percentiles_stale = question_version_id = any($2::text[]::uuid[]) where tenant_id = $1",
			uuid(b.operator.Tenant), changed)
		return err
	}
	rates, err := contest(ctx, h.size.projectionRounds, 1, 1,
		contender{"hand", stale, func(ctx context.Context, _, _ int) error {
			_, err := h.super.Exec(ctx, handPercentilesSQL, uuid(b.operator.Tenant), uuid(b.operator.OrgUnit), changed)
			return err
		}},
		contender{"job", stale, func(ctx context.Context, _, _ int) error {
			_, err := projection.RecomputeAll(ctx, h.store, b.operator.Tenant)
			return err
		}})
	if err != nil {
		return result{}, err
	}
	for _, turns := range rates {
		for i := range turns {
			turns[i] *= float64(len(changed))
		}
	}
	return compared(fmt.Sprintf("percentiles of %d changed questions", len(changed)), "questions/s", rates["job"], rates["hand"], 0), nil
}
