package reporting

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"assess/models"
	"assess/pkg/kernel/ids"
)

// seenItem is an attempt at a question that counts.
type seenItem struct {
	*tried
	triedItem
}

func (i seenItem) day() time.Time { return i.ended.UTC().Truncate(24 * time.Hour) }

// standing is the score status that question health counts: an omitted item is exempt.
func (i seenItem) standing() string {
	if i.omitted {
		return "EXEMPT"
	}
	return i.status
}

// pattern is the answer in the form that tells it from others.
func (i seenItem) pattern() []string {
	if i.qtype == "order" || i.qtype == "match" || i.qtype == "gap" {
		return i.options
	}
	return i.picked()
}

// picked are the options as they are counted.
func (i seenItem) picked() []string {
	switch {
	case i.qtype == "mcq":
		return i.options[:1]
	case i.qtype == "mrq":
		return slices.Compact(slices.Sorted(slices.Values(i.options)))
	}
	return nil
}

// takes says in plain code whether a filter chooses an attempt.
func (h HealthFilter) takes(f *fair, i seenItem) bool {
	return (h.EvaluationVersionID == ids.None || f.versions[i.version] == h.EvaluationVersionID) &&
		(h.RunLabel == nil || label(i.run) == *h.RunLabel) &&
		(h.From == nil || !i.ended.Before(*h.From)) && (h.To == nil || i.ended.Before(*h.To)) &&
		!slices.ContainsFunc(h.Tags, func(tag string) bool { return !slices.Contains(i.tags, tag) })
}

// referHealth counts every question of the org units, with the attempts of all of them
// together.
func (f *fair) referHealth(orgs []ids.ID, h HealthFilter) map[ids.ID]QuestionHealthDetail {
	seen := map[ids.ID][]seenItem{}
	for _, s := range f.tried {
		for _, item := range s.items {
			one := seenItem{s, item}
			if s.completed() && slices.Contains(orgs, s.org) && h.takes(f, one) {
				seen[item.question] = append(seen[item.question], one)
			}
		}
	}
	all := map[ids.ID]QuestionHealthDetail{}
	for question, items := range seen {
		d := f.referQuestion(question, items)
		d.KeyCorrections = f.referKeyCorrections(question, items, orgs)
		d.Exemptions = f.referExemptions(question, items, orgs)
		all[question] = d
	}
	return all
}

func (f *fair) referQuestion(question ids.ID, seen []seenItem) QuestionHealthDetail {
	d := QuestionHealthDetail{QuestionVersionID: question, QType: seen[0].qtype, Core: DetailCore{Core: coreFigures(seen)}}
	newest := slices.MaxFunc(seen, func(a, b seenItem) int { return a.day().Compare(b.day()) }).day()
	window := func(days int) []seenItem {
		return only(seen, func(i seenItem) bool { return i.day().After(newest.AddDate(0, 0, -days)) })
	}
	d.Core.Timing = Timing{AvgTimeMs: inWhole(mean(timesOf(seen))), MedianTimeMs: inWhole(quantile(timesOf(seen), 0.5)),
		P90TimeMs: inWhole(quantile(timesOf(seen), 0.9)), Median7dTimeMs: inWhole(quantile(timesOf(window(7)), 0.5)),
		Median30dTimeMs: inWhole(quantile(timesOf(window(30)), 0.5))}
	var awarded, parts []float64
	for _, i := range scoredOf(seen) {
		awarded, parts = append(awarded, float(i.triedItem.score)), append(parts, float(share(i.triedItem.score, i.triedItem.max)))
	}
	d.Core.Scoring = Scoring{AvgScoreAwarded: known(mean(awarded)), AvgScorePct: known(math.Max(mean(parts), 0))}
	d.Core.FocusLostRate = rate(count(seen, func(i seenItem) bool { return i.focus > 0 }), int64(len(seen)))
	d.Runs = referRuns(seen)
	d.Core.Exposure = Exposure{EvaluationsCount: different(seen, func(i seenItem) any { return i.evaluation }), RecentRuns: []models.RecentRun{}}
	for _, r := range d.Runs[:min(5, len(d.Runs))] {
		d.Core.Exposure.RecentRuns = append(d.Core.Exposure.RecentRuns, models.RecentRun{RunLabel: r.RunLabel, Attempts: r.Attempts,
			Scored: r.ScoredAttempts, FacilityPct: r.FacilityPct, LastDay: r.LastDay})
	}
	d.Core.Drift = Drift{Facility7dPct: facility(window(7)), Facility30dPct: facility(window(30))}
	if len(d.Runs) > 0 {
		d.Core.Drift.FacilityLastRunPct, d.Core.Drift.AttemptsLastRun = d.Runs[0].FacilityPct, d.Runs[0].Attempts
	}
	if last, month := d.Core.Drift.FacilityLastRunPct, d.Core.Drift.Facility30dPct; last != nil && month != nil {
		d.Core.Drift.Drift = math.Abs(*last - *month)
	}
	d.Timeline = referTimeline(seen)
	d.ExposureSummary = ExposureSummary{FirstDay: slices.MinFunc(seen, func(a, b seenItem) int { return a.day().Compare(b.day()) }).day().Format(time.DateOnly),
		LastDay: newest.Format(time.DateOnly), DaysWithAttempts: different(seen, func(i seenItem) any { return i.day() }),
		Attempts7d: int64(len(window(7))), Attempts30d: int64(len(window(30))), RunsCount: int64(len(d.Runs)),
		EvaluationsCount: d.Core.Exposure.EvaluationsCount, EvaluationVersions: f.referExposed(seen)}
	d.Analysis = f.referAnalysis(question, seen)
	f.referBadge(&d, seen, window(7), window(30))
	return d
}

