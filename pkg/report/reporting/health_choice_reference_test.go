package reporting

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
	"assess/pkg/report/projection"
)

func (f *fair) referAnalysis(question ids.ID, seen []seenItem) Analysis {
	scored := scoredOf(seen)
	chosen := counted(scored, seenItem.picked)
	options := []Option{}
	for _, o := range f.optionsOf(question, seen) {
		o.N, o.Pct = chosen[o.OptionID], rate(chosen[o.OptionID], int64(len(scored)))
		options = append(options, o)
	}
	switch seen[0].qtype {
	case "mcq":
		return Analysis{ChoiceSingle: &ChoiceSingle{TopOption: referTop(seen), Options: options}}
	case "mrq":
		return Analysis{ChoiceMulti: referMulti(seen, options)}
	case "order", "match", "gap":
		m, parts := referMulti(seen, nil), f.referPlaces
		if seen[0].qtype == "match" {
			parts = f.referPrompts
		}
		if seen[0].qtype == "gap" {
			parts = f.referGaps
		}
		return Analysis{Parts: &Parts{Parts: parts(question, seen), TopPatterns: m.TopPatterns, PatternsN: m.PatternsN, OtherPatterns: m.OtherPatterns,
			PartialCredit: m.PartialCredit, ConstraintViolations: m.ConstraintViolations}}
	}
	return Analysis{}
}

func referMulti(seen []seenItem, options []Option) *ChoiceMulti {
	scored := scoredOf(seen)
	n := int64(len(scored))
	m := &ChoiceMulti{Options: options, TopPatterns: []Pattern{}, ConstraintViolations: []CodeCount{}}
	for pattern, found := range counted(scored, func(i seenItem) []string { return []string{strings.Join(i.pattern(), "+")} }) {
		m.TopPatterns = append(m.TopPatterns, Pattern{OptionIDs: strings.Split(pattern, "+"), N: found, Pct: rate(found, n)})
	}
	slices.SortFunc(m.TopPatterns, func(a, b Pattern) int {
		return cmp.Or(cmp.Compare(b.N, a.N), strings.Compare(strings.Join(a.OptionIDs, "+"), strings.Join(b.OptionIDs, "+")))
	})
	m.PatternsN, m.OtherPatterns.Pct = int64(len(m.TopPatterns)), rate(0, n)
	credit := counted(scored, func(i seenItem) []string {
		return []string{strconv.FormatInt(min(max(tenth(share(i.triedItem.score, i.triedItem.max)), 0), 10), 10)}
	})
	for at := range 11 {
		found := credit[strconv.Itoa(at)]
		m.PartialCredit = append(m.PartialCredit, CreditRange{FromPct: float64(at) / 10, ToPct: math.Min(float64(at+1)/10, 1), N: found, Pct: rate(found, n)})
	}
	missed, wrong := func(i seenItem) bool { return i.right < i.allRights }, func(i seenItem) bool { return i.wrong > 0 }
	m.ErrorModes = ErrorModes{MissedCorrect: count(scored, missed), SelectedIncorrect: count(scored, wrong),
		Both: count(scored, func(i seenItem) bool { return missed(i) && wrong(i) })}
	invalid := only(seen, func(i seenItem) bool { return i.standing() == "INVALID" })
	for code, found := range counted(invalid, func(i seenItem) []string { return []string{*i.invalid} }) {
		m.ConstraintViolations = append(m.ConstraintViolations, CodeCount{Code: code, N: found, Pct: rate(found, int64(len(seen)))})
	}
	slices.SortFunc(m.ConstraintViolations, func(a, b CodeCount) int { return cmp.Or(cmp.Compare(b.N, a.N), strings.Compare(a.Code, b.Code)) })
	return m
}

// referPlaces counts where each option was put; the fair has no words. A place is right by the newest key of the version;
// with attempts at several versions, by one of them.
func (f *fair) referPlaces(question ids.ID, seen []seenItem) []Part {
	scored := scoredOf(seen)
	n := int64(len(scored))
	places := map[string][]int{}
	for version := range grouped(seen, func(i seenItem) int { return i.version }) {
		order := f.printed[version].Questions[question.String()].Order
		for _, id := range f.active {
			if r, found := f.rekeys[id]; found && r.whole && r.version == version && r.question == question {
				order = r.right
			}
		}
		for place, id := range order {
			if !slices.Contains(places[id], place+1) {
				places[id] = append(places[id], place+1)
			}
		}
	}
	all := []Part{}
	for _, id := range []string{"D", "A", "C", "B"} {
		p := Part{PartID: id, Values: []PartValue{}}
		for place := range 4 {
			stood := count(scored, func(i seenItem) bool { return i.options[place] == id })
			v := PartValue{Value: strconv.Itoa(place + 1), IsCorrect: slices.Contains(places[id], place+1), N: stood, Pct: rate(stood, n)}
			if v.IsCorrect {
				p.N += stood
			}
			p.Values = append(p.Values, v)
		}
		p.Pct = rate(p.N, n)
		all = append(all, p)
	}
	return all
}

