package projection

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// medianTimes are the figures of a rollup row that the percentiles job owns, in
// milliseconds, over answered attempts with a known time; nil without any.
type medianTimes struct {
	Median, P90, Median7d, Median30d *float64
}

func (m medianTimes) set(h *models.QuestionHealth) {
	h.MedianTimeMs, h.P90TimeMs, h.Median7dTimeMs, h.Median30dTimeMs = m.Median, m.P90, m.Median7d, m.Median30d
}

const storedMediansSQL = `
select org_unit_id, question_version_id, attempts_n, percentiles_stale, median_time_ms, p90_time_ms, median_7d_time_ms, median_30d_time_ms
from unnest($2::uuid[], $3::uuid[]) k (org, question), lateral (select * from report_question_health_rollup t
	where t.tenant_id = $1 and t.org_unit_id = k.org and t.question_version_id = k.question offset 0) t`

// storedTimes are the medians of a rollup row, and the numbers of attempts behind them.
type storedTimes struct {
	medianTimes
	attempts int64
	stale    bool
}

func storedMedians(ctx context.Context, tx *db.Tx, keys []rollupKey) (map[rollupKey]storedTimes, error) {
	orgs, questions := columns(keys)
	all := map[rollupKey]storedTimes{}
	var unit, question ids.ID
	var m storedTimes
	err := eachRow(ctx, tx, storedMediansSQL, []any{tx.Tenant(), orgs, questions},
		[]any{&unit, &question, &m.attempts, &m.stale, &m.Median, &m.P90, &m.Median7d, &m.Median30d}, func() { all[rollupKey{unit, question}] = m })
	if err != nil {
		return nil, fmt.Errorf("read medians: %w", err)
	}
	return all, nil
}

// medians gives the medians of the attempts that the filter chooses, which are counted in all.
// Where these are all attempts at a question, as with an evaluation version that is the only one to
// have it, the rollup knows them.
func (f Filter) medians(ctx context.Context, tx *db.Tx, orgs []ids.ID, all countsByQuestion, p Percentiles) (map[rollupKey]medianTimes, map[runKey]*float64, error) {
	known, knownRuns := map[rollupKey]medianTimes{}, map[runKey]*float64{}
	if len(orgs) == 1 {
		var err error
		known, knownRuns, err = wholeMedians(ctx, tx, orgs[0], all)
		if err != nil {
			return nil, nil, err
		}
	}
	f.Questions = slices.DeleteFunc(all.questions(), func(question ids.ID) bool {
		_, done := known[rollupKey{ids.None, question}]
		return done
	})
	if len(f.Questions) == 0 {
		return known, knownRuns, nil
	}
	medians, runs, err := p.find(ctx, tx, f.attempts(tx, orgs))
	if err != nil {
		return nil, nil, err
	}
	maps.Copy(medians, known)
	maps.Copy(runs, knownRuns)
	return medians, runs, nil
}

// wholeMedians gives the stored medians of the questions whose attempts were all counted.
func wholeMedians(ctx context.Context, tx *db.Tx, org ids.ID, all countsByQuestion) (map[rollupKey]medianTimes, map[runKey]*float64, error) {
	var keys []rollupKey
	for k := range all {
		keys = append(keys, rollupKey{org, k.Version})
	}
	stored, err := storedMedians(ctx, tx, keys)
	if err != nil {
		return nil, nil, err
	}
	known, runs := map[rollupKey]medianTimes{}, map[runKey]*float64{}
	var whole []ids.ID
	for k, m := range stored {
		if here := (rollupKey{ids.None, k.Version}); !m.stale && m.attempts == all[here].attempts {
			known[here] = m.medianTimes
			whole = append(whole, k.Version)
		}
	}
	var question ids.ID
	var run string
	var median *float64
	err = eachRow(ctx, tx, `select question_version_id, run_label, median_time_ms from report_question_health_by_run
		where tenant_id = $1 and org_unit_id = $2 and question_version_id = any($3)`, []any{tx.Tenant(), org, whole},
		[]any{&question, &run, &median}, func() { runs[runKey{rollupKey{ids.None, question}, run}] = median })
	if err != nil {
		return nil, nil, fmt.Errorf("read medians of runs: %w", err)
	}
	return known, runs, nil
}

// Percentiles says which percentiles to find: each costs a look at single attempts. The windows end
// with the newest day on which the question was attempted at all.
type Percentiles struct {
	figures []string
	// ifSlower leaves the windows out where steps tell that no rule which needs them applies: nothing
	// else in a list looks at them.
	ifSlower bool
}

// The percentiles that a list, an export and a page about one question show, and that a rank needs.
var (
	ForList   = Percentiles{[]string{"median", "7d", "30d"}, true}
	ForExport = Percentiles{[]string{"median", "7d", "30d", "p90"}, false}
	ForDetail = Percentiles{[]string{"median", "7d", "30d", "p90", "run"}, false}
	forRank   = Percentiles{[]string{"7d", "30d"}, false}
)

func (p Percentiles) mediansSQL(a attemptSet) string {
	var least *float64
	if p.ifSlower {
		least = new(leastSlower())
	}
	return statement("medians", "attempts", a.cells, "item attempts", a.single, "figures", a.Arg(p.figures), "least slower", a.Arg(least))
}

// runKey names a question within a run.
type runKey struct {
	rollupKey
	run string
}

// find gives the percentiles of the questions of the attempts, and the medians of their labelled
// runs.
func (p Percentiles) find(ctx context.Context, tx *db.Tx, a attemptSet) (map[rollupKey]medianTimes, map[runKey]*float64, error) {
	all, runs := map[rollupKey]medianTimes{}, map[runKey]*float64{}
	var unit, question ids.ID
	var figure, run string
	var ms float64
	err := unsorted(ctx, tx, p.mediansSQL(a), a.Values, []any{&unit, &question, &figure, &run, &ms}, func() {
		k, value := rollupKey{unit, question}, ms
		m := all[k]
		switch figure {
		case "median":
			m.Median = &value
		case "p90":
			m.P90 = &value
		case "7d":
			m.Median7d = &value
		case "30d":
			m.Median30d = &value
		case "run":
			runs[runKey{k, run}] = &value
		}
		all[k] = m
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read medians: %w", err)
	}
	return all, runs, nil
}

// unsorted reads a statement with sorting disabled, so that the planner takes rows that are in order
// already: it finds attempts by the index of times, and does not look through all of the tenant.
func unsorted(ctx context.Context, tx *db.Tx, sql string, values *Values, targets []any, row func()) error {
	const sort = "select set_config('enable_sort', $1, true)"
	_, err := tx.Exec(ctx, sort, "off")
	if err != nil {
		return err
	}
	err = values.Read(ctx, tx, "read medians", sql, targets, row)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, sort, "on")
	return err
}
