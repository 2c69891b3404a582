package projection

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/models"
	"assess/pkg/kernel/db"
)

// plain is a rollup row as the reference counts it: slowly, from the attempts themselves.
type plain struct {
	Attempts, Scored, Correct, Omitted, Invalid, Pending, Exempt, Focus, Evaluations, LastRunN int64
	Facility, Facility7, Facility30, FacilityLast, OmitRate, AvgTime, Median, P90              float64
	Median7, Median30, AvgScore                                                                float64
	Options                                                                                    map[string]int64
}

// approximately allows floating-point sums to differ in their last digits; NaN is "unknown".
var approximately = cmp.Comparer(func(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-9*math.Max(1, math.Abs(a))
})

// seenItem is one item attempt of a completed submission.
type seenItem struct {
	*attempt
	answer
}

func day(at time.Time) time.Time { return at.UTC().Truncate(24 * time.Hour) }

func (i seenItem) status() string {
	if i.omitted {
		return "EXEMPT"
	}
	return i.answer.status
}

func reference(attempts []*attempt) map[rollupKey]plain {
	items := map[rollupKey][]seenItem{}
	for _, s := range attempts {
		if !s.submitted || s.voided {
			continue
		}
		for _, a := range s.answers {
			k := rollupKey{s.version.org, a.question.id}
			items[k] = append(items[k], seenItem{s, a})
		}
	}
	all := map[rollupKey]plain{}
	for k, seen := range items {
		all[k] = countItems(seen)
	}
	return all
}

func countItems(seen []seenItem) plain {
	newest := slices.MaxFunc(seen, func(a, b seenItem) int { return a.completedAt.Compare(b.completedAt) }).completedAt
	within := func(days int) []seenItem {
		return where(seen, func(i seenItem) bool { return day(i.completedAt).After(day(newest).AddDate(0, 0, -days)) })
	}
	count := func(status string) int64 {
		return int64(len(where(seen, func(i seenItem) bool { return i.status() == status })))
	}
	evaluations := map[any]bool{}
	p := plain{Attempts: int64(len(seen)), Scored: count("SCORED"), Invalid: count("INVALID"), Pending: count("PENDING"),
		Exempt: count("EXEMPT"), Options: map[string]int64{}}
	var scoreSum, timeSum float64
	for _, i := range seen {
		evaluations[i.version.evaluation] = true
		p.Omitted += one(i.omitted)
		p.Focus += one(i.focusLost > 0)
		if i.status() == "SCORED" {
			p.Correct += one(i.correct())
			scoreSum += i.score
			for _, o := range i.picked() {
				p.Options[o]++
			}
		}
	}
	for _, ms := range times(seen) {
		timeSum += ms
	}
	p.Evaluations = int64(len(evaluations))
	p.Facility, p.Facility7, p.Facility30 = facilityOf(seen), facilityOf(within(7)), facilityOf(within(30))
	p.OmitRate, p.AvgScore = float64(p.Exempt)/float64(p.Attempts), scoreSum/float64(p.Scored)
	p.AvgTime = timeSum / float64(len(times(seen)))
	p.Median, p.P90 = percentile(times(seen), 0.5), percentile(times(seen), 0.9)
	p.Median7, p.Median30 = percentile(times(within(7)), 0.5), percentile(times(within(30)), 0.5)
	last := lastRunOf(seen)
	p.LastRunN, p.FacilityLast = int64(len(last)), facilityOf(last)
	return p
}

func lastRunOf(seen []seenItem) []seenItem {
	var label string
	var newest time.Time
	for _, i := range seen {
		if i.run != nil && (day(i.completedAt).After(newest) || day(i.completedAt).Equal(newest) && *i.run > label) {
			label, newest = *i.run, day(i.completedAt)
		}
	}
	return where(seen, func(i seenItem) bool { return i.run != nil && *i.run == label })
}

func where(seen []seenItem, keep func(seenItem) bool) []seenItem {
	return slices.DeleteFunc(slices.Clone(seen), func(i seenItem) bool { return !keep(i) })
}

func one(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}

func facilityOf(seen []seenItem) float64 {
	scored := where(seen, func(i seenItem) bool { return i.status() == "SCORED" })
	correct := where(scored, func(i seenItem) bool { return i.correct() })
	return float64(len(correct)) / float64(len(scored))
}

func times(seen []seenItem) []float64 {
	var all []float64
	for _, i := range seen {
		if !i.omitted && i.ms != nil {
			all = append(all, float64(*i.ms))
		}
	}
	slices.Sort(all)
	return all
}

// percentile is R's type 7, which percentile_cont is too.
func percentile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := p * float64(len(sorted)-1)
	low, high := sorted[int(math.Floor(at))], sorted[int(math.Ceil(at))]
	return low + (high-low)*(at-math.Floor(at))
}

func readRollups(t *testing.T, w *world) (map[rollupKey]plain, error) {
	t.Helper()
	var rows []models.QuestionHealth
	err := w.store.Read(t.Context(), db.System(w.tenant, "test"), func(tx *db.Tx) error {
		return tx.NewSelect().Model(&rows).Where("tenant_id = ?", w.tenant).Scan(context.Background())
	})
	all := map[rollupKey]plain{}
	for _, h := range rows {
		all[rollupKey{h.OrgUnitID, h.QuestionVersionID}] = plainOf(h)
	}
	return all, err
}

func plainOf(h models.QuestionHealth) plain {
	value := func(v *float64) float64 {
		if v == nil {
			return math.NaN()
		}
		return *v
	}
	return plain{Attempts: h.AttemptsN, Scored: h.ScoredN, Correct: h.CorrectN, Omitted: h.OmittedN, Invalid: h.InvalidN,
		Pending: h.PendingN, Exempt: h.ExemptN, Focus: h.FocusLostN, Evaluations: h.EvaluationsCount,
		LastRunN: h.AttemptsLastRunN, Facility: value(h.FacilityPct), Facility7: value(h.Facility7dPct),
		Facility30: value(h.Facility30dPct), FacilityLast: value(h.FacilityLastRunPct), OmitRate: value(h.OmitRate),
		AvgTime: value(h.AvgTimeMs), Median: value(h.MedianTimeMs), P90: value(h.P90TimeMs),
		Median7: value(h.Median7dTimeMs), Median30: value(h.Median30dTimeMs), AvgScore: value(h.AvgScoreAwarded),
		Options: h.OptionCounts}
}
