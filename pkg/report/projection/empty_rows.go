package projection

import (
	"context"
	"fmt"

	"assess/pkg/kernel/db"
)

// Rows that count nothing are deleted, so that the tables equal a rebuild from nothing. $2 and $3
// are the keys, org units and versions in two arrays. "offset 0" makes the planner look them up one
// by one. A question has sections as long as it has days.
var (
	emptyQuestions = []operation{
		{"delete empty question days", `
			delete from report_question_day d where d.tenant_id = $1 and d.ctid = any(array(
				select c.ctid from unnest($2::uuid[], $3::uuid[]) k (org, version), lateral (
					select ctid from report_question_day d where d.tenant_id = $1 and d.org_unit_id = k.org
						and d.question_version_id = k.version and d.attempts_n = 0 offset 0) c))`},
		{"delete empty sections", `
			delete from report_question_sections t using unnest($2::uuid[], $3::uuid[]) k (org, version)
			where t.tenant_id = $1 and t.org_unit_id = any($2) and t.question_version_id = any($3)
				and t.org_unit_id = k.org and t.question_version_id = k.version
				and not exists (select from report_question_day d where d.tenant_id = $1 and d.org_unit_id = k.org
					and d.question_version_id = k.version and d.evaluation_version_id = t.evaluation_version_id offset 0)`},
		{"delete empty tags", `
			delete from report_question_tags t using unnest($2::uuid[], $3::uuid[]) k (org, version)
			where t.tenant_id = $1 and t.org_unit_id = any($2) and t.question_version_id = any($3)
				and t.org_unit_id = k.org and t.question_version_id = k.version
				and not exists (select from report_question_sections s where s.tenant_id = $1 and s.org_unit_id = k.org
					and s.question_version_id = k.version and s.evaluation_version_id = t.evaluation_version_id offset 0)`},
		{"delete empty options", `
			delete from report_question_options o using unnest($2::uuid[], $3::uuid[]) k (org, version)
			where o.tenant_id = $1 and o.org_unit_id = any($2) and o.question_version_id = any($3)
				and o.org_unit_id = k.org and o.question_version_id = k.version
				and not exists (select from report_question_sections s where s.tenant_id = $1 and s.org_unit_id = k.org
					and s.question_version_id = k.version offset 0)`},
		{"delete empty parts", `
			delete from report_question_parts o using unnest($2::uuid[], $3::uuid[]) k (org, version)
			where o.tenant_id = $1 and o.org_unit_id = any($2) and o.question_version_id = any($3)
				and o.org_unit_id = k.org and o.question_version_id = k.version
				and not exists (select from report_question_sections s where s.tenant_id = $1 and s.org_unit_id = k.org
					and s.question_version_id = k.version offset 0)`},
	}
	emptyEvaluations = []operation{
		{"delete empty evaluations", `
			delete from report_evaluation_rollup d using unnest($2::uuid[], $3::uuid[]) k (org, version)
			where d.tenant_id = $1 and d.org_unit_id = any($2) and d.evaluation_version_id = any($3)
				and d.org_unit_id = k.org and d.evaluation_version_id = k.version and d.started_n = 0 and d.completed_n = 0`},
	}
)

// deleteEmptyRows deletes rows that the batch has emptied. Only a batch that took something out can
// have emptied any.
func deleteEmptyRows(ctx context.Context, tx *db.Tx, t affected, p submissionPlan, s startPlan) error {
	if len(p.retract) > 0 {
		err := executeForRollups(ctx, tx, t.questions, emptyQuestions)
		if err != nil {
			return err
		}
	}
	if len(p.retract)+len(s.changed) > 0 {
		return executeForRollups(ctx, tx, t.evaluations, emptyEvaluations)
	}
	return nil
}

func executeForRollups(ctx context.Context, tx *db.Tx, keys []rollupKey, operations []operation) error {
	orgs, versions := columns(keys)
	for _, step := range operations {
		_, err := tx.Exec(ctx, step.sql, tx.Tenant(), orgs, versions)
		if err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	return nil
}