// referPrompts counts the choices for each prompt: the right ones, each option by itself, and every combination that was
// chosen.
func (f *fair) referPrompts(question ids.ID, seen []seenItem) []Part {
	scored := scoredOf(seen)
	n := int64(len(scored))
	all := []Part{}
	for _, prompt := range []string{"p1", "p2", "p3"} {
		chosen := func(pairs []string) string {
			var options []string
			for _, p := range pairs {
				if id, option, _ := strings.Cut(p, "="); id == prompt {
					options = append(options, option)
				}
			}
			return strings.Join(slices.Sorted(slices.Values(options)), "+")
		}
		right, values := map[string]bool{}, map[string]int64{"A": 0, "B": 0, "C": 0, "D": 0}
		for version := range grouped(seen, func(i seenItem) int { return i.version }) {
			pairs := f.printed[version].Questions[question.String()].Pairs
			for _, id := range f.active {
				if r, found := f.rekeys[id]; found && r.whole && r.version == version && r.question == question {
					pairs = r.pairs
				}
			}
			if value := chosen(joinedPairs(pairs)); value != "" {
				right[value] = true
				values[value] += 0
			}
		}
		p := Part{PartID: prompt, Values: []PartValue{}}
		for _, i := range scored {
			if value := chosen(i.options); value != "" {
				values[value]++
			} else {
				p.Omitted++
			}
		}
		for _, value := range slices.Sorted(maps.Keys(values)) {
			p.Values = append(p.Values, PartValue{Value: value, IsCorrect: right[value], N: values[value], Pct: rate(values[value], n)})
			if right[value] {
				p.N += values[value]
			}
		}
		p.Pct = rate(p.N, n)
		all = append(all, p)
	}
	return all
}

// rightIn gives the right values of a gap by the newest key of a version; of typed answers, only that they are right.
func (f *fair) rightIn(version int, question ids.ID, gap string) []string {
	var was []string
	for _, g := range f.printed[version].Questions[question.String()].Gaps {
		if g.ID == gap {
			was = g.CorrectOptionIDs
		}
	}
	right := was
	for _, id := range f.active {
		if r, found := f.rekeys[id]; found && r.whole && r.version == version && r.question == question {
			right = was
			for _, g := range r.gaps {
				if g.ID == gap {
					right = g.CorrectOptionIDs
				}
			}
		}
	}
	if len(right) == 0 {
		return []string{"right"}
	}
	return right
}

// referGaps counts the choices in each gap, and whether typed answers are right.
func (f *fair) referGaps(question ids.ID, seen []seenItem) []Part {
	scored := scoredOf(seen)
	n := int64(len(scored))
	all := []Part{}
	for _, gap := range []string{"g1", "g2", "g3", "g4", "g5"} {
		right, values := map[string]bool{}, map[string]int64{}
		for version := range grouped(seen, func(i seenItem) int { return i.version }) {
			for _, value := range f.rightIn(version, question, gap) {
				right[value] = true
				values[value] += 0
			}
		}
		p := Part{PartID: gap, Values: []PartValue{}, Omitted: n}
		for _, i := range scored {
			for _, one := range i.options {
				if id, value, _ := strings.Cut(one, "="); id == gap {
					values[value]++
					p.Omitted--
				}
			}
		}
		for _, value := range slices.Sorted(maps.Keys(values)) {
			p.Values = append(p.Values, PartValue{Value: value, IsCorrect: right[value], N: values[value], Pct: rate(values[value], n)})
			if right[value] {
				p.N += values[value]
			}
		}
		p.Pct = rate(p.N, n)
		all = append(all, p)
	}
	return all
}

