package projection

import (
	"context"
	"fmt"
	"strings"

	"assess/pkg/kernel/db"
)

// Rows that count nothing go, so that the tables equal a rebuild from nothing. $2 and $3
// are the keys, org unit and version side by side. "offset 0" holds the planner to looking up
// one by one. A question has sections as long as it has days.
var (
	sweepQuestions = []statement{
		{"sweep question days", `
			delete from report_question_day d using unnest($2::uuid[], $3::uuid[]) k (org, version)
			where d.tenant_id = $1 and d.org_unit_id = any($2) and d.question_version_id = any($3)
				and d.org_unit_id = k.org and d.question_version_id = k.version and d.attempts_n = 0`},
		{"sweep sections", `
			delete from report_question_sections t using unnest($2::uuid[], $3::uuid[]) k (org, version)
			where t.tenant_id = $1 and t.org_unit_id = any($2) and t.question_version_id = any($3)
				and t.org_unit_id = k.org and t.question_version_id = k.version
				and not exists (select from report_question_day d where d.tenant_id = $1 and d.org_unit_id = k.org
					and d.question_version_id = k.version and d.evaluation_version_id = t.evaluation_version_id offset 0)`},
		{"sweep tags", `
			delete from report_question_tags t using unnest($2::uuid[], $3::uuid[]) k (org, version)
			where t.tenant_id = $1 and t.org_unit_id = any($2) and t.question_version_id = any($3)
				and t.org_unit_id = k.org and t.question_version_id = k.version
				and not exists (select from report_question_sections s where s.tenant_id = $1 and s.org_unit_id = k.org
					and s.question_version_id = k.version and s.evaluation_version_id = t.evaluation_version_id offset 0)`},
		{"sweep options", `
			delete from report_question_options o using unnest($2::uuid[], $3::uuid[]) k (org, version)
			where o.tenant_id = $1 and o.org_unit_id = any($2) and o.question_version_id = any($3)
				and o.org_unit_id = k.org and o.question_version_id = k.version
				and not exists (select from report_question_sections s where s.tenant_id = $1 and s.org_unit_id = k.org
					and s.question_version_id = k.version offset 0)`},
	}
	sweepEvaluations = []statement{
		{"sweep evaluations", `
			delete from report_evaluation_rollup d using unnest($2::uuid[], $3::uuid[]) k (org, version)
			where d.tenant_id = $1 and d.org_unit_id = any($2) and d.evaluation_version_id = any($3)
				and d.org_unit_id = k.org and d.evaluation_version_id = k.version and d.started_n = 0 and d.completed_n = 0`},
	}
)

// Some cells of a version or a question are too many to look for the empty ones among all of
// them. These go right after something was taken out of them, while the rows of the subjects
// in $2 still say which they are.
var (
	sweepItems = []statement{
		{"sweep choice days", emptied("report_question_choice_day", "n = 0", ofDay+", kind",
			ofItem+", k.kind", "report_item_attempts_flat r, (values ('option'), ('pattern'), ('credit'), ('error'), ('violation')) k (kind)", "submission_id")},
		{"sweep question times", emptied("report_question_times", "n = 0", ofDay+", step_ms",
			ofItem+", duration_step(r.time_on_item_ms, "+timeBits+")", "report_item_attempts_flat r", "submission_id")},
	}
	sweepCompletions = []statement{
		{"sweep days of completions", emptied("report_evaluation_day", "started_n = 0 and completed_n = 0", cutColumns+", day",
			ofCut+", (r.completed_at at time zone 'UTC')::date", "report_submissions r, "+cuts, "submission_id")},
		{"sweep durations", emptied("report_evaluation_durations", "n = 0", cutColumns+", step_ms",
			ofCut+", duration_step(r.duration_ms, "+DurationBits+")", "report_submissions r, "+cuts, "submission_id")},
		{"sweep bands of durations", emptied("report_evaluation_bands", "n = 0", cutColumns+", days, day, band_ms",
			ofCut+", t.days, t.day, duration_step(r.duration_ms, "+BandBits+")",
			"report_submissions r, "+cuts+", "+bandTimes("(r.completed_at at time zone 'UTC')::date"), "submission_id")},
		{"sweep items of lists", emptied("report_evaluation_items", "attempts_n = 0", itemKey, cellValues, cellTables, "submission_id")},
	}
	sweepStarts = []statement{
		{"sweep days of starts", emptied("report_evaluation_day", "started_n = 0 and completed_n = 0", cutColumns+", day",
			ofCut+", (r.attempt_at at time zone 'UTC')::date", "report_session_starts r, "+cuts, "session_id")},
	}
)

// cellValues are the cells of lists that submissions r count in with their items f, cellTables
// what these values come from.
var cellValues, cellTables = func() (string, string) {
	values, tables := itemCells("r.completed_at", "f.question_version_id")
	return values, "report_submissions r, lateral (select * from report_item_attempts_flat where tenant_id = $1 and submission_id = r.submission_id offset 0) f, " + tables
}()

// ofItem are the values of ofDay in a flat row r.
const ofItem = "r.org_unit_id, r.question_version_id, r.evaluation_version_id, coalesce(r.run_label, ''), (r.completed_at at time zone 'UTC')::date"

// emptied deletes the cells of a table, chosen by its key, that the rows r of the subjects
// belong to and that count nothing.
func emptied(table, condition, key, of, from, id string) string {
	const none = " and d."
	return `
with keys as (select distinct ` + of + ` from ` + from + ` where r.tenant_id = $1 and r.` + id + ` = any($2))
delete from ` + table + ` d where d.ctid = any(array(
	select c.ctid from keys k (` + key + `), lateral (select ctid from ` + table + ` d
		where d.tenant_id = $1 and (d.` + strings.ReplaceAll(key, ", ", ", d.") + `) = (k.` + strings.ReplaceAll(key, ", ", ", k.") + `)` +
		none + strings.ReplaceAll(condition, " and ", none) + ` offset 0) c))`
}

// sweep deletes what the batch has emptied. Only a batch that took something out can have.
func sweep(ctx context.Context, tx *db.Tx, t touched, p submissionPlan, s startPlan) error {
	if len(p.retract) > 0 {
		err := runOnKeys(ctx, tx, t.questions, sweepQuestions)
		if err != nil {
			return err
		}
	}
	if len(p.retract)+len(s.changed) > 0 {
		return runOnKeys(ctx, tx, t.evaluations, sweepEvaluations)
	}
	return nil
}

func runOnKeys(ctx context.Context, tx *db.Tx, keys []key, steps []statement) error {
	orgs, versions := columns(keys)
	for _, step := range steps {
		_, err := tx.Exec(ctx, step.sql, tx.Tenant(), orgs, versions)
		if err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}
