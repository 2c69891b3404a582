package reporting

import (
	"context"
	"fmt"
	"strings"
	"time"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// EvaluationFilter chooses evaluation versions with attempts. Search is a part of the title; case
// does not matter.
type EvaluationFilter struct {
	Search string
	Page   db.Page
}

// ReportedEvaluation is an evaluation version with attempts, so with reports.
type ReportedEvaluation struct {
	EvaluationID        ids.ID  `json:"evaluationId"`
	EvaluationVersionID ids.ID  `json:"evaluationVersionId"`
	Title               *string `json:"title" doc:"Of this version; null where it is not known that it was published" example:"Geography, final"`
	VersionNumber       *int    `json:"versionNumber" doc:"Null with title"`
	Started             int64   `json:"started" doc:"Attempts"`
	Completed           int64   `json:"completed" doc:"Those that were handed in"`
	LastDay             *string `json:"lastDay" format:"date" doc:"UTC day of the newest attempt"`
}

// ReportedEvaluations is a page of evaluation versions.
type ReportedEvaluations struct {
	db.List[ReportedEvaluation]
	projection.Freshness
}

// The versions with attempts come in order out of an index, and their titles are looked up one by one:
// "offset 0" makes the planner do so. A search compares the titles of all versions of the scope.
const (
	reportedSQL = " from report_evaluation_rollup r"
	titledSQL   = `
		left join lateral (select title, number from snapshot_titles
			where tenant_id = $1 and evaluation_version_id = r.evaluation_version_id offset 0) t on true`
)

// ListEvaluations gives the evaluation versions with attempts, the newest version first. It needs
// reporting.view. Errors: validation_failed for a page out of range.
func ListEvaluations(ctx context.Context, tx *db.Tx, f EvaluationFilter) (ReportedEvaluations, error) {
	err := tx.Require(capability.ReportingView)
	if err != nil {
		return ReportedEvaluations{}, err
	}
	page, err := f.Page.Check()
	if err != nil {
		return ReportedEvaluations{}, err
	}
	orgs, err := projection.OrgUnits(ctx, tx)
	if err != nil {
		return ReportedEvaluations{}, err
	}
	v := projection.Values{Args: []any{tx.Tenant()}}
	counted, chosen := reportedSQL, " where r.tenant_id = $1 and r.cut = 'all' and "+v.Among("r.org_unit_id", orgs)
	if f.Search != "" {
		counted, chosen = counted+titledSQL, chosen+" and position("+v.Arg(strings.ToLower(f.Search))+"::text in lower(t.title)) > 0"
	}
	total := 0
	err = tx.QueryRow(ctx, "select count(*)"+counted+chosen, v.Args...).Scan(&total)
	if err != nil {
		return ReportedEvaluations{}, fmt.Errorf("count evaluations: %w", err)
	}
	items := []ReportedEvaluation{}
	var e ReportedEvaluation
	var day *time.Time
	err = v.Read(ctx, tx, "list evaluations", `
		select r.evaluation_id, r.evaluation_version_id, t.title, t.number, r.started_n, r.completed_n, (
			select max(d.day) from report_evaluation_day d where d.tenant_id = $1 and d.org_unit_id = r.org_unit_id
				and d.evaluation_version_id = r.evaluation_version_id and d.cut = 'all' and d.run_label = r.run_label and d.group_id = r.group_id)`+reportedSQL+titledSQL+chosen+" order by r.evaluation_version_id desc limit "+v.Arg(page.Limit)+" offset "+v.Arg(page.Offset()),
		[]any{&e.EvaluationID, &e.EvaluationVersionID, &e.Title, &e.VersionNumber, &e.Started, &e.Completed, &day}, func() {
			e.LastDay = dayText(day)
			items = append(items, e)
			e = ReportedEvaluation{}
			day = nil
		})
	if err != nil {
		return ReportedEvaluations{}, err
	}
	fresh, err := projection.Fresh(ctx, tx)
	return ReportedEvaluations{List: db.NewList(items, page, total), Freshness: fresh}, err
}
