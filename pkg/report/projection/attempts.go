package projection

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// attemptSet says which attempts are counted. cells are CTEs over the values; $1 is the tenant. day
// has the columns of report_question_day, choice the columns of report_question_choice_day, times the
// columns of report_question_times, and edges the times at the edges of a period, which are not rows
// of that table; each also has unit: the org unit, or one value for all of them where org units are
// counted together. single is the condition that chooses single flat rows f of the unit m.unit.
type attemptSet struct {
	cells, single string
	*Values
}

// read runs a statement over the attempts, as Values.Read does. {{attempts}} in it is replaced by
// the cells. A value that it adds is in all statements that follow.
func (a attemptSet) read(ctx context.Context, tx *db.Tx, what, sql string, targets []any, row func()) error {
	return a.Read(ctx, tx, what, fill(sql, "attempts", a.cells), targets, row)
}

// storedAttempts are all attempts at the questions.
func storedAttempts(tx *db.Tx, keys []rollupKey) attemptSet {
	orgs, questions := columns(keys)
	return attemptSet{cells: statement("stored_attempts"), single: "f.tenant_id = $1 and f.org_unit_id = m.unit",
		Values: &Values{Args: []any{tx.Tenant(), orgs, questions}}}
}

// The windows end with the newest day of the question.
const totalsSQL = `{{attempts}}
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

const runsSQL = `{{attempts}}
select unit, question_version_id, run_label, sum(attempts_n)::bigint, sum(scored_n)::bigint, sum(correct_n)::bigint,
	sum(exempt_n)::bigint, max(day)
from day where run_label <> '' group by 1, 2, 3`

const optionsSQL = `{{attempts}}
select unit, question_version_id, run_label, code, sum(n)::bigint from choice where kind = 'option' group by 1, 2, 3, 4`

// totals reads the counts of each question, without its runs and options.
func totals(ctx context.Context, tx *db.Tx, a attemptSet) (countsByQuestion, error) {
	all := countsByQuestion{}
	var unit, question ids.ID
	var t questionCounts
	err := a.read(ctx, tx, "read question totals", totalsSQL, []any{&unit, &question, &t.qtype, &t.attempts, &t.scored, &t.pending,
		&t.invalid, &t.exempt, &t.correct, &t.omitted, &t.timed, &t.focusLost, &t.evaluations, &t.versions, &t.correct7, &t.scored7,
		&t.correct30, &t.scored30, &t.timed7, &t.timeSum, &t.scoreSum, &t.scorePctSum}, func() {
		found := t
		found.options = map[string]map[string]int64{}
		all[rollupKey{unit, question}] = &found
	})
	return all, err
}

func readDetails(ctx context.Context, tx *db.Tx, a attemptSet, all countsByQuestion) error {
	var unit, question ids.ID
	var r runCounts
	var day time.Time
	err := a.read(ctx, tx, "read runs of questions", runsSQL,
		[]any{&unit, &question, &r.label, &r.attempts, &r.scored, &r.correct, &r.exempt, &day}, func() {
			r.lastDay = day
			t := all.at(unit, question)
			t.runs = append(t.runs, r)
		})
	if err != nil {
		return err
	}
	return readOptions(ctx, tx, a, all)
}

func readOptions(ctx context.Context, tx *db.Tx, a attemptSet, all countsByQuestion) error {
	var unit, question ids.ID
	var run, option string
	var n int64
	return a.read(ctx, tx, "read options of questions", optionsSQL, []any{&unit, &question, &run, &option, &n}, func() {
		t := all.at(unit, question)
		if t.options[run] == nil {
			t.options[run] = map[string]int64{}
		}
		t.options[run][option] = n
	})
}

// eachRow scans every row into the same targets and calls row.
func eachRow(ctx context.Context, tx *db.Tx, sql string, args, targets []any, row func()) error {
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