func coreFigures(seen []seenItem) Core {
	status := func(s string) int64 { return count(seen, func(i seenItem) bool { return i.standing() == s }) }
	c := Core{Attempts: int64(len(seen)), ScoredAttempts: status("SCORED"), Correct: count(scoredOf(seen), func(i seenItem) bool { return i.correct }),
		Omitted: count(seen, func(i seenItem) bool { return i.omitted }), FacilityPct: facility(seen), MedianTimeMs: inWhole(quantile(timesOf(seen), 0.5)),
		StatusCounts: StatusCounts{Scored: status("SCORED"), Pending: status("PENDING"), Invalid: status("INVALID"), Exempt: status("EXEMPT")}}
	c.OmitRate, c.InvalidRate = rate(c.StatusCounts.Exempt, c.Attempts), rate(c.StatusCounts.Invalid, c.Attempts)
	return c
}

// referRuns puts the newest run first; of several that end on one day the greater label.
func referRuns(seen []seenItem) []RunHealth {
	runs := []RunHealth{}
	for run, items := range grouped(seen, func(i seenItem) string { return label(i.run) }) {
		if run == "" {
			continue
		}
		c := coreFigures(items)
		runs = append(runs, RunHealth{RunLabel: run, LastDay: lastDay(items), Attempts: c.Attempts, ScoredAttempts: c.ScoredAttempts,
			FacilityPct: c.FacilityPct, FacilityDifference: difference(c.FacilityPct, facility(seen)), OmitRate: c.OmitRate,
			MedianTimeMs: c.MedianTimeMs, OptionPct: map[string]float64{}})
		for option, n := range counted(scoredOf(items), seenItem.picked) {
			runs[len(runs)-1].OptionPct[option] = float64(n) / float64(c.ScoredAttempts)
		}
	}
	slices.SortFunc(runs, func(a, b RunHealth) int {
		return cmp.Or(strings.Compare(b.LastDay, a.LastDay), strings.Compare(b.RunLabel, a.RunLabel))
	})
	return runs
}

func referTimeline(seen []seenItem) []WeekHealth {
	weeks := []WeekHealth{}
	for monday, items := range grouped(seen, func(i seenItem) string {
		return i.day().AddDate(0, 0, -(int(i.day().Weekday())+6)%7).Format(time.DateOnly)
	}) {
		c := coreFigures(items)
		var parts []float64
		for _, i := range scoredOf(items) {
			parts = append(parts, float(share(i.triedItem.score, i.triedItem.max)))
		}
		weeks = append(weeks, WeekHealth{Week: monday, Attempts: c.Attempts, ScoredAttempts: c.ScoredAttempts, FacilityPct: c.FacilityPct,
			FacilityDifference: difference(c.FacilityPct, facility(seen)), OmitRate: c.OmitRate,
			AvgScorePct: known(math.Max(mean(parts), 0)), AvgTimeMs: inWhole(mean(timesOf(items)))})
	}
	slices.SortFunc(weeks, func(a, b WeekHealth) int { return strings.Compare(a.Week, b.Week) })
	return weeks
}

func (f *fair) referExposed(seen []seenItem) []ExposedEvaluation {
	exposed := []ExposedEvaluation{}
	for version, items := range grouped(seen, func(i seenItem) int { return i.version }) {
		exposed = append(exposed, ExposedEvaluation{EvaluationID: f.printed[version].EvaluationID, EvaluationVersionID: f.versions[version],
			Attempts: int64(len(items)), FacilityPct: facility(items), LastDay: lastDay(items)})
	}
	slices.SortFunc(exposed, func(a, b ExposedEvaluation) int {
		return cmp.Or(cmp.Compare(b.Attempts, a.Attempts), byID(a.EvaluationVersionID, b.EvaluationVersionID))
	})
	return exposed
}

func only(seen []seenItem, keep func(seenItem) bool) []seenItem {
	return slices.DeleteFunc(slices.Clone(seen), func(i seenItem) bool { return !keep(i) })
}

func count(seen []seenItem, which func(seenItem) bool) int64 { return int64(len(only(seen, which))) }

func scoredOf(seen []seenItem) []seenItem {
	return only(seen, func(i seenItem) bool { return i.standing() == "SCORED" })
}

func facility(seen []seenItem) *float64 {
	return rate(count(scoredOf(seen), func(i seenItem) bool { return i.correct }), int64(len(scoredOf(seen))))
}

func timesOf(seen []seenItem) []float64 {
	var all []float64
	for _, i := range seen {
		if !i.omitted && i.ms != nil {
			all = append(all, float64(*i.ms))
		}
	}
	slices.Sort(all)
	return all
}

// quantile interpolates between the neighbours, as percentile_cont does.
func quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := p * float64(len(sorted)-1)
	low, high := sorted[int(math.Floor(at))], sorted[int(math.Ceil(at))]
	return low + (high-low)*(at-math.Floor(at))
}

func grouped[K comparable](seen []seenItem, by func(seenItem) K) map[K][]seenItem {
	all := map[K][]seenItem{}
	for _, i := range seen {
		all[by(i)] = append(all[by(i)], i)
	}
	return all
}

func counted(seen []seenItem, codes func(seenItem) []string) map[string]int64 {
	all := map[string]int64{}
	for _, i := range seen {
		for _, code := range codes(i) {
			all[code]++
		}
	}
	return all
}

func different(seen []seenItem, what func(seenItem) any) int64 {
	all := map[any]bool{}
	for _, i := range seen {
		all[what(i)] = true
	}
	return int64(len(all))
}

func lastDay(seen []seenItem) string {
	last := ""
	for _, i := range seen {
		last = max(last, i.day().Format(time.DateOnly))
	}
	return last
}
