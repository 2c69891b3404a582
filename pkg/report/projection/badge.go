package projection

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"assess/models"
)

// The health states (decisions, section 5), best to worst.
const (
	InsufficientData = "INSUFFICIENT_DATA"
	Healthy          = "HEALTHY"
	Watch            = "WATCH"
	NeedsAttention   = "NEEDS_ATTENTION"
)

// Confidence tells how far the attempts of a question can be trusted.
const (
	Low  = "LOW"
	Med  = "MED"
	High = "HIGH"
)

// Called is what people read instead of the code of a badge or a flag: on pages, at a terminal and in
// docs/question-health.md.
func Called(code string) string {
	for _, r := range rules {
		if r.code == code {
			return r.called
		}
	}
	return map[string]string{InsufficientData: "too few attempts", Healthy: "healthy", Watch: "watch", NeedsAttention: "needs attention"}[code]
}

// AllCalled is the same for several codes, joined by commas.
func AllCalled(codes []string) string {
	all := make([]string, 0, len(codes))
	for _, c := range codes {
		all = append(all, Called(c))
	}
	return strings.Join(all, ", ")
}

// Severities of flags. One major flag makes a question NEEDS_ATTENTION.
const (
	Major = "major"
	Minor = "minor"
)

// Figures are what the rules look at. Rates are fractions in [0,1], times milliseconds;
// nil is unknown, and an unknown figure raises no flag.
type Figures struct {
	Attempts, Scored, LastRunAttempts int64
	// Timed7d counts the answers with a known time behind Median7dMs.
	Timed7d int64

	Facility, FacilityLastRun, Facility30d *float64
	FocusLostRate                          *float64
	// OmittedRate covers people who left the question out; people who were exempted did not.
	OmittedRate             *float64
	Median7dMs, Median30dMs *float64
	// WrongOptions holds the share of scored attempts of every wrong option, including options that
	// nobody chose.
	WrongOptions []float64
}

// Flag is one heuristic finding.
type Flag = models.HealthFlag

// Badge is the verdict on a question version: a heuristic, not psychometrics.
type Badge struct {
	Status, Confidence string
	Flags              []Flag
	// TopReasons holds the codes of at most three flags, major ones first, then the ones farther past
	// their threshold.
	TopReasons []string
}

// Thresholds of the confidence levels and of a run that says something
// (specification, section 4.4).
const (
	medAttempts  = 30
	highAttempts = 100
	runAttempts  = 20
)

// Judge applies the rules. Nothing is flagged at LOW confidence.
func Judge(f Figures) Badge {
	b := Badge{Confidence: Confidence(f.Attempts), Flags: []Flag{}, TopReasons: []string{}}
	if b.Confidence == Low {
		b.Status = InsufficientData
		return b
	}
	b.Status = Healthy
	for _, r := range rules {
		value := r.raised(f)
		if value == nil {
			continue
		}
		b.Flags = append(b.Flags, r.flag(f, *value))
		if r.severity == Major {
			b.Status = NeedsAttention
		} else if b.Status == Healthy {
			b.Status = Watch
		}
	}
	b.TopReasons = topReasons(b.Flags)
	return b
}

// Confidence is LOW under 30 attempts, MED under 100, else HIGH.
func Confidence(attempts int64) string {
	switch {
	case attempts < medAttempts:
		return Low
	case attempts < highAttempts:
		return Med
	}
	return High
}

func topReasons(flags []Flag) []string {
	sorted := slices.Clone(flags)
	// "major" sorts before "minor".
	slices.SortStableFunc(sorted, func(a, b Flag) int {
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(excess(b), excess(a)))
	})
	reasons := []string{}
	for _, flag := range sorted[:min(3, len(sorted))] {
		reasons = append(reasons, flag.Code)
	}
	return reasons
}

// excess is how far the value lies past the threshold, in relation to it.
func excess(f Flag) float64 { return math.Abs(f.Value-f.Threshold) / math.Abs(f.Threshold) }

// attentionRank orders questions by need: status first, then major and other flags. A rule that
// needs figures which are not read yet counts as raised if it may be, so the rank is then the
// highest that the question can have.
func attentionRank(f Figures, unread reading) int {
	if Confidence(f.Attempts) == Low {
		return 0
	}
	status, major, flags := 1, 0, 0
	for _, r := range rules {
		if r.needs&unread != 0 && !r.possible(f) || r.needs&unread == 0 && r.raised(f) == nil {
			continue
		}
		flags++
		status = max(status, 2)
		if r.severity == Major {
			major++
			status = 3
		}
	}
	return status*10000 + major*100 + flags
}
