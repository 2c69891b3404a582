package reporting

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// The measures of the summary: of starts, of completions, the integers and all of them, in the
// order in which tables and statements have them.
var (
	starts      = projection.StartMeasures
	completions = slices.Concat(projection.CompletionMeasures, projection.CompletionSums)
	integers    = slices.Concat(starts, projection.CompletionMeasures)
	measures    = slices.Concat(starts, completions)
)

//go:embed sql/*.sql
var files embed.FS

// statements are the files of folder sql. What differs from call to call is filled in: conditions,
// and a select for each stretch of the period.
var statements = template.Must(template.New("").Funcs(template.FuncMap{
	"starts":      func() []projection.SummaryMeasure { return starts },
	"completions": func() []projection.SummaryMeasure { return completions },
	"integers":    func() []projection.SummaryMeasure { return integers },
	"sums":        func() []projection.SummaryMeasure { return projection.CompletionSums },
	"measures":    func() []projection.SummaryMeasure { return measures },
	"items":       func() []projection.SummaryMeasure { return projection.ItemMeasures },
	"columns":     columnsOf,
	"peopleKinds": func() []peopleKind { return peopleKinds },

	"bandBits":     func() string { return projection.BandBits },
	"durationBits": func() string { return projection.DurationBits },
}).ParseFS(files, "sql/*.sql"))

// columnsOf writes each measure by a format with its name (%[1]s) and its SQL (%[2]s).
func columnsOf(measures []projection.SummaryMeasure, format string) string {
	var all []string
	for _, m := range measures {
		all = append(all, strings.NewReplacer("%[1]s", m.Name, "%[2]s", m.SQL).Replace(format))
	}
	return strings.Join(all, ", ")
}

// summaryText fills the statements. Its methods give conditions and parameters.
type summaryText struct {
	summaryQuery
	*projection.Values
	tenant ids.ID
	// Stretches of the period are read one by one and added up.
	Stretches []stretch
	// Sum are the days whose people are counted by sums, Between the days between the edges of the
	// period, nil where there are none.
	Sum, Between *stretch
	page         db.Page
}

// stretch is a part of the period: Counted in spans of time, or else attempts. Sign is "-" where it
// is subtracted.
type stretch struct {
	*summaryText
	projection.Period
	Sign    string
	Counted bool
	Span    time.Duration
}

func (q summaryQuery) text(tx *db.Tx) *summaryText {
	return &summaryText{summaryQuery: q, Values: &projection.Values{}, tenant: tx.Tenant()}
}

// read runs a statement, scans each row into the targets and calls row.
func (t *summaryText) read(ctx context.Context, tx *db.Tx, name string, targets []any, row func()) error {
	var text strings.Builder
	err := statements.ExecuteTemplate(&text, name, stretch{summaryText: t, Period: t.period()})
	if err != nil {
		return err
	}
	return t.Values.Read(ctx, tx, name, text.String(), targets, row)
}

// days cuts the period at midnight UTC. A day that is mostly in the period may be taken whole; its
// rest outside the period is then a stretch with the sign "-".
func (t *summaryText) days(whole bool) []stretch {
	var all []stretch
	days, none, edges := t.period().Pieces()
	if !none {
		all = append(all, stretch{summaryText: t, Period: days, Counted: true})
	}
	for _, edge := range edges {
		if rest, smaller := edge.Outside(); whole && smaller {
			all = append(all, stretch{summaryText: t, Period: rest, Sign: "-"})
		} else {
			all = append(all, stretch{summaryText: t, Period: edge})
		}
	}
	return all
}

// divided cuts a period into whole spans of the last length, and these into longer ones; what the
// longer ones lack or have too much is in the shorter ones, and what these lack or have too much is
// read from attempts.
func (t *summaryText) divided(p projection.Period, spans []time.Duration) []stretch {
	last := len(spans) - 1
	whole, none, plus, minus := p.Rounded(spans[last])
	var all []stretch
	for _, p := range plus {
		all = append(all, stretch{summaryText: t, Period: p})
	}
	for _, p := range minus {
		all = append(all, stretch{summaryText: t, Period: p, Sign: "-"})
	}
	switch {
	case none:
	case last == 0:
		all = append(all, stretch{summaryText: t, Period: whole, Counted: true, Span: spans[0]})
	default:
		for _, s := range t.divided(whole, spans[:last]) {
			if !s.Counted {
				s.Counted, s.Span = true, spans[last]
			}
			all = append(all, s)
		}
	}
	return all
}

// OfDay is the whole UTC day that a stretch is in.
func (s stretch) OfDay() stretch {
	return stretch{summaryText: s.summaryText, Period: s.Day(), Counted: true}
}

// In continues a condition with one on the time.
func (s stretch) In(column string) string { return s.During(column, s.Period) }

