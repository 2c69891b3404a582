package reporting

import (
	"maps"
	"slices"

	"assess/models"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/report/projection"
)

// HealthRow is a question version in the list.
type HealthRow struct {
	QuestionVersionID ids.ID `json:"questionVersionId"`
	QuestionWords
	QType         string      `json:"qtype" shape:"question type"`
	HealthBadge   HealthBadge `json:"healthBadge"`
	AttentionRank int         `json:"attentionRank" doc:"What needs_attention_first sorts by, the highest first; 0 while the confidence is LOW"`
	Core          RowCore     `json:"core"`
	Analysis      RowAnalysis `json:"analysis"`
}

// HealthBadge is a heuristic verdict, not psychometrics.
type HealthBadge struct {
	Status     string   `json:"status" enum:"INSUFFICIENT_DATA,HEALTHY,WATCH,NEEDS_ATTENTION"`
	Confidence string   `json:"confidence" enum:"LOW,MED,HIGH"`
	TopReasons []string `json:"topReasons" nullable:"false" doc:"At most three flag codes, gravest first"`
}

// RowCore adds to the figures what else the list can be sorted by, under the same names as in the
// detail.
type RowCore struct {
	Core
	Drift RowDrift `json:"drift"`
}

// RowDrift is what most_drift sorts by.
type RowDrift struct {
	Drift float64 `json:"drift" doc:"Distance between the facility of the last run and of 30 days; 0 while unknown"`
}

// Core are the figures of every question type.
type Core struct {
	Attempts       int64        `json:"attempts"`
	ScoredAttempts int64        `json:"scoredAttempts"`
	Correct        int64        `json:"correct" doc:"Scored attempts with full credit"`
	Omitted        int64        `json:"omitted" doc:"Attempts without an answer"`
	FacilityPct    *float64     `json:"facilityPct" doc:"correct over scoredAttempts"`
	OmitRate       *float64     `json:"omitRate" doc:"Exempt over attempts: left out, or exempted by a remediation"`
	MedianTimeMs   *int64       `json:"medianTimeMs" doc:"Of answered attempts with a known time"`
	StatusCounts   StatusCounts `json:"statusCounts"`
	InvalidRate    *float64     `json:"invalidRate" doc:"Invalid over attempts"`
	// PercentilesPending says that newer attempts exist than the medians count.
	PercentilesPending bool `json:"percentilesPending" doc:"Newer attempts exist than the medians, the 90th percentile and the flags about time look at"`
}

// StatusCounts counts attempts by score status.
type StatusCounts struct {
	Scored  int64 `json:"scored"`
	Pending int64 `json:"pending"`
	Invalid int64 `json:"invalid"`
	Exempt  int64 `json:"exempt"`
}

// RowAnalysis is the short analysis of the list.
type RowAnalysis struct {
	ChoiceSingle *RowChoice `json:"choiceSingle" doc:"Single choice only"`
}

// RowChoice names the most chosen option.
type RowChoice struct {
	TopOption *OptionShare `json:"topOption"`
}

// OptionShare counts an option over scored attempts.
type OptionShare struct {
	OptionID string   `json:"optionId"`
	N        int64    `json:"n"`
	Pct      *float64 `json:"pct" doc:"Share of scored attempts"`
}

// answerOf gives the kind of answer to questions of a type.
func answerOf(qtype string) scoring.Answer { return scoring.QType(qtype).Type().Answer }

func rowOf(h models.QuestionHealth, w spoken) HealthRow {
	row := HealthRow{QuestionVersionID: h.QuestionVersionID, QuestionWords: w.QuestionWords, QType: h.QType, HealthBadge: badgeOf(h), AttentionRank: h.AttentionRank,
		Core: RowCore{Core: coreOf(h), Drift: RowDrift{h.Drift}}}
	if answerOf(h.QType) == scoring.OneOption {
		row.Analysis.ChoiceSingle = &RowChoice{TopOption: topOption(h)}
	}
	return row
}

func badgeOf(h models.QuestionHealth) HealthBadge {
	return HealthBadge{Status: h.HealthStatus, Confidence: h.ConfidenceLevel, TopReasons: h.TopReasons}
}

func coreOf(h models.QuestionHealth) Core {
	return Core{Attempts: h.AttemptsN, ScoredAttempts: h.ScoredN, Correct: h.CorrectN, Omitted: h.OmittedN,
		FacilityPct: h.FacilityPct, OmitRate: h.OmitRate, MedianTimeMs: projection.Milliseconds(h.MedianTimeMs),
		StatusCounts: StatusCounts{Scored: h.ScoredN, Pending: h.PendingN, Invalid: h.InvalidN, Exempt: h.ExemptN},
		InvalidRate:  rate(h.InvalidN, h.AttemptsN), PercentilesPending: h.PercentilesStale}
}

// topOption is the most chosen option; of several the first by id.
func topOption(h models.QuestionHealth) *OptionShare {
	var top *OptionShare
	for _, id := range slices.Sorted(maps.Keys(h.OptionCounts)) {
		if n := h.OptionCounts[id]; top == nil || n > top.N {
			top = &OptionShare{OptionID: id, N: n, Pct: rate(n, h.ScoredN)}
		}
	}
	return top
}
