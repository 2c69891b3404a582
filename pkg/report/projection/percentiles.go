package projection

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/uptrace/bun/dialect/pgdialect"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// The rows that waited longest come first, so that a question which changes all the time
// cannot keep the others waiting.
const staleSQL = `
select org_unit_id, question_version_id, revision from report_question_health_rollup
where tenant_id = $1 and percentiles_stale
order by percentiles_at nulls first limit $2`

// RecomputePercentiles computes the exact medians and 90th percentiles of up to limit
// questions whose attempts changed since the last time, and judges them anew, since one
// rule looks at medians. It gives the number of questions visited.
//
// Nothing is locked while it computes. A question that changed again meanwhile, as its
// revision shows, gets its figures all the same and stays marked for another visit.
func RecomputePercentiles(ctx context.Context, tx *db.Tx, limit int) (int, error) {
	seen, err := staleQuestions(ctx, tx, limit)
	if err != nil || len(seen) == 0 {
		return 0, err
	}
	var keys []rollupKey
	for k := range seen {
		keys = append(keys, k)
	}
	medians, runs, err := ForDetail.find(ctx, tx, storedAttempts(tx, keys))
	if err != nil {
		return 0, err
	}
	rows, err := judgeAgain(ctx, tx, keys, func(h *models.QuestionHealth) {
		k := rollupKey{h.OrgUnitID, h.QuestionVersionID}
		medians[k].set(h)
		now := tx.Now()
		h.PercentilesAt, h.PercentilesStale = &now, h.Revision != seen[k]
	})
	if err != nil {
		return 0, err
	}
	return len(keys), storeMedians(ctx, tx, keys, rows, runs)
}

func staleQuestions(ctx context.Context, tx *db.Tx, limit int) (map[rollupKey]int64, error) {
	seen := map[rollupKey]int64{}
	var org, question ids.ID
	var revision int64
	err := eachRow(ctx, tx, staleSQL, []any{tx.Tenant(), limit}, []any{&org, &question, &revision},
		func() { seen[rollupKey{org, question}] = revision })
	if err != nil {
		return nil, fmt.Errorf("find stale percentiles: %w", err)
	}
	return seen, nil
}

// judgeAgain locks the rollup rows in the order of their keys, lets change work on each,
// and gives them a new badge.
func judgeAgain(ctx context.Context, tx *db.Tx, keys []rollupKey, change func(*models.QuestionHealth)) ([]models.QuestionHealth, error) {
	orgs, questions := columns(keys)
	var rows []models.QuestionHealth
	err := tx.NewRaw(`
		select h.* from report_question_health_rollup h
		where h.tenant_id = ?0 and h.org_unit_id = any(?1) and h.question_version_id = any(?2)
			and (h.org_unit_id, h.question_version_id) in (select * from unnest(?1::uuid[], ?2::uuid[]))
		order by h.org_unit_id, h.question_version_id for update`,
		tx.Tenant(), pgdialect.Array(orgs), pgdialect.Array(questions)).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("lock question rollups: %w", err)
	}
	known := countsByQuestion{}
	for _, k := range keys {
		known.at(k.Org, k.Version)
	}
	err = readFacts(ctx, tx, storedFacts(tx, keys), known)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		change(&rows[i])
		applyBadge(&rows[i], known.at(rows[i].OrgUnitID, rows[i].QuestionVersionID))
	}
	return rows, nil
}

const storeMediansSQL = `
update report_question_health_rollup r set
	(median_time_ms, p90_time_ms, median_7d_time_ms, median_30d_time_ms, health_status, confidence_level, top_reasons,
	flags, attention_rank, percentiles_stale, percentiles_at)
	= (u.median_time_ms, u.p90_time_ms, u.median_7d_time_ms, u.median_30d_time_ms, u.health_status,
	u.confidence_level, u.top_reasons, u.flags, u.attention_rank, u.percentiles_stale, u.percentiles_at)
from jsonb_populate_recordset(null::report_question_health_rollup, $2::text::jsonb) u
where r.tenant_id = $1 and r.org_unit_id = u.org_unit_id and r.question_version_id = u.question_version_id
	and r.org_unit_id = any($3) and r.question_version_id = any($4)`

const storeRunMediansSQL = `
update report_question_health_by_run r set median_time_ms = fresh.median
from (select org_unit_id, question_version_id, run_label, m.median
	from unnest($2::uuid[], $3::uuid[]) k (org_unit_id, question_version_id)
	join report_question_health_by_run b using (org_unit_id, question_version_id)
	left join unnest($4::uuid[], $5::uuid[], $6::text[], $7::float8[]) m (org_unit_id, question_version_id, run_label, median)
		using (org_unit_id, question_version_id, run_label)
	where b.tenant_id = $1 and b.org_unit_id = any($2) and b.question_version_id = any($3)) fresh
where r.tenant_id = $1 and r.org_unit_id = any($2) and r.question_version_id = any($3) and r.org_unit_id = fresh.org_unit_id and r.question_version_id = fresh.question_version_id
	and r.run_label = fresh.run_label and r.median_time_ms is distinct from fresh.median`

func storeMedians(ctx context.Context, tx *db.Tx, keys []rollupKey, rows []models.QuestionHealth, runs map[runKey]*float64) error {
	rowsJSON, err := json.Marshal(append([]models.QuestionHealth{}, rows...))
	if err != nil {
		return fmt.Errorf("encode question rollups: %w", err)
	}
	var orgs, questions []ids.ID
	var labels []string
	var medians []*float64
	for k, median := range runs {
		orgs, questions = append(orgs, k.Org), append(questions, k.Version)
		labels, medians = append(labels, k.run), append(medians, median)
	}
	visitedOrgs, visited := columns(keys)
	_, err = tx.Exec(ctx, storeMediansSQL, tx.Tenant(), string(rowsJSON), visitedOrgs, visited)
	if err != nil {
		return fmt.Errorf("store medians: %w", err)
	}
	_, err = tx.Exec(ctx, storeRunMediansSQL, tx.Tenant(), visitedOrgs, visited, orgs, questions, labels, medians)
	if err != nil {
		return fmt.Errorf("store medians of runs: %w", err)
	}
	return nil
}
