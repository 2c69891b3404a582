package projection

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"assess/pkg/kernel/wire"
)

// rule is one line of the table in section 4.4, and everything about a flag: the figures it needs,
// when it applies, with how many attempts, and how it is explained. Flags are ranked by severity
// and by how far the value is past the threshold.
type rule struct {
	code string
	// called is what people read instead of the code.
	called   string
	severity string
	// needs says what has to be read before measure can tell.
	needs reading
	// measure gives nil while the value is unknown. A value equal to the threshold counts.
	measure   func(Figures) *float64
	holds     func(value, threshold float64) bool
	threshold float64
	// also is another condition on sums of attempts; nil without one.
	also func(Figures) bool
	// n is the denominator of the measure, and least the smallest n that will do.
	n     func(Figures) int64
	least int64
	// sentence shows the value, taken times scale.
	sentence string
	scale    float64
}

// reading is where the figures of a rule are read from. A list orders thousands of questions by
// their sums, and reads the rest only for questions whose place depends on it.
type reading int

const (
	sums reading = 0
	// options are Figures.WrongOptions.
	options reading = 1 << iota
	// windows are Figures.Median7dMs and Median30dMs. A rule that needs them is about timeRatio and
	// applies from its threshold upwards: lists use this to find the questions whose medians are worth a look.
	windows
)

// The scales of the values in sentences.
const (
	percent = 100
	ratio   = 1
)

var rules = []rule{
	{"TOO_EASY", "too easy", Minor, sums, facility, atLeast, 0.90, nil, scored, 30,
		"%.0f %% of the scored answers are right: the question is so easy that it tells few people apart.", percent},
	{"TOO_HARD", "too hard", Major, sums, facility, atMost, 0.20, nil, scored, 30,
		"Only %.0f %% of the scored answers are right: the question may be too hard, unclear, or its key wrong.", percent},
	{"HIGH_OMIT", "often left out", Major, sums, omittedRate, atLeast, 0.10, nil, attempts, 30,
		"%.0f %% of those who saw the question left it out.", percent},
	{"TIME_SPIKE", "takes longer than before", Minor, windows, timeRatio, atLeast, 2, nil, timed7d, 30,
		"The typical answer of the last 7 days took %.1f times as long as that of the last 30.", ratio},
	{"NON_FUNCTIONING_DISTRACTOR", "a wrong option that hardly anyone chooses", Minor, options, leastWrong, under, 0.02, nil, scored, 50,
		"A wrong option was chosen by %.1f %%: hardly anyone believes it, so it does not help to tell people apart.", percent},
	{"DISTRACTOR_DOMINANCE", "one wrong option chosen by most", Major, options, mostWrong, atLeast, 0.50, facilityAtMost(0.50), scored, 50,
		"%.0f %% chose the same wrong option: check the key first, then the wording.", percent},
	{"SPLIT_DISTRACTORS", "two wrong options chosen by many", Major, options, secondWrong, atLeast, 0.25, facilityAtMost(0.60), scored, 50,
		"Two wrong options were chosen by at least %.0f %% each: the question may be read in more than one way.", percent},
	{"FACILITY_DRIFT_UP", "easier than before", Minor, sums, drift, atLeast, 0.20, nil, lastRun, runAttempts,
		"In the last run %.0f more in a hundred were right than in the last 30 days: the question may have become known.", percent},
	{"FACILITY_DRIFT_DOWN", "harder than before", Major, sums, drift, atMost, -0.20, nil, lastRun, runAttempts,
		"In the last run %.0f fewer in a hundred were right than in the last 30 days: look at what has changed.", percent},
	{"HIGH_FOCUS_LOST_RATE", "window often left", Major, sums, focusLost, atLeast, 0.25, nil, attempts, 50,
		"In %.0f %% of the attempts the exam window was left: answers may have been looked up.", percent},
}

// Sums of tenths in floating point must not decide whether a threshold is reached.
const tolerance = 1e-9

func atLeast(value, threshold float64) bool { return value >= threshold-tolerance }
func atMost(value, threshold float64) bool  { return value <= threshold+tolerance }
func under(value, threshold float64) bool   { return value < threshold-tolerance }

func attempts(f Figures) int64 { return f.Attempts }
func scored(f Figures) int64   { return f.Scored }
func lastRun(f Figures) int64  { return f.LastRunAttempts }
func timed7d(f Figures) int64  { return f.Timed7d }

func facility(f Figures) *float64    { return f.Facility }
func omittedRate(f Figures) *float64 { return f.OmittedRate }
func focusLost(f Figures) *float64   { return f.FocusLostRate }

func facilityAtMost(most float64) func(Figures) bool {
	return func(f Figures) bool { return f.Facility != nil && atMost(*f.Facility, most) }
}

func timeRatio(f Figures) *float64 {
	if f.Median7dMs == nil || f.Median30dMs == nil {
		return nil
	}
	return Ratio(*f.Median7dMs, *f.Median30dMs)
}

func leastWrong(f Figures) *float64  { return wrong(f, len(f.WrongOptions)-1) }
func mostWrong(f Figures) *float64   { return wrong(f, 0) }
func secondWrong(f Figures) *float64 { return wrong(f, 1) }

// wrong is the share of the wrong option at a place, the most frequent first.
func wrong(f Figures, place int) *float64 {
	if place < 0 || place >= len(f.WrongOptions) {
		return nil
	}
	falling := slices.SortedFunc(slices.Values(f.WrongOptions), func(a, b float64) int { return cmp.Compare(b, a) })
	return &falling[place]
}

func drift(f Figures) *float64 {
	if f.FacilityLastRun == nil || f.Facility30d == nil {
		return nil
	}
	return new(*f.FacilityLastRun - *f.Facility30d)
}

// possible says whether everything except the measure is met.
func (r rule) possible(f Figures) bool { return r.n(f) >= r.least && (r.also == nil || r.also(f)) }

// raised gives the value where the rule raises its flag, else nil.
func (r rule) raised(f Figures) *float64 {
	value := r.measure(f)
	if value == nil || !r.possible(f) || !r.holds(*value, r.threshold) {
		return nil
	}
	return value
}

func (r rule) flag(f Figures, value float64) Flag {
	return Flag{Code: r.code, Label: "heuristic", Severity: r.severity, Value: value, Threshold: r.threshold, N: r.n(f),
		Sentence: fmt.Sprintf(r.sentence, wire.Cut(math.Abs(value)*r.scale, r.digits()))}
}

// digits is how many digits the sentence shows after the point: the others are cut off, since rounding could
// show the value on the other side of the threshold, or all where it is nearly all.
func (r rule) digits() int {
	if strings.Contains(r.sentence, "%.1f") {
		return 1
	}
	return 0
}

// couldRaise says whether a flag depends on figures that have yet to be read.
func couldRaise(f Figures, unread reading) bool {
	return slices.ContainsFunc(rules, func(r rule) bool { return r.needs&unread != 0 && r.possible(f) })
}

// leastSlower is the least ratio of medians that raises a flag.
func leastSlower() float64 {
	least := math.Inf(1)
	for _, r := range rules {
		if r.needs == windows {
			least = min(least, r.threshold)
		}
	}
	return least
}

// FlagCodes lists the flags in the order of the rules.
func FlagCodes() []string {
	var all []string
	for _, r := range rules {
		all = append(all, r.code)
	}
	return all
}