func joinedPairs(pairs []scoring.Pair) []string {
	var all []string
	for _, p := range pairs {
		all = append(all, p[0]+"="+p[1])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// referTop is the most chosen option; of several the first.
func referTop(seen []seenItem) *OptionShare {
	var top *OptionShare
	chosen := counted(scoredOf(seen), seenItem.picked)
	for _, id := range slices.Sorted(maps.Keys(chosen)) {
		if top == nil || chosen[id] > top.N {
			top = &OptionShare{OptionID: id, N: chosen[id], Pct: rate(chosen[id], int64(len(scoredOf(seen))))}
		}
	}
	return top
}

// optionsOf gives the options as the snapshots have them, with the right ones by the newest key
// that a whole version got; with attempts at several versions, the ones that are right in one.
func (f *fair) optionsOf(question ids.ID, seen []seenItem) []Option {
	var all []Option
	for version := range grouped(seen, func(i seenItem) int { return i.version }) {
		right := func(o authoring.SnapshotOption) bool { return o.IsCorrect }
		for _, id := range f.active {
			if r, found := f.rekeys[id]; found && r.whole && r.version == version && r.question == question {
				right = func(o authoring.SnapshotOption) bool { return slices.Contains(r.right, o.ID) }
			}
		}
		for at, o := range f.printed[version].Questions[question.String()].Options {
			if at == len(all) {
				all = append(all, Option{OptionShare: OptionShare{OptionID: o.ID}})
			}
			all[at].IsCorrect = all[at].IsCorrect || right(o)
		}
	}
	return all
}

// referKeyCorrections lists the keys in force, the newest first: of a version the last one, and all
// keys of chosen submissions.
func (f *fair) referKeyCorrections(question ids.ID, seen []seenItem, orgs []ids.ID) []KeyCorrection {
	all, done := []KeyCorrection{}, map[int]bool{}
	for _, id := range slices.Backward(f.active) {
		r, found := f.rekeys[id]
		shown := slices.ContainsFunc(seen, func(i seenItem) bool { return i.version == r.version })
		if !found || r.question != question || !slices.Contains(orgs, f.units[r.version]) || r.whole && (done[r.version] || !shown) {
			continue
		}
		c := KeyCorrection{RemediationID: id, OptionIDs: r.right, Submissions: f.remedied[id]}
		if r.whole {
			c.EvaluationVersionID, done[r.version] = &f.versions[r.version], true
		}
		all = append(all, c)
	}
	return all
}

// referExemptions lists the exemptions in force, the newest first.
func (f *fair) referExemptions(question ids.ID, seen []seenItem, orgs []ids.ID) []Exemption {
	all := []Exemption{}
	for _, id := range slices.Backward(f.active) {
		r, found := f.exempted[id]
		shown := slices.ContainsFunc(seen, func(i seenItem) bool { return i.version == r.version })
		if !found || r.question != question || !slices.Contains(orgs, f.units[r.version]) || r.whole && !shown {
			continue
		}
		e := Exemption{RemediationID: id, Submissions: f.remedied[id]}
		if r.whole {
			e.EvaluationVersionID = &f.versions[r.version]
		}
		all = append(all, e)
	}
	return all
}

// referBadge applies the rules to the figures that were counted here.
func (f *fair) referBadge(d *QuestionHealthDetail, seen, late, month []seenItem) {
	figures := projection.Figures{Attempts: d.Core.Attempts, Scored: d.Core.ScoredAttempts, LastRunAttempts: d.Core.Drift.AttemptsLastRun, Timed7d: int64(len(timesOf(late))),
		Facility: d.Core.FacilityPct, FacilityLastRun: d.Core.Drift.FacilityLastRunPct, Facility30d: d.Core.Drift.Facility30dPct,
		OmittedRate: rate(d.Core.Omitted, d.Core.Attempts), FocusLostRate: d.Core.FocusLostRate,
		Median7dMs: known(quantile(timesOf(late), 0.5)), Median30dMs: known(quantile(timesOf(month), 0.5))}
	chosen := counted(scoredOf(seen), seenItem.picked)
	for _, o := range f.optionsOf(d.QuestionVersionID, seen) {
		if !o.IsCorrect && d.QType != "order" && d.QType != "match" && d.QType != "gap" {
			part := 0.0
			if len(scoredOf(seen)) > 0 {
				part = float64(chosen[o.OptionID]) / float64(len(scoredOf(seen)))
			}
			figures.WrongOptions = append(figures.WrongOptions, part)
		}
	}
	if seen[0].survey {
		figures.Facility, figures.FacilityLastRun, figures.Facility30d, figures.WrongOptions = nil, nil, nil, nil
	}
	b := projection.Judge(figures)
	d.Flags, d.HealthBadge = b.Flags, HealthBadge{Status: b.Status, Confidence: b.Confidence, TopReasons: b.TopReasons}
}
