package reporting

import (
	"context"
	"fmt"
	"io"
	"strings"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/sheet"
	"assess/pkg/report/projection"
)

// subject is what a line of an export is about, and how fresh its figures are.
type subject struct {
	SummaryScope
	projection.Freshness
}

// column is a cell of an export: its name and what it holds of one row.
type column struct {
	name string
	of   func(subject, *counts) string
}

// SummaryColumns are the columns of an export of a single summary; exports of groups and cohorts
// have the columns GroupColumns and CohortColumns in front.
func SummaryColumns() []string { return columnNames(scopeColumns, figureColumns) }

// GroupColumns are the columns of an export of groups.
func GroupColumns() []string { return append([]string{"groupLabel"}, SummaryColumns()...) }

// CohortColumns are the columns of an export of cohorts.
func CohortColumns() []string { return append([]string{"run_label_shown"}, SummaryColumns()...) }

func columnNames(parts ...[]column) []string {
	var all []string
	for _, part := range parts {
		for _, c := range part {
			all = append(all, c.name)
		}
	}
	return all
}

var scopeColumns = []column{
	{"evaluationId", func(s subject, _ *counts) string { return s.EvaluationID.String() }},
	{"evaluationVersionId", func(s subject, _ *counts) string { return s.EvaluationVersionID.String() }},
	{"title", func(s subject, _ *counts) string { return OrEmpty(s.Title) }},
	{"versionNumber", func(s subject, _ *counts) string { return numberOrEmpty(s.VersionNumber) }},
	{"scope", func(s subject, _ *counts) string { return s.Scope }},
	{"run_label", func(s subject, _ *counts) string { return OrEmpty(s.RunLabel) }},
	{"groupId", func(s subject, _ *counts) string {
		if s.GroupID == nil {
			return ""
		}
		return s.GroupID.String()
	}},
	{"from", func(s subject, _ *counts) string { return Instant(s.From) }},
	{"to", func(s subject, _ *counts) string { return Instant(s.To) }},
	{"filtersApplied", func(s subject, _ *counts) string { return strings.Join(s.FiltersApplied.names(), ";") }},
	{"asOf", func(s subject, _ *counts) string { return Instant(&s.AsOf) }},
	{"projectionLagMs", func(s subject, _ *counts) string { return Count(s.ProjectionLagMs) }},
}

var figureColumns = append(append([]column{
	whole("assignments_n", func(c *counts) int64 { return c.accessPoints().AssignmentsN }),
	whole("assigned_individuals_n", func(c *counts) int64 { return c.accessPoints().AssignedIndividualsN }),
	whole("assigned_groups_n", func(c *counts) int64 { return c.accessPoints().AssignedGroupsN }),
	whole("public_links_n", func(c *counts) int64 { return c.accessPoints().PublicLinksN }),
	whole("unique_invitees_n", func(c *counts) int64 { return c.invitees }),
	words("coverage", func(c *counts) string { return c.accessPoints().Coverage() }),
	whole("started", (*counts).started),
	whole("inProgress", func(c *counts) int64 { return c.n["in_progress_n"] }),
	whole("completions_n", (*counts).completed),
	whole("expired", func(c *counts) int64 { return c.n["expired_n"] }),
	whole("closed", func(c *counts) int64 { return c.n["closed_n"] }),
	whole("abandoned", func(c *counts) int64 { return c.n["abandoned_n"] }),
	whole("voided", func(c *counts) int64 { return c.n["voided_n"] }),
	whole("scored", (*counts).scored),
	whole("uniqueUsers", func(c *counts) int64 { return c.users }),
	fraction("completionRateOfInvitees", func(c *counts) *float64 { return c.hero().CompletionRate }),
	fraction("completionRateOfStarted", func(c *counts) *float64 { return c.funnel().CompletionRate }),
	words("notStarted", func(c *counts) string { return Known(c.funnel().NotStarted) }),
	whole("pass_n", func(c *counts) int64 { return c.n["pass_n"] }),
	whole("fail_n", func(c *counts) int64 { return c.n["fail_n"] }),
	whole("graded_n", (*counts).graded),
	whole("ungraded_n", func(c *counts) int64 { return c.outcomes().UngradedN }),
	fraction("pass_rate", func(c *counts) *float64 { return c.outcomes().PassRate }),
	fraction("meanScorePct", func(c *counts) *float64 { return c.scores().MeanScorePct }),
	fraction("provisionalMeanScorePct", func(c *counts) *float64 { return c.scoresProvisional().MeanScorePct }),
	whole("nothingToEarnN", func(c *counts) int64 { return c.scores().NothingToEarnN }),
	whole("provisionalNothingToEarnN", func(c *counts) int64 { return c.scoresProvisional().NothingToEarnN }),
	whole("scoredButUngradedN", func(c *counts) int64 { return c.scoresProvisional().ScoredButUngradedN }),
	duration("avgDurationMs", func(c *counts) *int64 { return c.timing().AvgDurationMs }),
	duration("medianDurationMs", func(c *counts) *int64 { return c.timing().MedianDurationMs }),
	whole("timeKnownAttemptsN", func(c *counts) int64 { return c.timing().TimeKnownAttemptsN }),
	whole("telemetryKnownAttempts", func(c *counts) int64 { return c.integrity().TelemetryKnownAttempts }),
	whole("sessionsWithFocusLost", func(c *counts) int64 { return c.integrity().SessionsWithFocusLost }),
	whole("sessionsWithFullscreenExit", func(c *counts) int64 { return c.integrity().SessionsWithFullscreenExit }),
	whole("activeDays", func(c *counts) int64 { return c.activeDays }),
	words("firstDay", func(c *counts) string { return OrEmpty(dayText(c.firstDay)) }),
	words("lastDay", func(c *counts) string { return OrEmpty(dayText(c.lastDay)) }),
	words("attentionLevel", func(c *counts) string { return c.attention().Level }),
	words("attentionReasons", attentionCodes),
}, histogramColumns()...), methodColumns()...)

