package models

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// QuestionRun is a row of report_question_health_by_run: a question within one labelled
// run.
type QuestionRun struct {
	bun.BaseModel `bun:"table:report_question_health_by_run,alias:r" json:"-"`

	TenantID          uuid.UUID `bun:"tenant_id,pk" json:"tenant_id"`
	OrgUnitID         uuid.UUID `bun:"org_unit_id,pk" json:"org_unit_id"`
	QuestionVersionID uuid.UUID `bun:"question_version_id,pk" json:"question_version_id"`
	RunLabel          string    `bun:"run_label,pk" json:"run_label"`
	// LastDay is the UTC day of its newest attempt.
	LastDay      time.Time          `bun:"last_day" json:"last_day"`
	AttemptsN    int64              `bun:"attempts_n" json:"attempts_n"`
	ScoredN      int64              `bun:"scored_n" json:"scored_n"`
	FacilityPct  *float64           `bun:"facility_pct" json:"facility_pct"`
	OmitRate     *float64           `bun:"omit_rate" json:"omit_rate"`
	MedianTimeMs *float64           `bun:"median_time_ms" json:"median_time_ms"`
	OptionPct    map[string]float64 `bun:"option_pct,type:jsonb" json:"option_pct"`
}
