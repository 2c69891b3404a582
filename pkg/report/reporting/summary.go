package reporting

import (
	"context"
	"fmt"
	"time"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// SummaryInput chooses what to sum up. From (included) and To (excluded) bound when an
// attempt was completed, or begun as long as it is not; nil means no bound. AllVersions sums
// up every version of the evaluation that the version belongs to. Include names further blocks: of a
// single summary IncludeTags and IncludeSections, of the rows of a list all of them.
type SummaryInput struct {
	EvaluationVersionID ids.ID
	RunLabel            *string
	GroupID             *ids.ID
	From, To            *time.Time
	AllVersions         bool
	Include             []string
}

// EvaluationSummary sums up the attempts at an evaluation version (specification, section
// 4.1). docs/reporting.md defines every field.
type EvaluationSummary struct {
	Scope             SummaryScope       `json:"scope"`
	Hero              Hero               `json:"hero"`
	Population        Population         `json:"population"`
	Attempts          Attempts           `json:"attempts"`
	Distribution      Distribution       `json:"distribution"`
	Funnel            Funnel             `json:"funnel"`
	Outcomes          Outcomes           `json:"outcomes"`
	Scores            Scores             `json:"scores"`
	ScoresProvisional ScoresProvisional  `json:"scoresProvisional"`
	Timing            Durations          `json:"timing"`
	Integrity         Integrity          `json:"integrity"`
	Activity          Activity           `json:"activity"`
	Attention         Attention          `json:"attention"`
	CompletionMethods []CompletionMethod `json:"completionMethods" nullable:"false" doc:"Every method, used or not"`
	Tags              []TagSummary       `json:"tags,omitzero" nullable:"false" doc:"With include=tags"`
	Sections          []SectionSummary   `json:"sections,omitzero" nullable:"false" doc:"With include=sections"`
	ActionsAllowed    ActionsAllowed     `json:"actionsAllowed"`
	Links             Links              `json:"links"`
	projection.Freshness
}

// SummaryScope echoes the request.
type SummaryScope struct {
	EvaluationID        ids.ID         `json:"evaluationId"`
	EvaluationVersionID ids.ID         `json:"evaluationVersionId"`
	Title               *string        `json:"title" doc:"Of the version; null where it is not known that it was published" example:"Geography, final"`
	VersionNumber       *int           `json:"versionNumber" doc:"Null with title"`
	PassMarkPercent     *float64       `json:"passMarkPercent" doc:"Of the version; null where it has none, and of all versions together"`
	Scope               string         `json:"scope" enum:"version,allVersions"`
	RunLabel            *string        `json:"run_label"`
	GroupID             *ids.ID        `json:"groupId"`
	GroupName           *string        `json:"groupName" doc:"Of the group that was asked for, while it is there; null without one"`
	From                *time.Time     `json:"from"`
	To                  *time.Time     `json:"to"`
	FiltersApplied      FiltersApplied `json:"filtersApplied"`
}

// FiltersApplied holds the filters that narrowed the figures, and no others.
type FiltersApplied struct {
	RunLabel *string    `json:"run_label,omitempty"`
	GroupID  *ids.ID    `json:"groupId,omitempty"`
	From     *time.Time `json:"from,omitempty"`
	To       *time.Time `json:"to,omitempty"`
	Scope    string     `json:"scope,omitempty" enum:"allVersions" doc:"allVersions widens the figures"`
}

// names gives the names of the filters. They tell an empty run label, which chooses the attempts
// without a run, from no filter.
func (f FiltersApplied) names() []string {
	var all []string
	for _, one := range []struct {
		name    string
		applied bool
	}{{"run_label", f.RunLabel != nil}, {"groupId", f.GroupID != nil}, {"from", f.From != nil}, {"to", f.To != nil}, {"scope", f.Scope != ""}} {
		if one.applied {
			all = append(all, one.name)
		}
	}
	return all
}

// The scopes of a summary.
const (
	OneVersion  = "version"
	AllVersions = "allVersions"
)

func (in SummaryInput) scope(q summaryQuery) SummaryScope {
	s := SummaryScope{EvaluationID: q.evaluation, EvaluationVersionID: in.EvaluationVersionID, Title: q.title, VersionNumber: q.number, Scope: OneVersion,
		RunLabel: in.RunLabel, GroupID: in.GroupID, GroupName: q.groupName, From: in.From, To: in.To,
		PassMarkPercent: q.passMark, FiltersApplied: FiltersApplied{RunLabel: in.RunLabel, GroupID: in.GroupID, From: in.From, To: in.To}}
	if in.AllVersions {
		s.PassMarkPercent = nil
		s.Scope, s.FiltersApplied.Scope = AllVersions, AllVersions
	}
	return s
}

// Summary needs reporting.view. A version that exists and that nobody has started gives
// zero figures; one that is not in the scope gives not_found.
func Summary(ctx context.Context, tx *db.Tx, in SummaryInput) (EvaluationSummary, error) {
	err := errs.Invalid(includeProblems(in.Include, []string{IncludeTags, IncludeSections})...)
	if err != nil {
		return EvaluationSummary{}, err
	}
	q, err := in.query(ctx, tx)
	if err != nil {
		return EvaluationSummary{}, err
	}
	all, err := q.count(ctx, tx, everyPart|partsOf(in.Include))
	if err != nil {
		return EvaluationSummary{}, err
	}
	fresh, err := projection.Fresh(ctx, tx)
	if err != nil {
		return EvaluationSummary{}, err
	}
	c := all.at("")
	row := c.row(in.Include)
	return EvaluationSummary{
		Scope: in.scope(q), Hero: c.hero(), Population: c.population(), Attempts: c.attempts(),
		Distribution: c.distribution(), Funnel: c.funnel(), Outcomes: c.outcomes(), Scores: c.scores(),
		ScoresProvisional: c.scoresProvisional(), Timing: c.timing(), Integrity: c.integrity(), Activity: c.activity(),
		Attention: c.attention(), CompletionMethods: c.completionMethods(), Tags: row.Tags, Sections: row.Sections, ActionsAllowed: c.actionsAllowed(),
		Links: in.links(q), Freshness: fresh,
	}, nil
}

// query checks the input and finds the evaluation, versions and org units that it is about.
func (in SummaryInput) query(ctx context.Context, tx *db.Tx) (summaryQuery, error) {
	err := tx.Require(capability.ReportingView)
	if err != nil {
		return summaryQuery{}, err
	}
	err = in.Check()
	if err != nil {
		return summaryQuery{}, err
	}
	q := summaryQuery{asked: in.EvaluationVersionID, versions: []ids.ID{in.EvaluationVersionID}, allVersions: in.AllVersions, from: in.From, to: in.To}
	if in.RunLabel != nil {
		q.runs = []string{*in.RunLabel}
	}
	if in.GroupID != nil {
		q.groups = []ids.ID{*in.GroupID}
		q.groupName, err = GroupName(ctx, tx, *in.GroupID)
		if err != nil {
			return summaryQuery{}, err
		}
	}
	q.orgs, err = projection.OrgUnits(ctx, tx)
	if err != nil {
		return summaryQuery{}, err
	}
	err = q.findEvaluation(ctx, tx)
	if err != nil {
		return summaryQuery{}, err
	}
	return q, q.settle(ctx, tx)
}

// Check names everything that is wrong with the input. Errors: validation_failed.
func (in SummaryInput) Check() error { return errs.Invalid(periodProblems(in.From, in.To)...) }

func periodProblems(from, to *time.Time) []errs.Field {
	if from != nil && to != nil && !from.Before(*to) {
		return []errs.Field{{Path: "to", Code: "out_of_range", Message: "to must be after from"}}
	}
	return nil
}

// findEvaluation looks in the reporting tables first: they outlive the evaluations.
func (q *summaryQuery) findEvaluation(ctx context.Context, tx *db.Tx) error {
	var evaluation *ids.ID
	err := tx.QueryRow(ctx, `
		select coalesce(t.evaluation_id,
			(select evaluation_id from report_evaluation_rollup
				where tenant_id = $1 and org_unit_id = any($3) and evaluation_version_id = $2 and cut = 'all' limit 1),
			(select evaluation_id from evaluation_versions where tenant_id = $1 and id = $2)), t.title, t.number,
			(select (settings ->> 'pass_mark_percent')::float8 from evaluation_versions where tenant_id = $1 and id = $2)
		from (select) one left join snapshot_titles t on t.tenant_id = $1 and t.evaluation_version_id = $2 and t.org_unit_id = any($3)`,
		tx.Tenant(), q.asked, q.orgs).Scan(&evaluation, &q.title, &q.number, &q.passMark)
	if err != nil {
		return fmt.Errorf("find evaluation version: %w", err)
	}
	if evaluation == nil {
		return errs.New(errs.NotFound, "There is no such evaluation version in your scope.")
	}
	q.evaluation = *evaluation
	return nil
}
