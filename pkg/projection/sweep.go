package projection

import (
	"context"
	"fmt"
	"strings"

	"assess/pkg/db"
)

// Rows that count nothing go, so that the tables equal a rebuild from nothing. $2 and $3
// are the keys, org unit and version side by side.
var (
	sweepQuestions = []statement{
		{"sweep question days", `
			delete from report_question_day d using unnest($2::uuid[], $3::uuid[]) k (org, version)
			where d.tenant_id = $1 and d.org_unit_id = k.org and d.question_version_id = k.version and d.attempts_n = 0`},
		{"sweep choice days", `
			delete from report_question_choice_day d using unnest($2::uuid[], $3::uuid[]) k (org, version)
			where d.tenant_id = $1 and d.org_unit_id = k.org and d.question_version_id = k.version and d.n = 0`},
		{"sweep question times", `
			delete from report_question_times d using unnest($2::uuid[], $3::uuid[]) k (org, version)
			where d.tenant_id = $1 and d.org_unit_id = k.org and d.question_version_id = k.version and d.n = 0`},
		{"sweep tags", `
			delete from report_question_tags t using unnest($2::uuid[], $3::uuid[]) k (org, version)
			where t.tenant_id = $1 and t.org_unit_id = k.org and t.question_version_id = k.version
				and not exists (select from report_question_day d where d.tenant_id = $1 and d.org_unit_id = k.org
					and d.question_version_id = k.version and d.evaluation_version_id = t.evaluation_version_id)`},
		{"sweep sections", `
			delete from report_question_sections t using unnest($2::uuid[], $3::uuid[]) k (org, version)
			where t.tenant_id = $1 and t.org_unit_id = k.org and t.question_version_id = k.version
				and not exists (select from report_question_day d where d.tenant_id = $1 and d.org_unit_id = k.org
					and d.question_version_id = k.version and d.evaluation_version_id = t.evaluation_version_id)`},
		{"sweep options", `
			delete from report_question_options o using unnest($2::uuid[], $3::uuid[]) k (org, version)
			where o.tenant_id = $1 and o.org_unit_id = k.org and o.question_version_id = k.version
				and not exists (select from report_question_day d where d.tenant_id = $1 and d.org_unit_id = k.org
					and d.question_version_id = k.version)`},
	}
	sweepVersions = []statement{
		{"sweep evaluation days", emptied("report_evaluation_day", "started_n = 0 and completed_n = 0")},
		{"sweep durations", emptied("report_evaluation_durations", "n = 0")},
		{"sweep durations by day", emptied("report_evaluation_bands", "n = 0")},
		{"sweep items of groups", emptied("report_group_items", "attempts_n = 0")},
		{"sweep takers", emptied("report_evaluation_takers", "starts_n = 0")},
		{"sweep evaluations", emptied("report_evaluation_rollup", "started_n = 0 and completed_n = 0")},
	}
)

func emptied(table, condition string) string {
	return `delete from ` + table + ` d using unnest($2::uuid[], $3::uuid[]) k (org, version)
		where d.tenant_id = $1 and d.org_unit_id = k.org and d.evaluation_version_id = k.version and d.` +
		strings.ReplaceAll(condition, " and ", " and d.")
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
		return runOnKeys(ctx, tx, t.versions, sweepVersions)
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
