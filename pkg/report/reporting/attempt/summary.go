package attempt

import (
	"time"

	"assess/models"
	"assess/pkg/report/projection"
)

// Summary is the head of the report.
type Summary struct {
	DurationMs       *int64   `json:"durationMs" doc:"As in timing"`
	TotalItems       int      `json:"totalItems"`
	AnsweredItems    int      `json:"answeredItems" doc:"Items with an answer; answeredItems and omittedItems make totalItems"`
	OmittedItems     int      `json:"omittedItems" doc:"Items without an answer"`
	PendingItems     int      `json:"pendingItems" doc:"Items that wait for a person to score them"`
	Score            float64  `json:"score"`
	MaxScore         float64  `json:"maxScore"`
	ScorePct         *float64 `json:"scorePct" doc:"score over maxScore; null when there was nothing to earn"`
	OutcomeCode      string   `json:"outcome_code" enum:"pass,fail,incomplete"`
	OutcomeLabel     string   `json:"outcome_label"`
	AttemptStatus    string   `json:"attemptStatus" enum:"completed,voided"`
	CompletionMethod string   `json:"completionMethod" enum:"submitted,auto_submitted,proctor_submitted,imported"`

	LatestScoreVersion int `json:"latestScoreVersion"`
}

// The sources of a duration.
const (
	durationKnown   = "completed_at_minus_started_at"
	durationUnknown = "unknown"
)

// Timing tells how long it took.
type Timing struct {
	StartedAt          time.Time `json:"startedAt"`
	EndedAt            time.Time `json:"endedAt"`
	DurationMs         *int64    `json:"durationMs" doc:"Null when its source is unknown"`
	DurationSource     string    `json:"durationSource" enum:"completed_at_minus_started_at,unknown" doc:"unknown where an import brought no times, or the end lies before the start"`
	TotalTimeOnItemsMs int64     `json:"totalTimeOnItemsMs" doc:"Sum over the items with a known time"`
	TimedItems         int       `json:"timedItems" doc:"Items with a known time"`
	IdleEstimateMs     *int64    `json:"idleEstimateMs" doc:"max(durationMs - totalTimeOnItemsMs, 0); null when the duration is unknown"`
}

func (r record) summary(items []Item, t Timing) Summary {
	s := Summary{DurationMs: t.DurationMs, TotalItems: len(items), Score: r.Score, MaxScore: r.MaxScore,
		ScorePct: over(r.Score, r.MaxScore), OutcomeCode: r.OutcomeCode, OutcomeLabel: r.OutcomeLabel, AttemptStatus: r.Status,
		CompletionMethod: r.CompletionMethod, LatestScoreVersion: r.ScoreVersion}
	for _, item := range items {
		if item.IsOmitted {
			s.OmittedItems++
		}
		if item.ScoreStatus == pending {
			s.PendingItems++
		}
	}
	s.AnsweredItems = s.TotalItems - s.OmittedItems
	return s
}

func (r record) timing(items []Item) Timing {
	t := Timing{StartedAt: r.StartedAt.UTC(), EndedAt: r.CompletedAt.UTC(), DurationSource: durationUnknown}
	for _, item := range items {
		if item.TimeOnItemMs != nil {
			t.TotalTimeOnItemsMs += *item.TimeOnItemMs
			t.TimedItems++
		}
	}
	duration := r.CompletedAt.Sub(r.StartedAt).Milliseconds()
	if r.CompletedAt.Before(r.StartedAt) || (duration == 0 && r.CompletionMethod == models.CompletionImported) {
		return t
	}
	idle := max(duration-t.TotalTimeOnItemsMs, 0)
	t.DurationMs, t.DurationSource, t.IdleEstimateMs = &duration, durationKnown, &idle
	return t
}

var rate, over = projection.Ratio[int, int], projection.Ratio[float64, float64]
