package reporting

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// summaryQuery is what a summary or a page of a list counts: one of versions, or allVersions.
// runs and groups are nil where they do not narrow; by says whose figures are kept apart.
type summaryQuery struct {
	orgs        []ids.ID
	evaluation  ids.ID
	versions    []ids.ID
	allVersions bool
	runs        []string
	groups      []ids.ID
	by          dimension
	from, to    *time.Time
}

// dimension is what the rows of a list are of; ” for a single summary.
type dimension string

const (
	bySingle dimension = ""
	byRun    dimension = "run"
	byGroup  dimension = "group"
)

// part of the figures is read on its own.
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

// count reads the sums, and of the rest the parts that are asked for.
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

// statement collects the text and the arguments of a query.
type statement struct{ args []any }

func (s *statement) arg(v any) string {
	s.args = append(s.args, v)
	return fmt.Sprintf("$%d", len(s.args))
}

// among is a condition: equality where there is one value, since an index is then in order.
func among[T any](s *statement, column string, values []T) string {
	if len(values) == 1 {
		return column + " = " + s.arg(values[0])
	}
	return column + " = any(" + s.arg(values) + ")"
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

// ofCut is the condition on tables by cut, table d. It states the run and the group that a cut has
// none of, too: what follows them in the key is in order then.
func (q summaryQuery) ofCut(s *statement, tx *db.Tx) string {
	cut := q.cut()
	where := "d.tenant_id = " + s.arg(tx.Tenant()) + " and " + among(s, "d.org_unit_id", q.orgs) + " and " +
		among(s, "d.evaluation_version_id", q.versions) + " and d.cut = " + s.arg(cut)
	switch {
	case q.runs != nil:
		where += " and " + among(s, "d.run_label", q.runs)
	case cut == "all" || cut == "group":
		where += " and d.run_label = ''"
	}
	switch {
	case q.groups != nil:
		where += " and " + among(s, "d.group_id", q.groups)
	case cut == "all" || cut == "run":
		where += " and d.group_id = " + s.arg(ids.None)
	}
	return where
}

// rows is a table r of the starts or submissions in a part of a day, looked up version by version:
// the index by version and time serves that, and what its reader asks beyond that is looked at only
// afterwards. at is the time that the period bounds.
func (q summaryQuery) rows(s *statement, tx *db.Tx, table, at string, p projection.Period) string {
	return "unnest(" + s.arg(q.versions) + "::uuid[]) v (version), lateral (select * from " + table + " r where " + q.ofRows(s, tx) +
		" and r.evaluation_version_id = v.version" + within(s, "r."+at, p) + " offset 0) r"
}

// ofRows is the condition on the rows of starts and submissions, table r, without version and period.
func (q summaryQuery) ofRows(s *statement, tx *db.Tx) string {
	where := "r.tenant_id = " + s.arg(tx.Tenant()) + " and " + among(s, "r.org_unit_id", q.orgs)
	if q.runs != nil {
		where += " and " + among(s, "r.run_label", q.runs)
	}
	if q.groups != nil {
		where += " and " + among(s, "r.group_id", q.groups)
	}
	return where
}

// within is a condition that a column is in a period.
func within(s *statement, column string, p projection.Period) string {
	where := ""
	if p.From != nil {
		where += " and " + column + " >= " + s.arg(*p.From)
	}
	if p.To != nil {
		where += " and " + column + " < " + s.arg(*p.To)
	}
	return where
}

// parted hands on what a period has of whole units, and what these have too little or, with the
// sign "-", too much.
func parted(p projection.Period, unit time.Duration, whole func(projection.Period), rest func(p projection.Period, sign string)) {
	units, none, plus, minus := p.Rounded(unit)
	if !none {
		whole(units)
	}
	for _, edge := range plus {
		rest(edge, "")
	}
	for _, edge := range minus {
		rest(edge, "-")
	}
}

// key is the key of a row of table t, d by cut or r otherwise. It is compared with as it is, since
// behind a policy a condition with a cast is no index condition; whoever reads it takes it as text.
func (q summaryQuery) key(t string) string {
	switch q.by {
	case byRun:
		return t + ".run_label"
	case byGroup:
		return t + ".group_id"
	}
	return "''::text"
}

// period is the time that the query is about.
func (q summaryQuery) period() projection.Period { return projection.Period{From: q.from, To: q.to} }

var (
	starts      = projection.StartMeasures
	completions = slices.Concat(projection.CompletionMeasures, projection.CompletionSums)
	integers    = slices.Concat(starts, projection.CompletionMeasures)
	sums        = projection.CompletionSums
	measures    = slices.Concat(integers, sums)
)

// sumSQL adds up day rows and what is left of days at the edges of the period.
func (q summaryQuery) sumSQL(s *statement, tx *db.Tx) string {
	days, none, edges := q.period().Pieces()
	var sources []string
	if !none {
		sources = append(sources, q.daysSQL(s, tx, days))
	}
	for _, edge := range edges {
		if rest, smaller := edge.Outside(); smaller {
			whole := append(q.attemptsSQL(s, tx, rest, "-"), q.daysSQL(s, tx, edge.Day()))
			sources = append(sources, "select key, day, "+columnsOf(integers, "sum(%[1]s)::bigint")+", "+columnsOf(sums, "sum(%[1]s)")+
				" from ("+strings.Join(whole, "\nunion all\n")+") e (key, day, "+columnsOf(measures, "%[1]s")+") group by 1, 2")
			continue
		}
		sources = append(sources, q.attemptsSQL(s, tx, edge, "")...)
	}
	return "select key::text, array[" + columnsOf(integers, "sum(%[1]s)") + `]::bigint[],
		sum(graded_score_pct_sum)::float8, sum(scored_score_pct_sum)::float8,
		count(distinct day) filter (where completed_n > 0), min(day) filter (where completed_n > 0), max(day) filter (where completed_n > 0)
	from (` + strings.Join(sources, "\nunion all\n") + ") p (key, day, " + columnsOf(measures, "%[1]s") + ") group by key"
}

// daysSQL gives the measures of whole days by key and day.
func (q summaryQuery) daysSQL(s *statement, tx *db.Tx, days projection.Period) string {
	return "select " + q.key("d") + " as key, d.day, " + columnsOf(measures, "d.%[1]s") +
		"\nfrom report_evaluation_day d where " + q.ofCut(s, tx) + within(s, "d.day", days)
}

// attemptsSQL gives the same of the attempts of a part of a day.
func (q summaryQuery) attemptsSQL(s *statement, tx *db.Tx, edge projection.Period, sign string) []string {
	of := func(table, at, columns string) string {
		return "select " + q.key("r") + ", (r." + at + " at time zone 'UTC')::date, " + columns + "\nfrom " +
			q.rows(s, tx, table, at, edge) + " group by 1, 2"
	}
	return []string{
		of("report_session_starts", "attempt_at", columnsOf(starts, sign+"%[2]s as %[1]s")+", "+columnsOf(completions, "0")),
		of("report_submissions", "completed_at", columnsOf(starts, "0")+", "+columnsOf(completions, sign+"%[2]s as %[1]s")),
	}
}

func columnsOf(measures []projection.SummaryMeasure, format string) string {
	var all []string
	for _, m := range measures {
		all = append(all, strings.NewReplacer("%[1]s", m.Name, "%[2]s", m.SQL).Replace(format))
	}
	return strings.Join(all, ", ")
}

func (q summaryQuery) sum(ctx context.Context, tx *db.Tx, all tallied) error {
	var s statement
	sql := q.sumSQL(&s, tx)
	rows, err := tx.Query(ctx, sql, s.args...)
	if err != nil {
		return fmt.Errorf("sum up attempts: %w", err)
	}
	var key string
	var sums []int64
	var c counts
	_, err = pgx.ForEachRow(rows, []any{&key, &sums, &c.gradedPctSum, &c.scoredPctSum, &c.activeDays, &c.firstDay, &c.lastDay}, func() error {
		found := all.at(key)
		for i, n := range sums {
			found.n[measures[i].Name] = n
		}
		found.gradedPctSum, found.scoredPctSum = c.gradedPctSum, c.scoredPctSum
		found.activeDays, found.firstDay, found.lastDay = c.activeDays, c.firstDay, c.lastDay
		return nil
	})
	if err != nil {
		return fmt.Errorf("sum up attempts: %w", err)
	}
	return nil
}
