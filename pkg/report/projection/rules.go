package projection

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// rule is one line of the table in section 4.4. measure gives the value and whether the
// rule's other conditions hold; the flag is raised when the value also reaches the
// threshold and n, the denominator of the measure, the least number.
type rule struct {
	code      string
	severity  string
	threshold float64
	holds     func(value, threshold float64) bool
	least     int64
	n         func(Figures) int64
	measure   func(Figures) (float64, bool)
	sentence  string
}

// The thresholds themselves count: floating-point sums of tenths must not decide.
const tolerance = 1e-9

func atLeast(value, threshold float64) bool { return value >= threshold-tolerance }
func atMost(value, threshold float64) bool  { return value <= threshold+tolerance }
func under(value, threshold float64) bool   { return value < threshold-tolerance }

func attempts(f Figures) int64 { return f.Attempts }
func scored(f Figures) int64   { return f.Scored }
func lastRun(f Figures) int64  { return f.LastRunAttempts }
func timed7d(f Figures) int64  { return f.Timed7d }

// What must be there before options and medians are worth a look.
const (
	optionAttempts = 50
	spikeTimes     = 30
	spikeRatio     = 2
)

var rules = []rule{
	{"TOO_EASY", Minor, 0.90, atLeast, 30, scored, facility, "%.0f %% of the scored answers are right: the question is so easy that it tells few people apart."},
	{"TOO_HARD", Major, 0.20, atMost, 30, scored, facility, "Only %.0f %% of the scored answers are right: the question may be too hard, unclear, or its key wrong."},
	{"HIGH_OMIT", Major, 0.10, atLeast, 30, attempts, omittedRate, "%.0f %% of those who saw the question left it out."},
	{"TIME_SPIKE", Minor, spikeRatio, atLeast, spikeTimes, timed7d, timeRatio, "The typical answer of the last 7 days took %.1f times as long as that of the last 30."},
	{"NON_FUNCTIONING_DISTRACTOR", Minor, 0.02, under, optionAttempts, scored, leastWrong, "A wrong option was chosen by %.1f %%: hardly anyone believes it, so it does not help to tell people apart."},
	{"DISTRACTOR_DOMINANCE", Major, 0.50, atLeast, optionAttempts, scored, dominantWrong, "%.0f %% chose the same wrong option: check the key first, then the wording."},
	{"SPLIT_DISTRACTORS", Major, 0.25, atLeast, optionAttempts, scored, secondWrong, "Two wrong options were chosen by at least %.0f %% each: the question may be read in more than one way."},
	{"FACILITY_DRIFT_UP", Minor, 0.20, atLeast, runAttempts, lastRun, drift, "In the last run %.0f more in a hundred were right than in the last 30 days: the question may have become known."},
	{"FACILITY_DRIFT_DOWN", Major, -0.20, atMost, runAttempts, lastRun, drift, "In the last run %.0f fewer in a hundred were right than in the last 30 days: look at what has changed."},
	{"HIGH_FOCUS_LOST_RATE", Major, 0.25, atLeast, 50, attempts, focusLost, "In %.0f %% of the attempts the exam window was left: answers may have been looked up."},
}

// FlagCodes lists the flags in the order of the rules.
func FlagCodes() []string {
	var all []string
	for _, r := range rules {
		all = append(all, r.code)
	}
	return all
}

func facility(f Figures) (float64, bool)    { return known(f.Facility) }
func omittedRate(f Figures) (float64, bool) { return known(f.OmittedRate) }
func focusLost(f Figures) (float64, bool)   { return known(f.FocusLostRate) }

func timeRatio(f Figures) (float64, bool) {
	if f.Median7dMs == nil || f.Median30dMs == nil || *f.Median30dMs <= 0 {
		return 0, false
	}
	return *f.Median7dMs / *f.Median30dMs, true
}

func leastWrong(f Figures) (float64, bool) {
	if len(f.WrongOptions) == 0 {
		return 0, false
	}
	return slices.Min(f.WrongOptions), true
}

func dominantWrong(f Figures) (float64, bool) {
	if len(f.WrongOptions) == 0 || f.Facility == nil {
		return 0, false
	}
	return slices.Max(f.WrongOptions), atMost(*f.Facility, 0.50)
}

func secondWrong(f Figures) (float64, bool) {
	if len(f.WrongOptions) < 2 || f.Facility == nil {
		return 0, false
	}
	falling := slices.SortedFunc(slices.Values(f.WrongOptions), func(a, b float64) int { return cmp.Compare(b, a) })
	return falling[1], atMost(*f.Facility, 0.60)
}

func drift(f Figures) (float64, bool) {
	if f.FacilityLastRun == nil || f.Facility30d == nil {
		return 0, false
	}
	return *f.FacilityLastRun - *f.Facility30d, true
}

func known(v *float64) (float64, bool) {
	if v == nil {
		return 0, false
	}
	return *v, true
}

// raised says whether the rule raises its flag, with the value and the number behind it.
func (r rule) raised(f Figures) (value float64, n int64, raised bool) {
	value, applies := r.measure(f)
	n = r.n(f)
	return value, n, applies && n >= r.least && r.holds(value, r.threshold)
}

func (r rule) apply(f Figures) (Flag, bool) {
	value, n, raised := r.raised(f)
	if !raised {
		return Flag{}, false
	}
	shown := math.Abs(value)
	if r.code != "TIME_SPIKE" {
		shown *= 100
	}
	return Flag{Code: r.code, Severity: r.severity, Value: value, Threshold: r.threshold, N: n,
		Sentence: fmt.Sprintf(r.sentence, shown)}, true
}
