package reporting

import (
	"context"
	"strconv"
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
	Title               *string  `json:"title" doc:"Null where it is not known that the version was published" example:"Geography, final"`
	Attempts            int64    `json:"attempts"`
	FacilityPct         *float64 `json:"facilityPct"`
	LastDay             string   `json:"lastDay" example:"2026-03-31"`
}

const timelineSQL = `{{attempts}}
select date_trunc('week', day)::date, sum(attempts_n)::bigint, sum(scored_n)::bigint, sum(correct_n)::bigint, sum(exempt_n)::bigint,
	(greatest(sum(score_pct_sum), 0) / nullif(sum(scored_n), 0))::float8, round(sum(time_sum_ms)::numeric / nullif(sum(time_n), 0))::bigint
from day group by 1 order by 1`

func timeline(ctx context.Context, tx *db.Tx, orgs []ids.ID, f projection.Filter, h models.QuestionHealth) ([]WeekHealth, error) {
	weeks := []WeekHealth{}
	var w WeekHealth
	var monday time.Time
	var correct, exempt int64
	err := f.Read(ctx, tx, orgs, "read timeline", timelineSQL, []any{&monday, &w.Attempts, &w.ScoredAttempts, &correct, &exempt, &w.AvgScorePct, &w.AvgTimeMs}, func() {
		w.Week, w.FacilityPct, w.OmitRate = monday.Format(time.DateOnly), rate(correct, w.ScoredAttempts), rate(exempt, w.Attempts)
		w.FacilityDifference = difference(w.FacilityPct, h.FacilityPct)
		weeks = append(weeks, w)
	})
	return weeks, err
}

// exposedEvaluations bounds the list of the exposure summary.
const exposedEvaluations = 50

const exposureSQL = `{{attempts}}
select min(day)::text, max(day)::text, count(distinct day), coalesce(sum(attempts_n) filter (where day > newest - 7), 0)::bigint,
	coalesce(sum(attempts_n) filter (where day > newest - 30), 0)::bigint
from (select day, attempts_n, max(day) over () as newest from day) d`

var exposedSQL = `{{attempts}}
select x.evaluation_id, x.evaluation_version_id, t.title, x.n, x.facility, x.newest
from (select evaluation_id, evaluation_version_id, sum(attempts_n)::bigint as n, sum(correct_n)::float8 / nullif(sum(scored_n), 0) as facility,
		max(day)::text as newest
	from day group by 1, 2 order by 3 desc, 2 limit ` + strconv.Itoa(exposedEvaluations) + `) x
left join snapshot_titles t on t.tenant_id = $1 and t.evaluation_version_id = x.evaluation_version_id
order by x.n desc, x.evaluation_version_id`

func exposure(ctx context.Context, tx *db.Tx, orgs []ids.ID, f projection.Filter, m projection.Measured) (ExposureSummary, error) {
	e := ExposureSummary{EvaluationVersions: []ExposedEvaluation{}, RunsCount: int64(len(m.Runs)), EvaluationsCount: m.Health.EvaluationsCount}
	err := f.Read(ctx, tx, orgs, "read exposure", exposureSQL,
		[]any{&e.FirstDay, &e.LastDay, &e.DaysWithAttempts, &e.Attempts7d, &e.Attempts30d}, func() {})
	if err != nil {
		return e, err
	}
	var x ExposedEvaluation
	err = f.Read(ctx, tx, orgs, "read exposure", exposedSQL,
		[]any{&x.EvaluationID, &x.EvaluationVersionID, &x.Title, &x.Attempts, &x.FacilityPct, &x.LastDay},
		func() { e.EvaluationVersions = append(e.EvaluationVersions, x) })
	return e, err
}
