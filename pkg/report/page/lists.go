package page

import (
	"fmt"
	"net/url"

	"assess/pkg/report/reporting"
	"assess/pkg/report/reporting/attempt"
)

// Groups draws the summaries of the groups that an evaluation is assigned to.
func Groups(r reporting.GroupSummaries) Page {
	var rows []row
	for _, g := range r.Items {
		one := row{name: Cell{Text: g.GroupID.String(), Code: true, Label: true}, SummaryRow: g.SummaryRow}
		if g.Label != nil {
			one.name = Cell{Text: *g.Label, ID: g.GroupID.String(), Label: true}
		}
		one.name.At = summaryAt("", r.Scope.EvaluationVersionID.String()) + "&groupId=" + g.GroupID.String()
		one.name.Carry = append([]string{"run_label"}, samePeriod...)
		rows = append(rows, one)
	}
	p := rowsPage("Groups", "groups", "Group", "No group is assigned.", r.Scope, rows, int64(r.Total), asOf(r.AsOf, r.ProjectionLagMs))
	p.Paging = Paging{r.Page, r.Limit, r.Total}
	return p
}

// Cohorts draws the summaries of the runs of an evaluation.
func Cohorts(r reporting.CohortSummaries) Page {
	var rows []row
	for _, c := range r.Items {
		one := row{name: label(c.Label), SummaryRow: c.SummaryRow}
		run := ""
		if c.RunLabel != nil {
			run = *c.RunLabel
		}
		one.name.At = summaryAt("", r.Scope.EvaluationVersionID.String()) + "&run_label=" + url.QueryEscape(run)
		one.name.Carry = append([]string{"groupId"}, samePeriod...)
		rows = append(rows, one)
	}
	p := rowsPage("Cohorts", "cohorts", "Run", "There are no attempts.", r.Scope, rows, int64(r.Total), asOf(r.AsOf, r.ProjectionLagMs))
	p.Paging = Paging{r.Page, r.Limit, r.Total}
	return p
}

// row is a row of either list.
type row struct {
	name Cell
	reporting.SummaryRow
}

func rowsPage(kind, report, what, empty string, scope reporting.SummaryScope, rows []row, total int64, fresh string) Page {
	p := Page{Kind: kind + " of an evaluation", Name: titleOf(scope), AsOf: fresh, Lines: scopeLines(scope), Details: scopeIDs(scope)}
	p.Crumbs = []Link{{Text: "Reports", At: reportsAt}, {Text: titleOf(scope), At: summaryAt("", scope.EvaluationVersionID.String())}}
	version := scope.EvaluationVersionID.String()
	p.Links = []Link{{Text: "Export (CSV)", At: summaryAt("/"+report+"/export", version), Carry: sameAttempts},
		{Text: "Share", At: ofVersion(shareAt, version) + "&report=" + report, Carry: sameAttempts}}
	if total > int64(len(rows)) {
		p.Lines = append(p.Lines, fmt.Sprintf("%d of %d.", len(rows), total))
	}
	t := &Table{Header: head(what, "Pass rate", "Mean score", ">Started", ">Completed", ">People", "Attention"), Empty: empty}
	for _, r := range rows {
		attention := toned(r.Attention.Level, levelTone(r.Attention.Level))
		for _, reason := range r.Attention.Reasons {
			attention.Note += reason.Sentence + " "
		}
		passed := bar(r.Hero.PassRate, Plain)
		passed.Note = fmt.Sprintf("%d of %d graded", r.Outcomes.PassN, r.Outcomes.GradedN)
		t.Rows = append(t.Rows, []Cell{r.name, passed, bar(r.Hero.MeanScorePct, Plain), figure(whole(r.Attempts.Started)),
			figure(whole(r.Attempts.Completed)), figure(whole(r.Attempts.UniqueUsers)), attention})
	}
	p.Parts = []Part{{Heading: kind, Note: "Pass rate and mean score are over graded attempts; where none is graded yet, the mean score is over scored ones. Attention is a heuristic about rates of at least 10 attempts.", Table: t}}
	for _, r := range rows {
		p.Parts = append(p.Parts, blocks(r, scope.PassMarkPercent)...)
	}
	return p
}

// blocks draws the blocks that a row includes; the heading of the first part says whose they are.
func blocks(r row, passMark *float64) []Part {
	var all []Part
	if r.Scores != nil {
		all = append(all, scores("Scores of graded attempts", "Of graded attempts", r.Scores.Histogram, r.Scores.HistogramSpec, r.Scores.NothingToEarnN, passMark))
	}
	if r.Timing != nil {
		all = append(all, Part{Heading: "Time", Note: "From start to completion, of attempts with a known time.", Table: &Table{Header: head(">Median", ">Mean", ">Attempts"),
			Rows: [][]Cell{{figure(duration(r.Timing.MedianDurationMs)), figure(duration(r.Timing.AvgDurationMs)), figure(whole(r.Timing.TimeKnownAttemptsN))}}}})
	}
	if r.Distribution != nil {
		all = append(all, assignments(*r.Distribution), methods(r.CompletionMethods))
	}
	all = append(all, items(r.Tags, r.Sections)...)
	for i := range all {
		all[i].Heading = r.name.Text + ": " + all[i].Heading
	}
	return all
}

// items draws what we know about the tags and sections in the report.
func items(tags []reporting.TagSummary, sections []reporting.SectionSummary) []Part {
	var all []Part
	at := map[string]int{}
	for _, tag := range tags {
		i, begun := at[tag.FacetLabel]
		if !begun {
			i, at[tag.FacetLabel] = len(all), len(all)
			all = append(all, Part{Heading: "Tags: " + tag.FacetLabel, Note: partsNote, Table: &Table{Header: append(head("Tag"), figureHeads...)}})
		}
		all[i].Table.Rows = append(all[i].Table.Rows, append([]Cell{label(tag.Label)}, figureCells(figuresOf(tag.ItemSummary))...))
	}
	if sections != nil {
		t := &Table{Header: append(head("Section"), figureHeads...), Empty: "There are no items."}
		for _, s := range sections {
			t.Rows = append(t.Rows, append([]Cell{label(s.Title)}, figureCells(figuresOf(s.ItemSummary))...))
		}
		all = append(all, Part{Heading: "Sections", Note: partsNote, Table: t})
	}
	return all
}

func assignments(d reporting.Distribution) Part {
	t := &Table{Header: head("Assigned to", "Of all assignments", ">Assignments"), Empty: "Nobody is assigned."}
	for _, one := range d.Targets {
		if one.N == 0 {
			continue
		}
		t.Rows = append(t.Rows, []Cell{label(targetNames[one.TargetType]), bar(one.Pct, Plain), figure(whole(one.N))})
	}
	return Part{Heading: "Assignments", Table: t}
}

// figuresOf puts the items of many attempts into the columns for the items of one attempt.
func figuresOf(i reporting.ItemSummary) attempt.Figures {
	return attempt.Figures{Items: int(i.ItemAttempts), FacilityPct: i.FacilityPct, AvgScorePct: i.AvgScorePct, OmittedRate: i.OmittedRate, AvgTimeMs: i.AvgTimeMs}
}
