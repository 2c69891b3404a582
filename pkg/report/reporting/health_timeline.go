package reporting

import (
	"context"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/report/projection"
)

// WeekHealth is one week of a question, from Monday to Sunday in UTC.
type WeekHealth struct {
	Week               string   `json:"week" doc:"The Monday with which it begins" example:"2026-03-30"`
	Attempts           int64    `json:"attempts"`
	ScoredAttempts     int64    `json:"scoredAttempts"`
	FacilityPct        *float64 `json:"facilityPct"`
	FacilityDifference *float64 `json:"facilityDifference" doc:"facilityPct less that of all attempts"`
	OmitRate           *float64 `json:"omitRate"`
	AvgScorePct        *float64 `json:"avgScorePct"`
	AvgTimeMs          *int64   `json:"avgTimeMs"`
}

// ExposureSummary tells how often, how long and where a question was seen. The windows end
// with its newest day.
type ExposureSummary struct {
	FirstDay           string              `json:"firstDay" doc:"UTC day of the oldest attempt" example:"2026-01-05"`
	LastDay            string              `json:"lastDay" doc:"UTC day of the newest attempt" example:"2026-03-31"`
	DaysWithAttempts   int64               `json:"daysWithAttempts"`
	Attempts7d         int64               `json:"attempts7d"`
	Attempts30d        int64               `json:"attempts30d"`
	RunsCount          int64               `json:"runsCount" doc:"Labelled runs"`
	EvaluationsCount   int64               `json:"evaluationsCount"`
	EvaluationVersions []ExposedEvaluation `json:"evaluationVersions" nullable:"false" doc:"At most fifty, most attempts first"`
}

// ExposedEvaluation is an evaluation version that showed the question.
type ExposedEvaluation struct {
	EvaluationID        ids.ID   `json:"evaluationId"`
	EvaluationVersionID ids.ID   `json:"evaluationVersionId"`
	Attempts            int64    `json:"attempts"`
	FacilityPct         *float64 `json:"facilityPct"`
	LastDay             string   `json:"lastDay" example:"2026-03-31"`
}

const timelineSQL = `
select date_trunc('week', day)::date, sum(attempts_n)::bigint, sum(scored_n)::bigint, sum(correct_n)::bigint, sum(exempt_n)::bigint,
	(greatest(sum(score_pct_sum), 0) / nullif(sum(scored_n), 0))::float8, round(sum(time_sum_ms)::numeric / nullif(sum(time_n), 0))::bigint
from report_question_day
where tenant_id = $1 and org_unit_id = any($2) and question_version_id = $3
group by 1 order by 1`

func timeline(ctx context.Context, tx *db.Tx, orgs []ids.ID, h models.QuestionHealth) ([]WeekHealth, error) {
	v := projection.Values{Args: []any{tx.Tenant(), orgs, h.QuestionVersionID}}
	weeks := []WeekHealth{}
	var w WeekHealth
	var monday time.Time
	var correct, exempt int64
	err := v.Read(ctx, tx, "read timeline", timelineSQL, []any{&monday, &w.Attempts, &w.ScoredAttempts, &correct, &exempt, &w.AvgScorePct, &w.AvgTimeMs}, func() {
		w.Week, w.FacilityPct, w.OmitRate = monday.Format(time.DateOnly), rate(correct, w.ScoredAttempts), rate(exempt, w.Attempts)
		w.FacilityDifference = difference(w.FacilityPct, h.FacilityPct)
		weeks = append(weeks, w)
	})
	return weeks, err
}

// exposedEvaluations bounds the list of the exposure summary.
const exposedEvaluations = 50

const exposureSQL = `
select min(day)::text, max(day)::text, count(distinct day), coalesce(sum(attempts_n) filter (where day > newest - 7), 0)::bigint,
	coalesce(sum(attempts_n) filter (where day > newest - 30), 0)::bigint
from (select day, attempts_n, max(day) over () as newest from report_question_day
	where tenant_id = $1 and org_unit_id = any($2) and question_version_id = $3) d`

const exposedSQL = `
select evaluation_id, evaluation_version_id, sum(attempts_n)::bigint, sum(correct_n)::float8 / nullif(sum(scored_n), 0), max(day)::text
from report_question_day
where tenant_id = $1 and org_unit_id = any($2) and question_version_id = $3
group by 1, 2 order by 3 desc, 2 limit $4`

func exposure(ctx context.Context, tx *db.Tx, orgs []ids.ID, m projection.Measured) (ExposureSummary, error) {
	e := ExposureSummary{EvaluationVersions: []ExposedEvaluation{}, RunsCount: int64(len(m.Runs)), EvaluationsCount: m.Health.EvaluationsCount}
	question := m.Health.QuestionVersionID
	err := tx.QueryRow(ctx, exposureSQL, tx.Tenant(), orgs, question).
		Scan(&e.FirstDay, &e.LastDay, &e.DaysWithAttempts, &e.Attempts7d, &e.Attempts30d)
	if err != nil {
		return e, fmt.Errorf("read exposure: %w", err)
	}
	v := projection.Values{Args: []any{tx.Tenant(), orgs, question, exposedEvaluations}}
	var x ExposedEvaluation
	err = v.Read(ctx, tx, "read exposure", exposedSQL, []any{&x.EvaluationID, &x.EvaluationVersionID, &x.Attempts, &x.FacilityPct, &x.LastDay},
		func() { e.EvaluationVersions = append(e.EvaluationVersions, x) })
	return e, err
}
