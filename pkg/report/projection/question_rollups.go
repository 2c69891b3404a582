package projection

import (
	"context"
	"encoding/json"
	"fmt"

	"assess/models"
	"assess/pkg/kernel/db"
)

// deriveSize is how many questions are derived at once; it bounds the memory of a rebuild.
const deriveSize = 500

// deriveQuestions makes the rollups of the questions from their days. The caller holds the
// rollups' locks, so that the statements below see every day that is committed.
func deriveQuestions(ctx context.Context, tx *db.Tx, keys []rollupKey) error {
	for start := 0; start < len(keys); start += deriveSize {
		err := deriveSome(ctx, tx, keys[start:min(start+deriveSize, len(keys))])
		if err != nil {
			return err
		}
	}
	return nil
}

func deriveSome(ctx context.Context, tx *db.Tx, keys []rollupKey) error {
	stored := storedAttempts(tx, keys)
	all, err := totals(ctx, tx, stored)
	if err != nil {
		return err
	}
	err = readDetails(ctx, tx, stored, all)
	if err != nil {
		return err
	}
	err = readFacts(ctx, tx, storedFacts(tx, keys), all)
	if err != nil {
		return err
	}
	medians, err := storedMedians(ctx, tx, keys)
	if err != nil {
		return err
	}
	var rows []models.QuestionHealth
	var runs []models.QuestionRun
	var empty []rollupKey
	for _, k := range keys {
		t := all[k]
		if t == nil || t.attempts == 0 {
			empty = append(empty, k)
			continue
		}
		h := t.health()
		h.TenantID, h.OrgUnitID, h.QuestionVersionID = tx.Tenant(), k.Org, k.Version
		medians[k].set(&h)
		h.PercentilesStale, h.LastComputedAt = true, tx.Now()
		applyBadge(&h, t)
		rows = append(rows, h)
		for _, r := range t.byRun() {
			r.TenantID, r.OrgUnitID, r.QuestionVersionID = tx.Tenant(), k.Org, k.Version
			runs = append(runs, r)
		}
	}
	return storeQuestions(ctx, tx, keys, rows, runs, empty)
}

// Rows travel as one JSON array: PostgreSQL takes it apart by the column names.
const storeQuestionsSQL = `
update report_question_health_rollup r set
	(qtype, attempts_n, correct_n, omitted_n, scored_n, pending_n, invalid_n, exempt_n, facility_pct, omit_rate,
	avg_time_ms, avg_score_awarded, avg_score_pct, option_counts, option_pct, facility_7d_pct, facility_30d_pct,
	facility_last_run_pct, attempts_last_run_n, time_7d_n, focus_lost_n, evaluations_count, recent_runs, health_status,
	confidence_level, top_reasons, flags, attention_rank, drift, percentiles_stale, last_computed_at, revision)
	= (u.qtype, u.attempts_n, u.correct_n, u.omitted_n, u.scored_n, u.pending_n, u.invalid_n, u.exempt_n,
	u.facility_pct, u.omit_rate, u.avg_time_ms, u.avg_score_awarded, u.avg_score_pct, u.option_counts, u.option_pct,
	u.facility_7d_pct, u.facility_30d_pct, u.facility_last_run_pct, u.attempts_last_run_n, u.time_7d_n, u.focus_lost_n,
	u.evaluations_count, u.recent_runs, u.health_status, u.confidence_level, u.top_reasons, u.flags,
	u.attention_rank, u.drift, u.percentiles_stale, u.last_computed_at, r.revision + 1)
from jsonb_populate_recordset(null::report_question_health_rollup, $2::text::jsonb) u
where r.tenant_id = $1 and r.org_unit_id = u.org_unit_id and r.question_version_id = u.question_version_id
	and r.org_unit_id = any($3) and r.question_version_id = any($4)`

const dropRunsSQL = `
delete from report_question_health_by_run r
using unnest($2::uuid[], $3::uuid[]) k (org, question)
where r.tenant_id = $1 and r.org_unit_id = k.org and r.question_version_id = k.question
	and r.org_unit_id = any($2) and r.question_version_id = any($3)
	and not exists (select from jsonb_populate_recordset(null::report_question_health_by_run, $4::text::jsonb) u
		where u.org_unit_id = k.org and u.question_version_id = k.question and u.run_label = r.run_label)`

const storeRunsSQL = `
insert into report_question_health_by_run as r
select * from jsonb_populate_recordset(null::report_question_health_by_run, $2::text::jsonb) u
where u.tenant_id = $1
on conflict (tenant_id, org_unit_id, question_version_id, run_label) do update set
	last_day = excluded.last_day, attempts_n = excluded.attempts_n, scored_n = excluded.scored_n, facility_pct = excluded.facility_pct,
	omit_rate = excluded.omit_rate, option_pct = excluded.option_pct`

const dropQuestionsSQL = `
delete from report_question_health_rollup r using unnest($2::uuid[], $3::uuid[]) k (org, question)
where r.tenant_id = $1 and r.org_unit_id = k.org and r.question_version_id = k.question
	and r.org_unit_id = any($2) and r.question_version_id = any($3)`

func storeQuestions(ctx context.Context, tx *db.Tx, keys []rollupKey, rows []models.QuestionHealth,
	runs []models.QuestionRun, empty []rollupKey) error {
	rowsJSON, err := json.Marshal(append([]models.QuestionHealth{}, rows...))
	if err != nil {
		return fmt.Errorf("encode question rollups: %w", err)
	}
	runsJSON, err := json.Marshal(append([]models.QuestionRun{}, runs...))
	if err != nil {
		return fmt.Errorf("encode runs: %w", err)
	}
	orgs, questions := columns(keys)
	emptyOrgs, emptyQuestions := columns(empty)
	for _, step := range []struct {
		sql  string
		args []any
	}{
		{dropRunsSQL, []any{orgs, questions, string(runsJSON)}},
		{storeRunsSQL, []any{string(runsJSON)}},
		{storeQuestionsSQL, []any{string(rowsJSON), orgs, questions}},
		{dropQuestionsSQL, []any{emptyOrgs, emptyQuestions}},
	} {
		_, err := tx.Exec(ctx, step.sql, append([]any{tx.Tenant()}, step.args...)...)
		if err != nil {
			return fmt.Errorf("store question rollups: %w", err)
		}
	}
	return nil
}
