package reporting

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// The blocks that a list gives on request.
const (
	IncludeScores        = "scores"
	IncludeTiming        = "timing"
	IncludeDistributions = "distributions"
	IncludeTags          = "tags"
	IncludeSections      = "sections"
)

// SummaryListInput chooses the attempts, the blocks and the page of a list.
type SummaryListInput struct {
	SummaryInput
	Page db.Page
}

// GroupSummaries is a page of the groups that the evaluation is assigned to. People who took it by
// such an assignment belong to the group, whether they are members today or not.
type GroupSummaries struct {
	Scope SummaryScope `json:"scope"`
	db.List[GroupSummary]
	projection.Freshness
}

// GroupSummary sums up the attempts of one group.
type GroupSummary struct {
	GroupID ids.ID  `json:"groupId"`
	Label   *string `json:"label" doc:"The group's name; null when the group is gone"`
	SummaryRow
}

// CohortSummaries is a page of the run labels of the evaluation, the attempts without one at
// the end.
type CohortSummaries struct {
	Scope SummaryScope `json:"scope"`
	db.List[CohortSummary]
	projection.Freshness
}

// CohortSummary sums up the attempts of one run.
type CohortSummary struct {
	RunLabel *string `json:"run_label"`
	Label    string  `json:"label" doc:"The run label, or Unlabeled"`
	SummaryRow
}

// Unlabeled is the label of attempts without a run label.
const Unlabeled = "Unlabeled"

// SummaryRow is what both lists say about a row. Blocks that are not included are left out.
type SummaryRow struct {
	Hero              Hero               `json:"hero"`
	Attempts          Attempts           `json:"attempts"`
	Outcomes          Outcomes           `json:"outcomes"`
	Attention         Attention          `json:"attention"`
	Scores            *Scores            `json:"scores,omitempty" doc:"With include=scores"`
	ScoresProvisional *ScoresProvisional `json:"scoresProvisional,omitempty" doc:"With include=scores"`
	Timing            *Durations         `json:"timing,omitempty" doc:"With include=timing"`
	Distribution      *Distribution      `json:"distribution,omitempty" doc:"With include=distributions"`
	CompletionMethods []CompletionMethod `json:"completionMethods,omitzero" nullable:"false" doc:"With include=distributions"`
	Tags              []TagSummary       `json:"tags,omitzero" nullable:"false" doc:"With include=tags"`
	Sections          []SectionSummary   `json:"sections,omitzero" nullable:"false" doc:"With include=sections"`
}

// includes are the blocks that a list gives on request: the word, what has to be read for it, and
// where it goes.
var includes = []struct {
	word string
	part part
	add  func(*SummaryRow, *counts)
}{
	{IncludeScores, 0, func(r *SummaryRow, c *counts) {
		r.Scores, r.ScoresProvisional = new(c.scores()), new(c.scoresProvisional())
	}},
	{IncludeTiming, theMedian, func(r *SummaryRow, c *counts) { r.Timing = new(c.timing()) }},
	{IncludeDistributions, 0, func(r *SummaryRow, c *counts) {
		r.Distribution, r.CompletionMethods = new(c.distribution()), c.completionMethods()
	}},
	{IncludeTags, theItems, func(r *SummaryRow, c *counts) { r.Tags = append([]TagSummary{}, c.tags...) }},
	{IncludeSections, theItems, func(r *SummaryRow, c *counts) { r.Sections = append([]SectionSummary{}, c.sections...) }},
}

func (c *counts) row(include []string) SummaryRow {
	r := SummaryRow{Hero: c.hero(), Attempts: c.attempts(), Outcomes: c.outcomes(), Attention: c.attention()}
	for _, i := range includes {
		if slices.Contains(include, i.word) {
			i.add(&r, c)
		}
	}
	return r
}

// SummaryGroups lists the groups that the evaluation is assigned to, in the order of their
// ids. It needs reporting.view. Errors: not_found, validation_failed.
func SummaryGroups(ctx context.Context, tx *db.Tx, in SummaryListInput) (GroupSummaries, error) {
	l, err := in.list(ctx, tx, byGroup)
	if err != nil {
		return GroupSummaries{}, err
	}
	labels, err := groupLabels(ctx, tx, l.query.groups)
	if err != nil {
		return GroupSummaries{}, err
	}
	items := []GroupSummary{}
	for _, group := range l.query.groups {
		items = append(items, GroupSummary{GroupID: group, Label: labels[group], SummaryRow: l.all.at(group.String()).row(in.Include)})
	}
	return GroupSummaries{Scope: in.scope(l.query), List: db.NewList(items, l.page, l.total), Freshness: l.fresh}, nil
}