func attentionCodes(c *counts) string {
	var codes []string
	for _, r := range c.attention().Reasons {
		codes = append(codes, r.Code)
	}
	return strings.Join(codes, ";")
}

func histogramColumns() []column {
	var all []column
	for _, of := range []string{"graded", "scored"} {
		for i := range histogramSpec {
			all = append(all, whole(fmt.Sprintf("%s_%d_%d", of, i*10, (i+1)*10), func(c *counts) int64 { return c.n[fmt.Sprintf("%s_%d_n", of, i)] }))
		}
	}
	return all
}

func methodColumns() []column {
	var all []column
	for i, m := range (&counts{}).completionMethods() {
		all = append(all,
			whole(m.Method+"_n", func(c *counts) int64 { return c.completionMethods()[i].Attempts }),
			whole(m.Method+"_pass_n", func(c *counts) int64 { return c.completionMethods()[i].PassN }),
			whole(m.Method+"_fail_n", func(c *counts) int64 { return c.completionMethods()[i].FailN }))
	}
	return all
}

func whole(name string, of func(*counts) int64) column {
	return words(name, func(c *counts) string { return Count(of(c)) })
}

func duration(name string, of func(*counts) *int64) column {
	return words(name, func(c *counts) string { return Known(of(c)) })
}

func fraction(name string, of func(*counts) *float64) column {
	return words(name, func(c *counts) string { return Figure(of(c)) })
}

func words(name string, of func(*counts) string) column {
	return column{name, func(_ subject, c *counts) string { return of(c) }}
}

// line makes the cells of one row; front are the extra cells of a list.
func line(s subject, c *counts, front ...string) []string {
	cells := front
	for _, part := range [][]column{scopeColumns, figureColumns} {
		for _, one := range part {
			cells = append(cells, one.of(s, c))
		}
	}
	return cells
}

// ExportSummary writes the summary as one line of CSV under its header. It needs
// reporting.view. Errors: not_found, validation_failed.
func ExportSummary(ctx context.Context, tx *db.Tx, in SummaryInput, to io.Writer) error {
	q, err := in.query(ctx, tx)
	if err != nil {
		return err
	}
	all, err := q.count(ctx, tx, everyPart)
	if err != nil {
		return err
	}
	fresh, err := projection.Fresh(ctx, tx)
	if err != nil {
		return err
	}
	return writeLines(sheet.NewWriter(to), SummaryColumns(), line(subject{in.scope(q), fresh}, all.at("")))
}

// ExportGroups writes a line of CSV a group, page by page. It needs reporting.view. Errors:
// not_found, validation_failed.
func ExportGroups(ctx context.Context, tx *db.Tx, in SummaryInput, to io.Writer) error {
	return exportList(ctx, tx, in, byGroup, GroupColumns(), to, func(l listed) ([][]string, error) {
		labels, err := groupLabels(ctx, tx, l.query.groups)
		if err != nil {
			return nil, err
		}
		var lines [][]string
		for _, group := range l.query.groups {
			scope := in.scope(l.query)
			scope.GroupID = &group
			lines = append(lines, line(subject{scope, l.fresh}, l.all.at(group.String()), OrEmpty(labels[group])))
		}
		return lines, nil
	})
}

// ExportCohorts writes a line of CSV a run, page by page. It needs reporting.view. Errors:
// not_found, validation_failed.
func ExportCohorts(ctx context.Context, tx *db.Tx, in SummaryInput, to io.Writer) error {
	return exportList(ctx, tx, in, byRun, CohortColumns(), to, func(l listed) ([][]string, error) {
		var lines [][]string
		for _, run := range l.query.runs {
			scope, shown := in.scope(l.query), Unlabeled
			scope.RunLabel = nil
			if run != "" {
				scope.RunLabel, shown = &run, run
			}
			lines = append(lines, line(subject{scope, l.fresh}, l.all.at(run), shown))
		}
		return lines, nil
	})
}

func exportList(ctx context.Context, tx *db.Tx, in SummaryInput, by dimension, header []string, to io.Writer,
	lines func(listed) ([][]string, error)) error {
	w := sheet.NewWriter(to)
	list := SummaryListInput{SummaryInput: in, Page: db.Page{Limit: db.MaxLimit}}
	list.Include = []string{IncludeTiming}
	for page := 1; ; page++ {
		list.Page.Page = page
		l, err := list.list(ctx, tx, by)
		if err != nil {
			return err
		}
		found, err := lines(l)
		if err != nil {
			return err
		}
		if page == 1 {
			found = append([][]string{header}, found...)
		}
		err = writeLines(w, found...)
		if err != nil || page*db.MaxLimit >= l.total {
			return err
		}
	}
}

func writeLines(w *sheet.Writer, lines ...[]string) error {
	err := w.WriteAll(lines)
	if err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	return nil
}
