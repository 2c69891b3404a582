package projection

import (
	"cmp"
	"math"
	"slices"
	"time"

	"assess/models"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// questionCounts is what the day tables say about one question; every figure of it is derived from
// here, whether the days are stored or made for a filter.
type questionCounts struct {
	qtype                                                                 string
	attempts, scored, pending, invalid, exempt, correct, omitted          int64
	timed, focusLost, evaluations, correct7, scored7, correct30, scored30 int64
	timed7                                                                int64
	timeSum, scoreSum, scorePctSum                                        float64
	runs                                                                  []runCounts
	// options counts SCORED attempts by run and option id; run '' holds attempts without a run.
	options map[string]map[string]int64
	// oldest and newest are the first and the last day of an outline.
	oldest, newest time.Time
	// versions are the evaluation versions that showed it.
	versions []ids.ID
	key      Key
	// survey says that the question adds nothing to a score: there is no right and wrong.
	survey bool
}

// runCounts is the share of one labelled run.
type runCounts struct {
	label                             string
	attempts, scored, correct, exempt int64
	lastDay                           time.Time
}

// recentRuns is how many runs the rollup lists.
const recentRuns = 5

// Ratio is a share or a mean; it is unknown if the whole is nothing.
func Ratio[P, W int | int64 | float64](part P, whole W) *float64 {
	if whole == 0 {
		return nil
	}
	v := float64(part) / float64(whole)
	return &v
}

// Share is a mean of shares of the maximum. Negative marking makes some of them negative, and
// their sum stops at 0, as the total of an attempt does.
func Share(sum float64, n int64) *float64 { return Ratio(max(sum, 0), n) }

// Milliseconds rounds a duration: reports give whole ones.
func Milliseconds(ms *float64) *int64 {
	if ms == nil {
		return nil
	}
	whole := int64(math.Round(*ms))
	return &whole
}

// health makes the rollup row, all but its key, its medians and its badge.
func (t *questionCounts) health() models.QuestionHealth {
	t.sortRuns()
	h := models.QuestionHealth{
		QType: t.qtype, AttemptsN: t.attempts, CorrectN: t.correct, OmittedN: t.omitted, ScoredN: t.scored,
		PendingN: t.pending, InvalidN: t.invalid, ExemptN: t.exempt,
		FacilityPct: Ratio(t.correct, t.scored), OmitRate: Ratio(t.exempt, t.attempts),
		AvgTimeMs: Ratio(t.timeSum, t.timed), AvgScoreAwarded: Ratio(t.scoreSum, t.scored),
		AvgScorePct: Share(t.scorePctSum, t.scored), OptionCounts: t.optionCounts(),
		Facility7dPct: Ratio(t.correct7, t.scored7), Facility30dPct: Ratio(t.correct30, t.scored30),
		Time7dN: t.timed7, FocusLostN: t.focusLost, EvaluationsCount: t.evaluations, RecentRuns: []models.RecentRun{},
	}
	h.OptionPct = shares(h.OptionCounts, t.scored)
	for _, r := range t.runs[:min(recentRuns, len(t.runs))] {
		h.RecentRuns = append(h.RecentRuns, models.RecentRun{RunLabel: r.label, Attempts: r.attempts, Scored: r.scored,
			FacilityPct: Ratio(r.correct, r.scored), LastDay: r.lastDay.Format(time.DateOnly)})
	}
	if len(t.runs) > 0 {
		h.FacilityLastRunPct, h.AttemptsLastRunN = Ratio(t.runs[0].correct, t.runs[0].scored), t.runs[0].attempts
	}
	if h.FacilityLastRunPct != nil && h.Facility30dPct != nil {
		h.Drift = max(*h.FacilityLastRunPct-*h.Facility30dPct, *h.Facility30dPct-*h.FacilityLastRunPct)
	}
	return h
}

// sortRuns puts the newest run first; of several that end on one day the greater label.
func (t *questionCounts) sortRuns() {
	slices.SortFunc(t.runs, func(a, b runCounts) int {
		return cmp.Or(b.lastDay.Compare(a.lastDay), cmp.Compare(b.label, a.label))
	})
}

func (t *questionCounts) optionCounts() map[string]int64 {
	all := map[string]int64{}
	for _, run := range t.options {
		for option, n := range run {
			all[option] += n
		}
	}
	return all
}

func shares(counts map[string]int64, whole int64) map[string]float64 {
	all := map[string]float64{}
	for code, n := range counts {
		if share := Ratio(n, whole); share != nil {
			all[code] = *share
		}
	}
	return all
}

// byRun makes the by-run rows, all but their keys and medians.
func (t *questionCounts) byRun() []models.QuestionRun {
	var all []models.QuestionRun
	for _, r := range t.runs {
		all = append(all, models.QuestionRun{RunLabel: r.label, LastDay: r.lastDay, AttemptsN: r.attempts, ScoredN: r.scored,
			FacilityPct: Ratio(r.correct, r.scored), OmitRate: Ratio(r.exempt, r.attempts),
			OptionPct: shares(t.options[r.label], r.scored)})
	}
	return all
}

// applyBadge judges the row by its own figures and by what t knows of the question. It does not
// judge whether answers to a survey question are right.
func applyBadge(h *models.QuestionHealth, t *questionCounts) {
	f := t.figures(*h)
	b := Judge(f)
	h.HealthStatus, h.ConfidenceLevel = b.Status, b.Confidence
	h.Flags, h.TopReasons, h.AttentionRank = b.Flags, b.TopReasons, attentionRank(f, sums)
}

// figures are the figures of a row, together with what t knows of the question.
func (t *questionCounts) figures(h models.QuestionHealth) Figures {
	f := figuresOf(h)
	for _, option := range t.key.Options {
		if !option.Correct && scoring.QType(h.QType).Type().Chooses() {
			f.WrongOptions = append(f.WrongOptions, h.OptionPct[option.ID])
		}
	}
	if t.survey {
		f.Facility, f.WrongOptions, f.FacilityLastRun, f.Facility30d = nil, nil, nil, nil
	}
	return f
}

// figuresOf are the figures of a row without the figures of its options.
func figuresOf(h models.QuestionHealth) Figures {
	return Figures{
		Attempts: h.AttemptsN, Scored: h.ScoredN, LastRunAttempts: h.AttemptsLastRunN, Timed7d: h.Time7dN,
		Facility: h.FacilityPct, FacilityLastRun: h.FacilityLastRunPct, Facility30d: h.Facility30dPct,
		OmittedRate: Ratio(h.OmittedN, h.AttemptsN), FocusLostRate: Ratio(h.FocusLostN, h.AttemptsN),
		Median7dMs: h.Median7dTimeMs, Median30dMs: h.Median30dTimeMs,
	}
}

// countsByQuestion are the counts of several questions.
type countsByQuestion map[rollupKey]*questionCounts

func (all countsByQuestion) at(unit, question ids.ID) *questionCounts {
	k := rollupKey{unit, question}
	if all[k] == nil {
		all[k] = &questionCounts{options: map[string]map[string]int64{}}
	}
	return all[k]
}

func (all countsByQuestion) keys() []rollupKey {
	var keys []rollupKey
	for k := range all {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, compareKeys)
	return keys
}

// shownIn lists the evaluation versions that showed each question.
func (all countsByQuestion) shownIn() *shownIn {
	in := &shownIn{}
	for k, t := range all {
		for _, version := range t.versions {
			in.questions, in.versions = append(in.questions, k.Version), append(in.versions, version)
		}
	}
	return in
}

func (all countsByQuestion) questions() []ids.ID {
	questions := []ids.ID{}
	for k := range all {
		questions = append(questions, k.Version)
	}
	return questions
}
