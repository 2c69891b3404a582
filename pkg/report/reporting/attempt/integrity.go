package attempt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"assess/models"
	"assess/pkg/author/authoring"
	"assess/pkg/kernel/plural"
	"assess/pkg/report/projection"
)

// Integrity tells what could have disturbed the attempt. It is not a verdict.
type Integrity struct {
	AttentionLevel   string           `json:"attentionLevel" enum:"low,medium,high" doc:"high: a major flag or three minor ones; medium: a minor one"`
	Summary          string           `json:"summary" doc:"In plain English"`
	Flags            []Flag           `json:"flags" nullable:"false" doc:"Major ones first"`
	TelemetryCounts  *TelemetryCounts `json:"telemetryCounts" doc:"Null while nothing is known"`
	Metrics          Metrics          `json:"metrics"`
	TelemetrySummary TelemetrySummary `json:"telemetrySummary"`
}

// Flag is one observation, with the measured value and the threshold.
type Flag struct {
	Code      string  `json:"code" example:"FOCUS_LOST_OFTEN"`
	Severity  string  `json:"severity" enum:"minor,major"`
	Value     float64 `json:"value"`
	Threshold float64 `json:"threshold"`
	Sentence  string  `json:"sentence"`
}

// TelemetryCounts counts the runtime events that reviewers look at.
type TelemetryCounts struct {
	FocusLost      int `json:"focusLost"`
	FullscreenExit int `json:"fullscreenExit"`
	Copy           int `json:"copy"`
	Paste          int `json:"paste"`
	NetworkLost    int `json:"networkLost"`
}

// Telemetry is the summary that is left of the events of a session.
type Telemetry struct {
	Counts             TelemetryCounts
	Events, Heartbeats int
	LastActivityAt     *time.Time
}

// TelemetrySummary tells how much is known.
type TelemetrySummary struct {
	State          string     `json:"state" enum:"recorded,none,pending" doc:"none: the client sent no event; pending: what it sent is not summed up yet"`
	Events         int        `json:"events" doc:"Events of every kind"`
	Heartbeats     int        `json:"heartbeats"`
	LastActivityAt *time.Time `json:"lastActivityAt"`
}

// Metrics are computed from the items and the counts.
type Metrics struct {
	FocusLostPerHour *float64 `json:"focusLostPerHour" doc:"Null without telemetry or duration"`
	TimeOnItemsRate  *float64 `json:"timeOnItemsRate" doc:"totalTimeOnItemsMs over durationMs, at most 1"`
	IdleRate         *float64 `json:"idleRate" doc:"idleEstimateMs over durationMs"`
	MedianTimeMs     *int64   `json:"medianTimeMs" doc:"Over answered items with a known time"`
	FastestTimeMs    *int64   `json:"fastestTimeMs" doc:"Over answered items with a known time"`
	RapidAnswers     int      `json:"rapidAnswers" doc:"Answered items with a known time below 2,000 ms"`
	RapidAnswerRate  *float64 `json:"rapidAnswerRate" doc:"rapidAnswers over answered items with a known time"`
}

// The levels of attention and the severities.
const (
	low, medium, high = "low", "medium", "high"
	minor, major      = "minor", "major"
)

// The thresholds of the flags.
const (
	rapidMs        = 2000
	rapidRate      = 0.25
	rapidLeast     = 3
	idleRate       = 0.5
	idleLeastMs    = 10 * 60 * 1000
	focusOften     = 5
	fullscreenMany = 3
)

func (r record) integrity(items []Item, t Timing, fresh projection.Freshness) Integrity {
	i := Integrity{Metrics: r.metrics(items, t), Flags: []Flag{}, TelemetrySummary: r.telemetrySummary(fresh)}
	if r.telemetry != nil {
		i.TelemetryCounts = &r.telemetry.Counts
		i.Flags = append(i.Flags, eventFlags(r.telemetry.Counts, r.snapshot.Settings.Lockdown)...)
	}
	i.Flags = append(i.Flags, timeFlags(i.Metrics, t)...)
	slices.SortStableFunc(i.Flags, func(a, b Flag) int { return strings.Compare(a.Severity, b.Severity) })
	i.AttentionLevel = level(i.Flags)
	i.Summary = r.inPlainEnglish(i)
	return i
}

func (r record) telemetrySummary(fresh projection.Freshness) TelemetrySummary {
	if r.telemetry != nil {
		return TelemetrySummary{State: "recorded", Events: r.telemetry.Events, Heartbeats: r.telemetry.Heartbeats, LastActivityAt: r.telemetry.LastActivityAt}
	}
	if !r.projected && (r.Status == models.SubmissionCompleted || fresh.ProjectionLagMs > 0) {
		return TelemetrySummary{State: "pending"}
	}
	return TelemetrySummary{State: "none"}
}

