package projection

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// source says which attempts are counted. cells are CTEs over args, of which $1 is the
// tenant: day has the columns of report_question_day, choice those of
// report_question_choice_day, times those of report_question_times, and edges the times at the edges
// of a period, which are no rows of that table; each with unit: the org unit, or one value for all of
// them where org units are counted together. attempts is the condition that chooses single flat rows
// f of the unit m.unit.
type source struct {
	cells, attempts string
	args            []any
}

// storedDays are the day tables' own rows for the keys in $2 and $3; of choices those of options.
func storedDays(tx *db.Tx, keys []key) source {
	orgs, questions := columns(keys)
	args := []any{tx.Tenant(), orgs, questions}
	return source{
		cells: `day as (select org_unit_id as unit, t.* from ` + ofKeys("report_question_day") + `
			), choice as (select org_unit_id as unit, t.* from ` + ofKeys("report_question_choice_day", "t.kind = 'option'") + `
			), times as (select org_unit_id as unit, t.* from ` + ofKeys("report_question_times") + `
			), edges as (select ` + oneUnit + ` as unit, ` + oneUnit + ` as question_version_id, ''::text as run_label, null::date as day, 0::bigint as step_ms, 0 as n
				where false)`,
		attempts: "f.tenant_id = $1 and f.org_unit_id = m.unit",
		args:     args,
	}
}

// ofKeys are the rows t of a table that belong to the keys in $2 and $3 and meet the conditions.
// "offset 0" holds the planner to looking each key up: without statistics it takes a table for small.
func ofKeys(table string, conditions ...string) string {
	conditions = append([]string{"t.tenant_id = $1", "t.org_unit_id = k.org", "t.question_version_id = k.question"}, conditions...)
	return `unnest($2::uuid[], $3::uuid[]) k (org, question),
		lateral (select * from ` + table + ` t where ` + strings.Join(conditions, " and ") + ` offset 0) t`
}

// The windows end with the newest day of the question.
const totalsSQL = `
select unit, question_version_id, max(qtype), sum(attempts_n)::bigint, sum(scored_n)::bigint, sum(pending_n)::bigint,
	sum(invalid_n)::bigint, sum(exempt_n)::bigint, sum(correct_n)::bigint, sum(omitted_n)::bigint,
	sum(time_n)::bigint, sum(focus_lost_n)::bigint, count(distinct evaluation_id), array_agg(distinct evaluation_version_id),
	coalesce(sum(correct_n) filter (where day > newest - 7), 0)::bigint,
	coalesce(sum(scored_n) filter (where day > newest - 7), 0)::bigint,
	coalesce(sum(correct_n) filter (where day > newest - 30), 0)::bigint,
	coalesce(sum(scored_n) filter (where day > newest - 30), 0)::bigint,
	coalesce(sum(time_n) filter (where day > newest - 7), 0)::bigint,
	sum(time_sum_ms)::float8, sum(score_sum)::float8, sum(score_pct_sum)::float8
from (select d.*, max(day) over (partition by unit, question_version_id) as newest from day d) d
group by 1, 2`

const runsSQL = `
select unit, question_version_id, run_label, sum(attempts_n)::bigint, sum(scored_n)::bigint, sum(correct_n)::bigint,
	sum(exempt_n)::bigint, max(day)
from day where run_label <> '' group by 1, 2, 3`

const optionsSQL = `
select unit, question_version_id, run_label, code, sum(n)::bigint from choice where kind = 'option' group by 1, 2, 3, 4`

// totals reads the counts of each question, without its runs and options.
func totals(ctx context.Context, tx *db.Tx, s source) (keyed, error) {
	all := keyed{}
	var unit, question ids.ID
	var t tally
	err := each(ctx, tx, "with "+s.cells+totalsSQL, s.args, []any{&unit, &question, &t.qtype, &t.attempts, &t.scored, &t.pending,
		&t.invalid, &t.exempt, &t.correct, &t.omitted, &t.timed, &t.focusLost, &t.evaluations, &t.versions, &t.correct7, &t.scored7,
		&t.correct30, &t.scored30, &t.timed7, &t.timeSum, &t.scoreSum, &t.scorePctSum}, func() {
		found := t
		found.options = map[string]map[string]int64{}
		all[key{unit, question}] = &found
	})
	if err != nil {
		return nil, fmt.Errorf("read question totals: %w", err)
	}
	return all, nil
}

func readDetails(ctx context.Context, tx *db.Tx, s source, all keyed) error {
	var unit, question ids.ID
	var r runTally
	var day time.Time
	err := each(ctx, tx, "with "+s.cells+runsSQL, s.args,
		[]any{&unit, &question, &r.label, &r.attempts, &r.scored, &r.correct, &r.exempt, &day}, func() {
			r.lastDay = day
			t := all.at(unit, question)
			t.runs = append(t.runs, r)
		})
	if err != nil {
		return fmt.Errorf("read runs of questions: %w", err)
	}
	return readOptions(ctx, tx, s, all)
}

func readOptions(ctx context.Context, tx *db.Tx, s source, all keyed) error {
	var unit, question ids.ID
	var run, option string
	var n int64
	err := each(ctx, tx, "with "+s.cells+optionsSQL, s.args, []any{&unit, &question, &run, &option, &n}, func() {
		t := all.at(unit, question)
		if t.options[run] == nil {
			t.options[run] = map[string]int64{}
		}
		t.options[run][option] = n
	})
	if err != nil {
		return fmt.Errorf("read options of questions: %w", err)
	}
	return nil
}

// each scans every row into the same targets and calls row.
func each(ctx context.Context, tx *db.Tx, sql string, args, targets []any, row func()) error {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	_, err = pgx.ForEachRow(rows, targets, func() error {
		row()
		return nil
	})
	return err
}
