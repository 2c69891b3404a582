// Package models holds the row types of the tables and the constants of their states: one
// file per table, no I/O. They are what the database stores, not what an interface shows.
package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// QuestionHealth is a row of report_question_health_rollup (specification, section 2.4).
// Rates are fractions in [0,1], null when their denominator is 0; times are milliseconds.
// The JSON names are the column names: rows go to PostgreSQL as JSON, many at once.
type QuestionHealth struct {
	bun.BaseModel `bun:"table:report_question_health_rollup,alias:h" json:"-"`

	TenantID          uuid.UUID `bun:"tenant_id,pk" json:"tenant_id"`
	OrgUnitID         uuid.UUID `bun:"org_unit_id,pk" json:"org_unit_id"`
	QuestionVersionID uuid.UUID `bun:"question_version_id,pk" json:"question_version_id"`
	QType             string    `bun:"qtype" json:"qtype"`

	AttemptsN int64 `bun:"attempts_n" json:"attempts_n"`
	CorrectN  int64 `bun:"correct_n" json:"correct_n"`
	OmittedN  int64 `bun:"omitted_n" json:"omitted_n"`
	ScoredN   int64 `bun:"scored_n" json:"scored_n"`
	PendingN  int64 `bun:"pending_n" json:"pending_n"`
	InvalidN  int64 `bun:"invalid_n" json:"invalid_n"`
	ExemptN   int64 `bun:"exempt_n" json:"exempt_n"`

	FacilityPct     *float64 `bun:"facility_pct" json:"facility_pct"`
	OmitRate        *float64 `bun:"omit_rate" json:"omit_rate"`
	AvgTimeMs       *float64 `bun:"avg_time_ms" json:"avg_time_ms"`
	MedianTimeMs    *float64 `bun:"median_time_ms" json:"median_time_ms"`
	P90TimeMs       *float64 `bun:"p90_time_ms" json:"p90_time_ms"`
	Median7dTimeMs  *float64 `bun:"median_7d_time_ms" json:"median_7d_time_ms"`
	Median30dTimeMs *float64 `bun:"median_30d_time_ms" json:"median_30d_time_ms"`
	AvgScoreAwarded *float64 `bun:"avg_score_awarded" json:"avg_score_awarded"`
	AvgScorePct     *float64 `bun:"avg_score_pct" json:"avg_score_pct"`

	// OptionCounts is over SCORED attempts, OptionPct their share, both by option id.
	OptionCounts map[string]int64   `bun:"option_counts,type:jsonb" json:"option_counts"`
	OptionPct    map[string]float64 `bun:"option_pct,type:jsonb" json:"option_pct"`

	Facility7dPct      *float64 `bun:"facility_7d_pct" json:"facility_7d_pct"`
	Facility30dPct     *float64 `bun:"facility_30d_pct" json:"facility_30d_pct"`
	FacilityLastRunPct *float64 `bun:"facility_last_run_pct" json:"facility_last_run_pct"`
	AttemptsLastRunN   int64    `bun:"attempts_last_run_n" json:"attempts_last_run_n"`
	Time7dN            int64    `bun:"time_7d_n" json:"time_7d_n"`
	FocusLostN         int64    `bun:"focus_lost_n" json:"focus_lost_n"`

	EvaluationsCount int64       `bun:"evaluations_count" json:"evaluations_count"`
	RecentRuns       []RecentRun `bun:"recent_runs,type:jsonb" json:"recent_runs"`

	HealthStatus    string       `bun:"health_status" json:"health_status"`
	ConfidenceLevel string       `bun:"confidence_level" json:"confidence_level"`
	TopReasons      []string     `bun:"top_reasons,type:jsonb" json:"top_reasons"`
	Flags           []HealthFlag `bun:"flags,type:jsonb" json:"flags"`
	// AttentionRank orders needs_attention_first; greater is worse.
	AttentionRank int `bun:"attention_rank" json:"attention_rank"`
	// Drift is the distance between the last run's facility and the facility of 30 days.
	Drift float64 `bun:"drift" json:"drift"`

	PercentilesStale bool       `bun:"percentiles_stale" json:"percentiles_stale"`
	PercentilesAt    *time.Time `bun:"percentiles_at" json:"percentiles_at"`
	Revision         int64      `bun:"revision" json:"revision"`
	LastComputedAt   time.Time  `bun:"last_computed_at" json:"last_computed_at"`
}

// RecentRun is one of the newest runs that presented a question.
type RecentRun struct {
	RunLabel    string   `json:"run_label"`
	Attempts    int64    `json:"attempts"`
	Scored      int64    `json:"scored"`
	FacilityPct *float64 `json:"facilityPct"`
	LastDay     string   `json:"lastDay" doc:"UTC day of its newest attempt" example:"2026-03-31"`
}

// HealthFlag is one heuristic finding about a question (specification, section 4.4).
type HealthFlag struct {
	Code      string  `json:"code" shape:"flag" doc:"Which rule" example:"TOO_HARD"`
	Label     string  `json:"label" enum:"heuristic" doc:"A rule of thumb, no measure of psychometrics"`
	Severity  string  `json:"severity" enum:"major,minor"`
	Value     float64 `json:"value" doc:"What was measured"`
	Threshold float64 `json:"threshold" doc:"From where on the rule applies"`
	N         int64   `json:"n" doc:"The denominator of the measure"`
	Sentence  string  `json:"sentence" doc:"The finding in plain English"`
}
