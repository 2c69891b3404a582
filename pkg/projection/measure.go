package projection

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/db"
	"assess/pkg/ids"
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
}

// Measured is what the flat rows say of one question version, all org units of the scope
// counted together: the rollup row that Filter's attempts alone would make, with its
// medians, and its labelled runs.
type Measured struct {
	Health models.QuestionHealth
	Runs   []models.QuestionRun
}

// Measure computes figures from the flat rows, with the definitions, rules and statements
// that make the rollups. The order is that of the question version ids.
func Measure(ctx context.Context, tx *db.Tx, f Filter) ([]Measured, error) {
	orgs, err := OrgUnits(ctx, tx)
	if err != nil {
		return nil, err
	}
	where, args := f.condition(tx, orgs)
	s := flatDays(where, args)
	all, err := tallies(ctx, tx, s)
	if err != nil {
		return nil, err
	}
	picked := "with picked as (" + fmt.Sprintf(timesPicked, oneUnit) + where + ")"
	medians, err := readMedians(ctx, tx, picked+mediansSQL, args...)
	if err != nil {
		return nil, err
	}
	runs, err := readRunMedians(ctx, tx, picked+runMediansSQL, args...)
	if err != nil {
		return nil, err
	}
	var measured []Measured
	for _, k := range all.keys() {
		m := Measured{Health: all[k].health(), Runs: all[k].byRun()}
		m.Health.TenantID, m.Health.QuestionVersionID = tx.Tenant(), k.Version
		medians[k].set(&m.Health)
		applyBadge(&m.Health, all[k].wrong)
		for i := range m.Runs {
			m.Runs[i].QuestionVersionID = k.Version
			m.Runs[i].MedianTimeMs = runs[runKey{k, m.Runs[i].RunLabel}]
		}
		measured = append(measured, m)
	}
	return measured, nil
}

// OrgUnits lists the org units that the scope covers, so that they become conditions of
// the indexes, which all have the org unit in the second place.
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

// oneUnit stands for all org units where they are counted together.
const oneUnit = `'00000000-0000-0000-0000-000000000000'::uuid`

// condition gives further conditions on flat rows f, and all arguments: $1 is the tenant,
// $2 the org units.
func (f Filter) condition(tx *db.Tx, orgs []ids.ID) (string, []any) {
	var where strings.Builder
	args := []any{tx.Tenant(), orgs}
	add := func(text string, value any) {
		args = append(args, value)
		fmt.Fprintf(&where, " and "+text, len(args))
	}
	where.WriteString(" and f.org_unit_id = any($2)")
	if f.Questions != nil {
		add("f.question_version_id = any($%d)", f.Questions)
	}
	if f.EvaluationVersionID != ids.None {
		add("f.evaluation_version_id = $%d", f.EvaluationVersionID)
	}
	if f.RunLabel != nil {
		add("f.run_label = $%d", *f.RunLabel)
	}
	if f.From != nil {
		add("f.completed_at >= $%d", *f.From)
	}
	if f.To != nil {
		add("f.completed_at < $%d", *f.To)
	}
	for _, tag := range f.Tags {
		add(`(f.org_unit_id, f.question_version_id, f.evaluation_version_id) in (
			select org_unit_id, question_version_id, evaluation_version_id from report_question_tags
			where tenant_id = $1 and org_unit_id = any($2) and tag = $%d)`, tag)
	}
	return where.String(), args
}

// flatDays makes the days of the attempts that the condition chooses.
func flatDays(where string, args []any) source {
	return source{
		day: `day as (select ` + oneUnit + ` as unit, f.evaluation_id, f.qtype, ` + dayKeys + `, ` + dayMeasures + `
			from report_item_attempts_flat f where f.tenant_id = $1` + where + ` group by 2, 3, 4, 5, 6, 7)`,
		choice: pickedChoices(where) + `,
			choice as (select ` + oneUnit + ` as unit, k.* from (` + choiceKinds("f.question_version_id, f.run_label") + `) k
				where kind = 'option')`,
		wrong: `wrong as (select ` + oneUnit + ` as unit, o.* from report_question_options o
			where o.tenant_id = $1 and o.org_unit_id = any($2) and not o.is_correct)`,
		args: args, wrongArgs: args[:2],
	}
}

// pickedChoices are the attempts at choice questions that the condition chooses.
func pickedChoices(where string) string {
	return `picked as (select coalesce(f.run_label, '') as run_label, ` + choiceColumns + `
		from report_item_attempts_flat f where f.qtype in ('mcq', 'mrq') and f.tenant_id = $1` + where + `)`
}
