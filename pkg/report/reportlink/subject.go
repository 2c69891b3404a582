package reportlink

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/reporting"
)

// The reports that a link can lead to. None of them names a person.
const (
	Summary  = "evaluation_summary"
	Groups   = "groups"
	Cohorts  = "cohorts"
	Health   = "question_health"
	Question = "question"
)

// Reports are the values of report.
var Reports = []string{Summary, Groups, Cohorts, Health, Question}

// Subject is a report with its filters, as the report itself takes them. Filters that a report does
// not have are left out.
type Subject struct {
	Report              string     `json:"report" enum:"evaluation_summary,groups,cohorts,question_health,question"`
	EvaluationVersionID *ids.ID    `json:"evaluationVersionId,omitempty" doc:"Of a summary, and of the lists of groups and cohorts, always"`
	QuestionVersionID   *ids.ID    `json:"questionVersionId,omitempty" doc:"Of a question"`
	RunLabel            *string    `json:"run_label,omitempty" maxLength:"200" doc:"Only what belongs to this run; empty: only what belongs to none"`
	GroupID             *ids.ID    `json:"groupId,omitempty"`
	Tags                []string   `json:"tags,omitempty" nullable:"false" maxItems:"50" maxLength:"200" doc:"Snapshot tags facet:term, joined by and"`
	From                *time.Time `json:"from,omitempty"`
	To                  *time.Time `json:"to,omitempty"`
	AllVersions         bool       `json:"allVersions,omitempty"`
	Sort                string     `json:"sort,omitempty" enum:"needs_attention_first,highest_omit,most_drift,most_exposed"`
}

// Report is what a link shows: the report that it is bound to, and no other.
type Report struct {
	Subject  Subject                         `json:"subject"`
	Summary  *reporting.EvaluationSummary    `json:"summary,omitempty"`
	Groups   *reporting.GroupSummaries       `json:"groups,omitempty" doc:"The first 200"`
	Cohorts  *reporting.CohortSummaries      `json:"cohorts,omitempty" doc:"The first 200"`
	Health   *reporting.HealthList           `json:"health,omitempty" doc:"The first 200"`
	Question *reporting.QuestionHealthDetail `json:"question,omitempty"`
	// SharedBy is the name of the person who made the link; empty if they have no name any more.
	SharedBy string `json:"-"`
}

// check lists what a report needs and does not get, and the filters that it does not have.
func (s Subject) check() error {
	var bad errs.Found
	bad.Add(errs.OneOf("report", s.Report, Reports)...)
	summary := s.Report == Summary || s.Report == Groups || s.Report == Cohorts
	for _, f := range []struct {
		path             string
		given, fits, has bool
	}{
		{"evaluationVersionId", s.EvaluationVersionID != nil, true, !summary},
		{"questionVersionId", s.QuestionVersionID != nil, s.Report == Question, s.Report != Question},
		{"groupId", s.GroupID != nil, summary, true},
		{"allVersions", s.AllVersions, summary, true},
		{"tags", len(s.Tags) > 0, !summary, true},
		{"sort", s.Sort != "", s.Report == Health, true},
	} {
		switch {
		case f.given && !f.fits:
			bad.Add(errs.Field{Path: f.path, Code: "not_allowed", Message: "this report has no such filter"})
		case !f.given && !f.has:
			bad.Add(errs.Field{Path: f.path, Code: "required", Message: "is required"})
		}
	}
	return bad.Err()
}

// Look reads the report that a link with this subject would show. Capability: reporting.view. Errors: validation_failed, not_found.
func Look(ctx context.Context, tx *db.Tx, s Subject) (Report, error) {
	err := tx.Require(capability.ReportingView)
	if err != nil {
		return Report{}, err
	}
	return s.read(ctx, tx)
}

// orgUnit is the org unit that the report belongs to. A caller who reads all org units may have one of their own or none.
func (s Subject) orgUnit(ctx context.Context, tx *db.Tx) (ids.ID, error) {
	own := tx.Scope().OrgUnit
	if tx.Scope().All && s.EvaluationVersionID != nil {
		err := tx.QueryRow(ctx, "select org_unit_id from snapshot_titles where tenant_id = $1 and evaluation_version_id = $2",
			tx.Tenant(), *s.EvaluationVersionID).Scan(&own)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return ids.None, fmt.Errorf("find org unit: %w", err)
		}
	}
	if own == ids.None {
		return ids.None, errs.Invalid(errs.Field{Path: "orgUnit", Code: "required", Message: "a link shows the report of one org unit: choose one"})
	}
	return own, nil
}

// read reads the report with the rights of the transaction.
func (s Subject) read(ctx context.Context, tx *db.Tx) (Report, error) {
	err := s.check()
	if err != nil {
		return Report{}, err
	}
	r := Report{Subject: s}
	first := db.Page{Page: 1, Limit: db.MaxLimit}
	switch s.Report {
	case Summary:
		in := s.summary()
		in.Include = []string{reporting.IncludeTags, reporting.IncludeSections}
		var found reporting.EvaluationSummary
		found, err = reporting.Summary(ctx, tx, in)
		r.Summary = &found
	case Groups:
		var found reporting.GroupSummaries
		found, err = reporting.SummaryGroups(ctx, tx, reporting.SummaryListInput{SummaryInput: s.summary(), Page: first})
		r.Groups = &found
	case Cohorts:
		var found reporting.CohortSummaries
		found, err = reporting.SummaryCohorts(ctx, tx, reporting.SummaryListInput{SummaryInput: s.summary(), Page: first})
		r.Cohorts = &found
	case Health:
		f := s.Filter()
		f.Page = first
		var found reporting.HealthList
		found, err = reporting.ListHealth(ctx, tx, f)
		r.Health = &found
	default:
		var found reporting.QuestionHealthDetail
		found, err = reporting.QuestionHealth(ctx, tx, *s.QuestionVersionID, s.Filter())
		r.Question = &found
	}
	if err != nil {
		return Report{}, err
	}
	return r, nil
}

func (s Subject) summary() reporting.SummaryInput {
	return reporting.SummaryInput{EvaluationVersionID: *s.EvaluationVersionID, RunLabel: s.RunLabel, GroupID: s.GroupID, From: s.From, To: s.To, AllVersions: s.AllVersions}
}

// Filter is what the reports of questions take.
func (s Subject) Filter() reporting.HealthFilter {
	f := reporting.HealthFilter{Tags: s.Tags, From: s.From, To: s.To, RunLabel: s.RunLabel, Sort: s.Sort}
	if s.EvaluationVersionID != nil {
		f.EvaluationVersionID = *s.EvaluationVersionID
	}
	return f
}