// Hours and Days are the span that rows are counted by; 0 days means all times.
func (s stretch) Hours() string { return s.Arg(int(s.Span / time.Hour)) }

// Days is the same in days.
func (s stretch) Days() string { return s.Arg(int(s.Span / projection.Day)) }

// AtAllTimes says that there is no period.
func (s stretch) AtAllTimes() bool { return s.From == nil && s.To == nil }

// Rows is a table r of starts or submissions, looked up version by version: the index by version
// and time serves that, and further conditions are checked only afterwards. at is the time that the
// period bounds.
func (s stretch) Rows(table, at string) string {
	return fmt.Sprintf(`unnest(%s) v (version), lateral (select * from %s r
		where %s and r.evaluation_version_id = v.version%s offset 0) r`, s.Versions(), table, s.OfRows(), s.In("r."+at))
}

// OfTakers is the condition on report_evaluation_takers d in the days of a stretch.
func (s stretch) OfTakers() string {
	where := s.of("d") + " and d.evaluation_id = " + s.Arg(s.evaluation)
	if !s.allVersions {
		where += " and d.evaluation_version_id = " + s.Arg(s.versions[0])
	}
	return where + s.Narrowed("d") + s.In("d.day")
}

// of is the condition on tenant and org units in table t.
func (t *summaryText) of(table string) string {
	return table + ".tenant_id = " + t.Arg(t.tenant) + " and " + t.Among(table+".org_unit_id", t.orgs)
}

// OfCut is the condition on tables by cut, table d. It also states the run and the group that a cut
// does not have: the columns after them in the key are in order then.
func (t *summaryText) OfCut() string {
	cut := t.cut()
	where := t.of("d") + " and " + t.Among("d.evaluation_version_id", t.versions) + " and d.cut = " + t.Arg(cut) + t.Narrowed("d")
	if cut == "all" || cut == "group" {
		where += " and d.run_label = ''"
	}
	if cut == "all" || cut == "run" {
		where += " and d.group_id = " + t.Arg(ids.None)
	}
	return where
}

// OfDays is the condition on report_question_day d, without the condition on its days.
func (t *summaryText) OfDays() string {
	return t.of("d") + " and " + t.Among("d.evaluation_version_id", t.versions)
}

// OfRows is the condition on starts and submissions, table r, without version and period.
func (t *summaryText) OfRows() string { return t.of("r") + t.Narrowed("r") }

// OfAssignments is the condition on report_access_points a.
func (t *summaryText) OfAssignments() string {
	return t.of("a") + " and a.evaluation_id = " + t.Arg(t.evaluation) + " and a.cut = " + t.Cut() + t.Narrowed("a")
}

// OfPeople is the condition on report_evaluation_people d, without the condition on its days.
func (t *summaryText) OfPeople() string {
	subject := t.versions[0]
	if t.allVersions {
		subject = t.evaluation
	}
	return t.of("d") + " and d.subject_id = " + t.Arg(subject) + " and d.cut = " + t.Cut() + t.Narrowed("d")
}

// Narrowed continues a condition with one on runs and groups in a table, if there is one.
func (t *summaryText) Narrowed(table string) string {
	where := ""
	if t.runs != nil {
		where += " and " + t.Among(table+".run_label", t.runs)
	}
	if t.groups != nil {
		where += " and " + t.Among(table+".group_id", t.groups)
	}
	return where
}

// OfOneKey drops the runs or groups of a list, for a statement that names its own one.
func (t *summaryText) OfOneKey() *summaryText {
	one := *t
	switch t.by {
	case byRun:
		one.runs = nil
	case byGroup:
		one.groups = nil
	}
	return &one
}

// Key is the key of a row of a table. It is compared without a cast, since behind a policy a
// condition with a cast cannot use an index; code that reads it takes it as text.
func (t *summaryText) Key(table string) string {
	switch t.by {
	case byRun:
		return table + ".run_label"
	case byGroup:
		return table + ".group_id"
	}
	return "''::text"
}

// Same continues a condition with one that a row of a table has the key, where keys are kept apart.
func (t *summaryText) Same(table, key string) string {
	if t.by == bySingle {
		return ""
	}
	return " and " + t.Key(table) + " = " + key
}

// Cut, Tenant, Versions, Limit and Offset are parameters.
func (t *summaryText) Cut() string      { return t.Arg(t.cut()) }
func (t *summaryText) Tenant() string   { return t.Arg(t.tenant) }
func (t *summaryText) Versions() string { return t.Arg(t.versions) + "::uuid[]" }
func (t *summaryText) Limit() string    { return t.Arg(t.page.Limit) }
func (t *summaryText) Offset() string   { return t.Arg(t.page.Offset()) }
