package reporting

import (
	"fmt"
	"time"

	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/wire"
)

// Attention tells whether somebody should look at the evaluation. It is heuristic.
type Attention struct {
	Level      string               `json:"level" enum:"low,medium,high"`
	Reasons    []AttentionReason    `json:"reasons" nullable:"false" doc:"Gravest first"`
	Metrics    AttentionMetrics     `json:"metrics"`
	Thresholds []AttentionThreshold `json:"thresholds" nullable:"false"`
}

// AttentionReason is a metric that is past its threshold.
type AttentionReason struct {
	Code      string  `json:"code" enum:"LOW_PASS_RATE,LOW_COMPLETION_RATE,HIGH_EXPIRED_RATE,HIGH_UNGRADED_RATE,HIGH_FOCUS_LOST_RATE,HIGH_FULLSCREEN_EXIT_RATE"`
	Level     string  `json:"level" enum:"medium,high"`
	Value     float64 `json:"value"`
	Threshold float64 `json:"threshold" doc:"The one that the value is past"`
	N         int64   `json:"n" doc:"Denominator of the value"`
	Sentence  string  `json:"sentence"`
}

// AttentionMetrics are the rates that are judged.
type AttentionMetrics struct {
	PassRate           *float64 `json:"passRate"`
	CompletionRate     *float64 `json:"completionRate"`
	ExpiredRate        *float64 `json:"expiredRate"`
	UngradedRate       *float64 `json:"ungradedRate"`
	FocusLostRate      *float64 `json:"focusLostRate"`
	FullscreenExitRate *float64 `json:"fullscreenExitRate"`
}

// AttentionThreshold is the value from which a metric counts, given enough attempts.
type AttentionThreshold struct {
	Code   string  `json:"code"`
	Medium float64 `json:"medium"`
	High   float64 `json:"high"`
	LeastN int64   `json:"leastN"`
}

// attentionLeast is how many attempts a rate needs to say anything.
const attentionLeast = 10

// concern is a metric that may call for attention: from high on or, where the thresholds fall, up
// to it.
type concern struct {
	code         string
	medium, high float64
	metric       func(AttentionMetrics) *float64
	n            func(counts) int64
	sentence     string
}

var concerns = []concern{
	{"LOW_PASS_RATE", 0.5, 0.3, func(m AttentionMetrics) *float64 { return m.PassRate }, counts.graded,
		"Only %.0f %% of graded attempts passed."},
	{"LOW_COMPLETION_RATE", 0.8, 0.5, func(m AttentionMetrics) *float64 { return m.CompletionRate }, counts.started,
		"Only %.0f %% of started attempts were completed."},
	{"HIGH_EXPIRED_RATE", 0.1, 0.25, func(m AttentionMetrics) *float64 { return m.ExpiredRate }, counts.started,
		"In %.0f %% of started attempts the time ran out."},
	{"HIGH_UNGRADED_RATE", 0.25, 0.5, func(m AttentionMetrics) *float64 { return m.UngradedRate }, counts.completed,
		"%.0f %% of completed attempts have no outcome."},
	{"HIGH_FOCUS_LOST_RATE", 0.1, 0.25, func(m AttentionMetrics) *float64 { return m.FocusLostRate }, counts.completed,
		"In %.0f %% of completed attempts the window lost the focus."},
	{"HIGH_FULLSCREEN_EXIT_RATE", 0.1, 0.25, func(m AttentionMetrics) *float64 { return m.FullscreenExitRate }, counts.completed,
		"In %.0f %% of completed attempts full screen was left."},
}

// past gives the threshold that a value has passed, and the level.
func (k concern) past(value float64) (float64, string) {
	const tolerance = 1e-9
	sign := 1.0
	if k.high < k.medium {
		sign = -1
	}
	switch {
	case sign*(value-k.high) >= -tolerance:
		return k.high, "high"
	case sign*(value-k.medium) >= -tolerance:
		return k.medium, "medium"
	}
	return 0, ""
}