func (r record) metrics(items []Item, t Timing) Metrics {
	var times []int64
	for _, item := range items {
		if !item.IsOmitted && item.TimeOnItemMs != nil {
			times = append(times, *item.TimeOnItemMs)
		}
	}
	slices.Sort(times)
	m := Metrics{MedianTimeMs: projection.Milliseconds(median(times))}
	for _, ms := range times {
		if ms < rapidMs {
			m.RapidAnswers++
		}
	}
	m.RapidAnswerRate = rate(m.RapidAnswers, len(times))
	if len(times) > 0 {
		m.FastestTimeMs = &times[0]
	}
	if t.DurationMs == nil {
		return m
	}
	duration := float64(*t.DurationMs)
	m.TimeOnItemsRate = over(min(float64(t.TotalTimeOnItemsMs), duration), duration)
	m.IdleRate = over(float64(*t.IdleEstimateMs), duration)
	if r.telemetry != nil {
		m.FocusLostPerHour = over(float64(r.telemetry.Counts.FocusLost)*float64(time.Hour.Milliseconds()), duration)
	}
	return m
}

// median expects sorted values.
func median(values []int64) *float64 {
	if len(values) == 0 {
		return nil
	}
	middle := (float64(values[(len(values)-1)/2]) + float64(values[len(values)/2])) / 2
	return &middle
}

// eventFlags leaves out events that the evaluation allows. Events that lockdown should have
// prevented are major, however rare.
func eventFlags(n TelemetryCounts, l authoring.Lockdown) []Flag {
	var flags []Flag
	add := func(allowed bool, code, what string, count, many int) {
		if allowed || count == 0 {
			return
		}
		f := Flag{Code: code, Severity: minor, Value: float64(count), Threshold: 1, Sentence: what + " " + times(count) + "."}
		switch {
		case l.Required:
			f.Severity = major
			f.Sentence = strings.TrimSuffix(f.Sentence, ".") + ", although the evaluation asks for lockdown."
		case many > 0 && count >= many:
			f.Code, f.Severity, f.Threshold = code+"_OFTEN", major, float64(many)
		}
		flags = append(flags, f)
	}
	add(l.AllowFocusLoss, "FOCUS_LOST", "The window lost the focus", n.FocusLost, focusOften)
	add(l.AllowFullscreenExit, "FULLSCREEN_EXIT", "Full screen was left", n.FullscreenExit, fullscreenMany)
	add(l.AllowCopy, "COPY", "Text was copied", n.Copy, 0)
	add(l.AllowPaste, "PASTE", "Text was pasted", n.Paste, 0)
	return flags
}

func timeFlags(m Metrics, t Timing) []Flag {
	var flags []Flag
	if m.RapidAnswers >= rapidLeast && *m.RapidAnswerRate >= rapidRate {
		flags = append(flags, Flag{Code: "RAPID_ANSWERS", Severity: minor, Value: *m.RapidAnswerRate, Threshold: rapidRate,
			Sentence: fmt.Sprintf("%d answers came within two seconds.", m.RapidAnswers)})
	}
	if t.TimedItems > 0 && m.IdleRate != nil && *m.IdleRate >= idleRate && *t.IdleEstimateMs >= idleLeastMs {
		flags = append(flags, Flag{Code: "LONG_IDLE", Severity: minor, Value: *m.IdleRate, Threshold: idleRate,
			Sentence: plural.Of(*t.IdleEstimateMs/60_000, "minute of the attempt belongs to no item.", "minutes of the attempt belong to no item.")})
	}
	return flags
}

func level(flags []Flag) string {
	switch {
	case slices.ContainsFunc(flags, func(f Flag) bool { return f.Severity == major }), len(flags) >= 3:
		return high
	case len(flags) > 0:
		return medium
	}
	return low
}

// inPlainEnglish says what happened, then what is unknown.
func (r record) inPlainEnglish(i Integrity) string {
	var sentences []string
	if r.Status == models.SubmissionVoided {
		sentences = append(sentences, "The submission was voided and counts nowhere.")
	}
	for _, f := range i.Flags {
		sentences = append(sentences, f.Sentence)
	}
	if len(i.Flags) == 0 {
		sentences = append(sentences, "Nothing stands out.")
	}
	if i.TelemetryCounts != nil && i.TelemetryCounts.NetworkLost > 0 {
		sentences = append(sentences, "The network was lost "+times(i.TelemetryCounts.NetworkLost)+".")
	}
	switch {
	case r.CompletionMethod == models.CompletionAutoSubmitted:
		sentences = append(sentences, "The time ran out, and what was saved was submitted.")
	case r.SubmittedBy != "user:"+r.UserID.String():
		sentences = append(sentences, "Somebody else handed it in.")
	}
	switch i.TelemetrySummary.State {
	case "none":
		sentences = append(sentences, "The client reported no events, so nothing is known about the window.")
	case "pending":
		sentences = append(sentences, "The events of the client are not summed up yet.")
	}
	return strings.Join(sentences, " ")
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}
