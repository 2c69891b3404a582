package projection

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Filter chooses item attempts within the scope of the transaction. The zero value takes
// all of them.
type Filter struct {
	Questions           []ids.ID
	EvaluationVersionID ids.ID
	RunLabel            *string
	// From and To bound completed_at: from included, to excluded.
	From, To *time.Time
	// Tags are snapshot tags, "facet:term"; an attempt must carry every one of them.
	Tags []string
	// versions are the evaluation versions of the attempts, if they are known: the others can be
	// skipped at the edges of a period.
	versions []ids.ID
}

// Measured is what the flat rows say of one question version, all org units of the scope counted
// together: the rollup row that the attempts of Filter would make by themselves, with its medians,
// its labelled runs, and the key in force in its evaluation versions.
type Measured struct {
	Health models.QuestionHealth
	Runs   []models.QuestionRun
	Key    Key
}

// Measure computes figures from the day tables, with the definitions, rules and statements that
// make the rollups; what a period cuts off a day comes from the attempts themselves. The order is
// by question version id. Percentiles that the caller does not want are nil, unless they are stored.
func Measure(ctx context.Context, tx *db.Tx, f Filter, p Percentiles) ([]Measured, error) {
	orgs, err := OrgUnits(ctx, tx)
	if err != nil {
		return nil, err
	}
	all, err := totals(ctx, tx, f.attempts(tx, orgs))
	if err != nil {
		return nil, err
	}
	// The rest is read question by question, as its tables are ordered.
	f.Questions, f.versions = all.questions(), all.shownIn().distinct()
	err = readDetails(ctx, tx, f.attempts(tx, orgs), all)
	if err != nil {
		return nil, err
	}
	err = readFacts(ctx, tx, filteredFacts(tx, orgs, f.Questions, all.shownIn()), all)
	if err != nil {
		return nil, err
	}
	medians, runs, err := f.medians(ctx, tx, orgs, all, p)
	if err != nil {
		return nil, err
	}
	var measured []Measured
	for _, k := range all.keys() {
		m := Measured{Health: all[k].health(), Runs: all[k].byRun(), Key: all[k].key}
		m.Health.TenantID, m.Health.QuestionVersionID = tx.Tenant(), k.Version
		medians[k].set(&m.Health)
		applyBadge(&m.Health, all[k])
		for i := range m.Runs {
			m.Runs[i].QuestionVersionID = k.Version
			m.Runs[i].MedianTimeMs = runs[runKey{k, m.Runs[i].RunLabel}]
		}
		measured = append(measured, m)
	}
	return measured, nil
}

// OrgUnits lists the org units of the scope, so that they can be conditions of the indexes, which
// all have the org unit in the second place.
func OrgUnits(ctx context.Context, tx *db.Tx) ([]ids.ID, error) {
	if !tx.Scope().All {
		return []ids.ID{tx.Scope().OrgUnit}, nil
	}
	rows, err := tx.Query(ctx, "select id from org_units where tenant_id = $1", tx.Tenant())
	if err != nil {
		return nil, fmt.Errorf("list org units: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return nil, fmt.Errorf("list org units: %w", err)
	}
	return all, nil
}

// oneUnit is the value for all org units where they are counted together.
const oneUnit = `'00000000-0000-0000-0000-000000000000'::uuid`

// conditions are the texts of a filter; among their values $1 is the tenant and $2 the org units.
// None of them bounds the time.
type conditions struct {
	// cells is about the day tables f, attempts about flat rows f, submissions about
	// report_submissions r.
	cells, attempts, submissions string
	*Values
}

func (f Filter) conditions(tx *db.Tx, orgs []ids.ID) conditions {
	c := conditions{Values: &Values{Args: []any{tx.Tenant(), orgs}}}
	// focus_lost_n >= 0 holds for every row: it is the condition of the index of all evaluations by day.
	c.submissions = "r.tenant_id = $1 and r.org_unit_id = any($2) and r.focus_lost_n >= 0"
	c.cells = "f.tenant_id = $1 and f.org_unit_id = any($2)"
	if len(orgs) == 1 {
		// With one org unit the index of times is in order.
		c.cells = "f.tenant_id = $1 and f.org_unit_id = ($2::uuid[])[1]"
	}
	if f.Questions != nil {
		c.cells += " and f.question_version_id = any(" + c.Arg(f.Questions) + ")"
	}
	if f.EvaluationVersionID != ids.None {
		version := c.Arg(f.EvaluationVersionID)
		c.cells += " and f.evaluation_version_id = " + version
		c.submissions += " and r.evaluation_version_id = " + version
	}
	for _, tag := range f.Tags {
		tagged := " from report_question_tags where tenant_id = $1 and org_unit_id = any($2) and tag = " + c.Arg(tag) + ")"
		c.cells += " and (f.org_unit_id, f.question_version_id, f.evaluation_version_id) in (select org_unit_id, question_version_id, evaluation_version_id" + tagged
		c.submissions += " and r.evaluation_version_id in (select evaluation_version_id" + tagged
	}
	c.attempts = c.cells
	if f.RunLabel != nil {
		run := c.Arg(*f.RunLabel)
		c.cells += " and f.run_label = " + run
		c.attempts += " and coalesce(f.run_label, '') = " + run
		c.submissions += " and r.run_label = " + run
	}
	return c
}

// attempts are the attempts that the filter chooses.
func (f Filter) attempts(tx *db.Tx, orgs []ids.ID) attemptSet {
	c := f.conditions(tx, orgs)
	days, none, edges := Period{f.From, f.To}.Pieces()
	cells, submissions := "false", "false"
	if !none {
		cells = c.cells + c.During("f.day", days)
	}
	if f.versions != nil && len(edges) > 0 {
		c.submissions += " and r.evaluation_version_id = any(" + c.Arg(f.versions) + ")"
	}
	for _, edge := range edges {
		submissions += " or " + c.submissions + c.During("r.completed_at", edge)
	}
	return attemptSet{
		cells: statement("filtered_attempts", "from", c.Arg(f.From), "to", c.Arg(f.To), "cells of whole days", cells,
			"submissions at the edges", submissions, "item attempts", c.attempts),
		single: c.attempts + ` and f.completed_at >= coalesce((select since from bounds), '-infinity')
			and f.completed_at < coalesce((select till from bounds), 'infinity')`,
		Values: c.Values,
	}
}

// Read runs a statement over the attempts of the org units that the filter chooses, as Values.Read does.
// {{attempts}} in it is replaced by CTEs; one of them, day, has the columns of report_question_day, with
// the whole days and what a period cuts off others.
func (f Filter) Read(ctx context.Context, tx *db.Tx, orgs []ids.ID, what, sql string, targets []any, row func()) error {
	return f.attempts(tx, orgs).read(ctx, tx, what, sql, targets, row)
}