func (c counts) attention() Attention {
	i := c.integrity()
	a := Attention{Level: "low", Reasons: []AttentionReason{}, Metrics: AttentionMetrics{PassRate: rate(c.n["pass_n"], c.graded()),
		CompletionRate: rate(c.completed(), c.started()), ExpiredRate: rate(c.n["expired_n"], c.started()),
		UngradedRate: rate(c.completed()-c.graded(), c.completed()), FocusLostRate: i.FocusLostRate, FullscreenExitRate: i.FullscreenExitRate}}
	var medium []AttentionReason
	for _, k := range concerns {
		a.Thresholds = append(a.Thresholds, AttentionThreshold{Code: k.code, Medium: k.medium, High: k.high, LeastN: attentionLeast})
		value, n := k.metric(a.Metrics), k.n(c)
		if value == nil || n < attentionLeast {
			continue
		}
		threshold, level := k.past(*value)
		reason := AttentionReason{Code: k.code, Level: level, Value: *value, Threshold: threshold, N: n, Sentence: fmt.Sprintf(k.sentence, wire.Cut(*value*100, 0))}
		switch level {
		case "high":
			a.Level, a.Reasons = level, append(a.Reasons, reason)
		case "medium":
			medium = append(medium, reason)
		}
	}
	if a.Level == "low" && len(medium) > 0 {
		a.Level = "medium"
	}
	a.Reasons = append(a.Reasons, medium...)
	return a
}

// ActionsAllowed tells what one can do with the figures, no matter who may do it.
type ActionsAllowed struct {
	Export             bool `json:"export"`
	ViewGroups         bool `json:"viewGroups" doc:"Groups are assigned"`
	ViewCohorts        bool `json:"viewCohorts" doc:"There are attempts"`
	ViewSubmissions    bool `json:"viewSubmissions" doc:"There are completed attempts"`
	ViewQuestionHealth bool `json:"viewQuestionHealth" doc:"There are completed attempts"`
}

func (c counts) actionsAllowed() ActionsAllowed {
	return ActionsAllowed{Export: true, ViewGroups: c.targets["group_id"] > 0, ViewCohorts: c.started() > 0,
		ViewSubmissions: c.completed() > 0, ViewQuestionHealth: c.completed() > 0}
}

// Links hold the parameters of other pages, not their addresses.
type Links struct {
	Evaluation     EvaluationLink     `json:"evaluation"`
	Submissions    SubmissionsLink    `json:"submissions"`
	QuestionHealth QuestionHealthLink `json:"questionHealth"`
	Groups         SummaryLink        `json:"groups"`
	Cohorts        SummaryLink        `json:"cohorts"`
}

// EvaluationLink leads to pages of an evaluation.
type EvaluationLink struct {
	EvaluationID ids.ID `json:"evaluationId"`
}

// SubmissionsLink leads to the submissions of the evaluation, of the same run and period.
type SubmissionsLink struct {
	EvaluationID ids.ID     `json:"evaluationId"`
	RunLabel     *string    `json:"run_label"`
	From         *time.Time `json:"from"`
	To           *time.Time `json:"to"`
}

// QuestionHealthLink leads to the question health of the version, of the same run and period.
type QuestionHealthLink struct {
	EvaluationVersionID ids.ID     `json:"evaluationVersionId"`
	RunLabel            *string    `json:"run_label"`
	From                *time.Time `json:"from"`
	To                  *time.Time `json:"to"`
}

// SummaryLink leads to lists of the same summary.
type SummaryLink struct {
	EvaluationVersionID ids.ID     `json:"evaluationVersionId"`
	RunLabel            *string    `json:"run_label"`
	GroupID             *ids.ID    `json:"groupId"`
	From                *time.Time `json:"from"`
	To                  *time.Time `json:"to"`
	Scope               string     `json:"scope" enum:"version,allVersions"`
}

func (in SummaryInput) links(q summaryQuery) Links {
	lists := SummaryLink{EvaluationVersionID: in.EvaluationVersionID, RunLabel: in.RunLabel, GroupID: in.GroupID, From: in.From, To: in.To,
		Scope: in.scope(q).Scope}
	return Links{Evaluation: EvaluationLink{q.evaluation}, Submissions: SubmissionsLink{q.evaluation, in.RunLabel, in.From, in.To},
		QuestionHealth: QuestionHealthLink{in.EvaluationVersionID, in.RunLabel, in.From, in.To}, Groups: lists, Cohorts: lists}
}