// SummaryCohorts lists the runs of the evaluation, in the order of their labels. It needs
// reporting.view. Errors: not_found, validation_failed.
func SummaryCohorts(ctx context.Context, tx *db.Tx, in SummaryListInput) (CohortSummaries, error) {
	l, err := in.list(ctx, tx, byRun)
	if err != nil {
		return CohortSummaries{}, err
	}
	items := []CohortSummary{}
	for _, run := range l.query.runs {
		one := CohortSummary{Label: Unlabeled, SummaryRow: l.all.at(run).row(in.Include)}
		if run != "" {
			one.RunLabel, one.Label = &run, run
		}
		items = append(items, one)
	}
	return CohortSummaries{Scope: in.scope(l.query), List: db.NewList(items, l.page, l.total), Freshness: l.fresh}, nil
}

// listed is a page before its rows get names; the keys of its rows are in query.
type listed struct {
	query summaryQuery
	all   tallied
	page  db.Page
	total int
	fresh projection.Freshness
}

func (in SummaryListInput) list(ctx context.Context, tx *db.Tx, by dimension) (listed, error) {
	l := listed{all: tallied{}}
	var err error
	l.page, err = in.check()
	if err != nil {
		return listed{}, err
	}
	l.query, err = in.query(ctx, tx)
	if err != nil {
		return listed{}, err
	}
	l.query.by = by
	l.total, err = l.query.turnTo(ctx, tx, l.page)
	if err != nil {
		return listed{}, err
	}
	if len(l.query.groups)+len(l.query.runs) > 0 {
		l.all, err = l.query.count(ctx, tx, thePeople|theAssignments|partsOf(in.Include))
		if err != nil {
			return listed{}, err
		}
	}
	l.fresh, err = projection.Fresh(ctx, tx)
	return l, err
}

// partsOf gives the parts that have to be read for blocks.
func partsOf(include []string) part {
	parts := part(0)
	for _, i := range includes {
		if slices.Contains(include, i.word) {
			parts |= i.part
		}
	}
	return parts
}

func (in SummaryListInput) check() (db.Page, error) {
	bad := periodProblems(in.From, in.To)
	page, err := in.Page.Check()
	if err != nil {
		bad = append(bad, errs.Of(err).Fields...)
	}
	var words []string
	for _, i := range includes {
		words = append(words, i.word)
	}
	return page, errs.Invalid(append(bad, includeProblems(in.Include, words)...)...)
}

// includeProblems are the words that are not blocks.
func includeProblems(include, words []string) []errs.Field {
	var bad []errs.Field
	for i, word := range include {
		if !slices.Contains(words, word) {
			last := len(words) - 1
			bad = append(bad, errs.Field{Path: "include[" + strconv.Itoa(i) + "]", Code: "invalid_choice",
				Message: "expected " + strings.Join(words[:last], ", ") + " or " + words[last]})
		}
	}
	return bad
}

// turnTo finds the rows of a page and how many there are: groups and runs that attempts
// belong to, or that are assigned. A period narrows their figures and not the list.
func (q *summaryQuery) turnTo(ctx context.Context, tx *db.Tx, page db.Page) (int, error) {
	text := q.text(tx)
	text.page = page
	var found []string
	var total int
	err := text.read(ctx, tx, "keys.sql", []any{&total, &found}, func() {})
	if err != nil {
		return 0, err
	}
	if q.by == byRun {
		q.runs = found
		return total, nil
	}
	q.groups = []ids.ID{}
	for _, key := range found {
		group, err := ids.Parse("groupId", key)
		if err != nil {
			return 0, fmt.Errorf("list keys: %w", err)
		}
		q.groups = append(q.groups, group)
	}
	return total, nil
}

// GroupName is the name of a group; nil if it is not in the scope. The caller has checked who may see
// it.
func GroupName(ctx context.Context, tx *db.Tx, group ids.ID) (*string, error) {
	labels, err := groupLabels(ctx, tx, []ids.ID{group})
	return labels[group], err
}

// groupLabels joins the names of groups at read time: reporting tables hold none.
func groupLabels(ctx context.Context, tx *db.Tx, groups []ids.ID) (map[ids.ID]*string, error) {
	v := projection.Values{Args: []any{tx.Tenant(), groups}}
	labels := map[ids.ID]*string{}
	var id ids.ID
	var name string
	err := v.Read(ctx, tx, "name groups", "select id, name from groups where tenant_id = $1 and id = any($2)", []any{&id, &name},
		func() { labels[id] = new(name) })
	return labels, err
}
