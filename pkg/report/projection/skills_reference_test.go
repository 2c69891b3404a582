package projection

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// said is what one item attempt says about a skill.
type said struct {
	submission    ids.ID
	at            time.Time
	value, weight float64
}

// able is what a person can do, as the slow way finds it. Trend is NaN for a single submission.
type able struct {
	Value, Trend       float64
	Facts, Submissions int
}

// valueOf puts evidence together the slow way: submission by submission, in the order of time.
func valueOf(strategy string, halfLife float64, all []said) able {
	bySubmission := map[ids.ID][]said{}
	for _, s := range all {
		bySubmission[s.submission] = append(bySubmission[s.submission], s)
	}
	var order []ids.ID
	for id := range bySubmission {
		order = append(order, id)
	}
	slices.SortFunc(order, func(a, b ids.ID) int {
		if c := bySubmission[a][0].at.Compare(bySubmission[b][0].at); c != 0 {
			return c
		}
		return slices.Compare(a[:], b[:])
	})
	newest := bySubmission[order[len(order)-1]]
	var before []said
	best := 0.0
	for i, id := range order {
		best = math.Max(best, meanOf(bySubmission[id], nil))
		if i < len(order)-1 {
			before = append(before, bySubmission[id]...)
		}
	}
	found := able{Trend: meanOf(newest, nil) - meanOf(before, nil), Facts: len(all), Submissions: len(order)}
	switch strategy {
	case "latest":
		found.Value = meanOf(newest, nil)
	case "best":
		found.Value = best
	case "mean":
		found.Value = meanOf(all, nil)
	case "weighted_recent":
		found.Value = meanOf(all, func(s said) float64 {
			return math.Exp2(-newest[0].at.Sub(s.at).Hours() / 24 / halfLife)
		})
	}
	return found
}

// meanOf is the weighted mean; fade, if given, changes weights. It is NaN for an empty list.
func meanOf(all []said, fade func(said) float64) float64 {
	var earned, weight float64
	for _, s := range all {
		w := s.weight
		if fade != nil {
			w *= fade(s)
		}
		earned, weight = earned+w*s.value, weight+w
	}
	return earned / weight
}

// referenceSkills goes from attempts and rules to figures, one answer at a time.
func (w *skilled) referenceSkills(attempts []*attempt) map[skillKey]able {
	evidence := map[skillKey][]said{}
	strategies := map[ids.ID]mapRule{}
	for _, rules := range w.applied {
		for _, r := range rules {
			strategies[r.skill] = r
		}
	}
	for _, a := range attempts {
		if !a.submitted || a.voided {
			continue
		}
		for _, answer := range a.answers {
			if answer.omitted || answer.status != "SCORED" {
				continue
			}
			for _, rules := range w.applied {
				for _, r := range rules {
					if w.matches(r, rules, a.version, answer.question) {
						k := skillKey{a.version.org, a.user, r.skill}
						evidence[k] = append(evidence[k], said{a.id, a.completedAt, math.Min(math.Max(answer.score, 0), 1), r.weight})
					}
				}
			}
		}
	}
	all := map[skillKey]able{}
	for k, e := range evidence {
		all[k] = valueOf(strategies[k.Skill].strategy, strategies[k.Skill].halfLife, e)
	}
	return all
}

func (w *skilled) matches(r mapRule, rules []mapRule, v version, q question) bool {
	if q.survey {
		return false
	}
	switch r.kind {
	case "evaluation":
		return v.evaluation == r.target
	case "evaluation_version":
		return v.id == r.target
	case "question_version":
		return q.id == r.target
	case "framework":
		return slices.ContainsFunc(rules, func(other mapRule) bool {
			at := slices.IndexFunc(w.skills, func(s skillOf) bool { return s.id == other.skill })
			s := w.skills[at]
			return other.kind != "framework" && s.id != r.skill && s.framework && strings.HasPrefix(s.code, r.prefix) && w.matches(other, rules, v, q)
		})
	}
	has := func(named ids.ID) bool {
		return slices.ContainsFunc(q.terms, func(term ids.ID) bool {
			for term, named := w.survivor(term), w.survivor(named); ; term = w.parent[term] {
				if term == named {
					return true
				}
				if _, up := w.parent[term]; !up || !r.descendants {
					return false
				}
			}
		})
	}
	return !slices.ContainsFunc(r.all, func(id ids.ID) bool { return !has(id) }) &&
		(len(r.any) == 0 || slices.ContainsFunc(r.any, has)) && !slices.ContainsFunc(r.none, has)
}

func (w *skilled) survivor(term ids.ID) ids.ID {
	if into, ok := w.merged[term]; ok {
		return into
	}
	return term
}

// readSkills reads the current figures.
func (w *skilled) readSkills(t testing.TB) map[skillKey]able {
	t.Helper()
	all := map[skillKey]able{}
	w.write(t, func(ctx context.Context, tx *db.Tx) error {
		var k skillKey
		var a able
		var trend *float64
		return eachRow(ctx, tx, `select org_unit_id, user_id, skill_id, value::float8, trend::float8, facts_n, submissions_n
			from report_skill_rollups where tenant_id = $1`, []any{w.tenant},
			[]any{&k.Org, &k.User, &k.Skill, &a.Value, &trend, &a.Facts, &a.Submissions}, func() {
				a.Trend = math.NaN()
				if trend != nil {
					a.Trend = *trend
				}
				all[k] = a
			})
	})
	return all
}
