package reporting

import (
	"math"
	"slices"

	"assess/pkg/kernel/ids"
)

func b2i(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

func mean(all []float64) float64 {
	sum := 0.0
	for _, x := range all {
		sum += x
	}
	return sum / float64(len(all))
}

func middle(all []float64) float64 {
	slices.Sort(all)
	n := len(all)
	if n == 0 {
		return math.NaN()
	}
	return (all[(n-1)/2] + all[n/2]) / 2
}

// plainOf turns a report into the same form, including the block of scores.
func plainOf(r EvaluationSummary) plainSummary {
	p := plainSummary{Attempts: r.Attempts, Access: r.Population.AccessPoints, Coverage: r.Population.Coverage, Pass: r.Outcomes.PassN,
		Fail: r.Outcomes.FailN, ScoredUngraded: r.ScoresProvisional.ScoredButUngradedN, Timed: r.Timing.TimeKnownAttemptsN,
		Known: r.Integrity.TelemetryKnownAttempts, Focus: r.Integrity.SessionsWithFocusLost, Exits: r.Integrity.SessionsWithFullscreenExit,
		Days: r.Activity.ActiveDays, NotStarted: -1, Methods: map[string][3]int64{}, Mean: orNaN(r.Scores.MeanScorePct),
		MeanScored: orNaN(r.ScoresProvisional.MeanScorePct), Avg: r.Timing.AvgDurationMs, Median: r.Timing.MedianDurationMs,
		Nothing: r.Scores.NothingToEarnN, NothingScored: r.ScoresProvisional.NothingToEarnN,
		Invited: orNaN(r.Hero.CompletionRate), OfBegun: orNaN(r.Funnel.CompletionRate), Level: r.Attention.Level}
	copy(p.Graded[:], r.Scores.Histogram)
	copy(p.Scored[:], r.ScoresProvisional.Histogram)
	if r.Funnel.NotStarted != nil {
		p.NotStarted = *r.Funnel.NotStarted
	}
	if r.Activity.FirstDay != nil {
		p.First, p.Last = *r.Activity.FirstDay, *r.Activity.LastDay
	}
	for _, m := range r.CompletionMethods {
		if m.Attempts > 0 {
			p.Methods[m.Method] = [3]int64{m.Attempts, m.PassN, m.FailN}
		}
	}
	for _, reason := range r.Attention.Reasons {
		p.Reasons = append(p.Reasons, reason.Code)
	}
	return p
}

func orNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// place names a section of a version.
type place struct {
	position int
	section  ids.ID
}

// referItems counts the items by tag and by section.
func (f *fair) referItems(in SummaryInput) (map[string]ItemSummary, map[place]ItemSummary) {
	byTag, bySection := map[string][]triedItem{}, map[place][]triedItem{}
	for _, s := range f.tried {
		if !s.completed() || !f.chosen(in, s) {
			continue
		}
		for _, item := range s.items {
			at := place{item.position, item.section}
			bySection[at] = append(bySection[at], item)
			for _, tag := range item.tags {
				byTag[tag] = append(byTag[tag], item)
			}
		}
	}
	return summed(byTag), summed(bySection)
}

func summed[K comparable](all map[K][]triedItem) map[K]ItemSummary {
	sums := map[K]ItemSummary{}
	for key, items := range all {
		var sum ItemSummary
		var times, parts []float64
		for _, i := range items {
			sum.ItemAttempts++
			sum.Omitted += b2i(i.omitted)
			if i.scored() {
				sum.ScoredAttempts++
				sum.Correct += b2i(i.correct)
				parts = append(parts, float(share(i.score, i.max)))
			}
			if !i.omitted && i.ms != nil {
				times = append(times, float64(*i.ms))
			}
		}
		sum.FacilityPct, sum.OmittedRate = rate(sum.Correct, sum.ScoredAttempts), rate(sum.Omitted, sum.ItemAttempts)
		sum.AvgScorePct, sum.AvgTimeMs = known(math.Max(mean(parts), 0)), inWhole(mean(times))
		sums[key] = sum
	}
	return sums
}

// inWhole rounds to whole milliseconds; nil for NaN.
func inWhole(ms float64) *int64 {
	if math.IsNaN(ms) {
		return nil
	}
	n := int64(math.Floor(ms + 0.5))
	return &n
}

// known is nil for NaN.
func known(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}
