package reporting

import (
	"math"
	"slices"
	"time"

	"assess/pkg/ids"
)

// plainSummary is what the reference counts, slowly, from the attempts themselves. Unknown
// figures are NaN.
type plainSummary struct {
	Attempts                                        Attempts
	Access                                          AccessPoints
	Coverage                                        string
	Pass, Fail, ScoredUngraded, Timed, Known        int64
	Focus, Exits, Days                              int64
	NotStarted                                      int64
	Graded, Scored                                  [10]int64
	Methods                                         map[string][3]int64
	Mean, MeanScored, Avg, Median, Invited, OfBegun float64
}

func (f *fair) reference(in SummaryInput) plainSummary {
	p := plainSummary{Methods: map[string][3]int64{}}
	var durations, pct, pctScored []float64
	people, invited, done, days := map[ids.ID]bool{}, map[ids.ID]bool{}, map[ids.ID]bool{}, map[time.Time]bool{}
	for _, s := range f.tried {
		if !f.chosen(in, s) {
			continue
		}
		p.Attempts.Started++
		people[s.user] = true
		individual := s.by != nil && (s.by.kind == "user_id" || s.by.kind == "email")
		if individual {
			invited[s.user] = true
		}
		switch s.state {
		case "open":
			p.Attempts.InProgress++
		case "expired":
			p.Attempts.Expired++
		case "closed":
			p.Attempts.Closed++
		case "abandoned":
			p.Attempts.Abandoned++
		}
		if s.ended == nil || s.voided {
			continue
		}
		p.Attempts.Completed++
		days[s.ended.UTC().Truncate(24*time.Hour)] = true
		if individual {
			done[s.user] = true
		}
		pending := slices.ContainsFunc(s.items, func(i triedItem) bool { return i.status == "PENDING" })
		tenth, share, m := min(s.score*10/20, 9), float64(s.score)/20, p.Methods[s.method]
		m[0]++
		switch s.outcome {
		case "pass":
			p.Pass++
			m[1]++
		case "fail":
			p.Fail++
			m[2]++
		}
		p.Methods[s.method] = m
		if s.outcome != "incomplete" {
			p.Graded[tenth]++
			pct = append(pct, share)
		}
		if s.outcome != "incomplete" || !pending {
			p.Attempts.Scored++
			p.Scored[tenth]++
			pctScored = append(pctScored, share)
		}
		if !s.ended.Before(s.started) {
			durations = append(durations, float64(s.ended.Sub(s.started).Milliseconds()))
		}
		p.Known += b2i(s.focus+s.exits > 0)
		p.Focus += b2i(s.focus > 0)
		p.Exits += b2i(s.exits > 0)
	}
	p.Attempts.UniqueUsers, p.Days = int64(len(people)), int64(len(days))
	p.ScoredUngraded, p.Timed = p.Attempts.Scored-p.Pass-p.Fail, int64(len(durations))
	p.Mean, p.MeanScored, p.Avg, p.Median = mean(pct), mean(pctScored), mean(durations), middle(durations)
	f.referPopulation(in, &p)
	p.OfBegun = float64(p.Attempts.Completed) / float64(p.Attempts.Started)
	p.NotStarted, p.Invited = -1, math.NaN()
	if p.Coverage == Full {
		p.NotStarted = p.Access.UniqueInviteesN - int64(len(invited))
		p.Invited = float64(len(done)) / float64(p.Access.UniqueInviteesN)
	}
	return p
}

func (f *fair) chosen(in SummaryInput, s *tried) bool {
	at := s.started
	if s.ended != nil {
		at = *s.ended
	}
	return (in.AllVersions || f.versions[s.version] == in.EvaluationVersionID) &&
		(in.RunLabel == nil || label(s.run) == *in.RunLabel) &&
		(in.GroupID == nil || s.by != nil && s.by.kind == "group_id" && s.by.target == *in.GroupID) &&
		(in.From == nil || !at.Before(*in.From)) && (in.To == nil || at.Before(*in.To))
}

func (f *fair) referPopulation(in SummaryInput, p *plainSummary) {
	invitees := map[ids.ID]bool{}
	for _, a := range f.assigned {
		if in.RunLabel != nil && label(a.run) != *in.RunLabel || in.GroupID != nil && (a.kind != "group_id" || a.target != *in.GroupID) {
			continue
		}
		p.Access.AssignmentsN++
		switch a.kind {
		case "group_id":
			p.Access.AssignedGroupsN++
		case "public_link":
			p.Access.PublicLinksN++
		default:
			p.Access.AssignedIndividualsN++
			invitees[a.target] = true
		}
	}
	p.Access.UniqueInviteesN = int64(len(invitees))
	switch individuals := p.Access.AssignedIndividualsN; {
	case individuals == 0:
		p.Coverage = Unknown
	case individuals == p.Access.AssignmentsN:
		p.Coverage = Full
	default:
		p.Coverage = Partial
	}
}

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

// plainOf says the same of a report, the block of scores among others.
func plainOf(r EvaluationSummary) plainSummary {
	p := plainSummary{Attempts: r.Attempts, Access: r.Population.AccessPoints, Coverage: r.Population.Coverage, Pass: r.Outcomes.PassN,
		Fail: r.Outcomes.FailN, ScoredUngraded: r.ScoresProvisional.ScoredButUngradedN, Timed: r.Timing.TimeKnownAttemptsN,
		Known: r.Integrity.TelemetryKnownAttempts, Focus: r.Integrity.SessionsWithFocusLost, Exits: r.Integrity.SessionsWithFullscreenExit,
		Days: r.Activity.ActiveDays, NotStarted: -1, Methods: map[string][3]int64{}, Mean: orNaN(r.Scores.MeanScorePct),
		MeanScored: orNaN(r.ScoresProvisional.MeanScorePct), Avg: orNaN(r.Timing.AvgDurationMs), Median: orNaN(r.Timing.MedianDurationMs),
		Invited: orNaN(r.Hero.CompletionRate), OfBegun: orNaN(r.Funnel.CompletionRate)}
	copy(p.Graded[:], r.Scores.Histogram)
	copy(p.Scored[:], r.ScoresProvisional.Histogram)
	if r.Funnel.NotStarted != nil {
		p.NotStarted = *r.Funnel.NotStarted
	}
	for _, m := range r.CompletionMethods {
		if m.Attempts > 0 {
			p.Methods[m.Method] = [3]int64{m.Attempts, m.PassN, m.FailN}
		}
	}
	return p
}

func orNaN(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}

// referItems counts both questions: both have the tag a, the second b too, and each is a
// section of its own.
func (f *fair) referItems(in SummaryInput) (map[string]ItemSummary, map[int]ItemSummary) {
	tags, sections := map[string]ItemSummary{}, map[int]ItemSummary{}
	for question, names := range [][]string{{"topic:a"}, {"topic:a", "topic:b"}} {
		for _, s := range f.tried {
			if s.ended == nil || s.voided || !f.chosen(in, s) {
				continue
			}
			item := s.items[question]
			sections[question] = item.added(sections[question])
			for _, name := range names {
				tags[name] = item.added(tags[name])
			}
		}
	}
	for name := range tags {
		tags[name] = f.rates(in, tags[name], name == "topic:a")
	}
	return tags, sections
}

func (i triedItem) added(sum ItemSummary) ItemSummary {
	sum.ItemAttempts++
	sum.Omitted += b2i(i.omitted)
	if i.status == "SCORED" && !i.omitted {
		sum.ScoredAttempts++
		sum.Correct += int64(i.score)
	}
	return sum
}

func (f *fair) rates(in SummaryInput, sum ItemSummary, both bool) ItemSummary {
	sum.FacilityPct, sum.OmitRate = rate(sum.Correct, sum.ScoredAttempts), rate(sum.Omitted, sum.ItemAttempts)
	sum.AvgScorePct = sum.FacilityPct // every item is worth 1
	var times []float64
	for _, s := range f.tried {
		for question, item := range s.items {
			if !s.voided && f.chosen(in, s) && (both || question == 1) && !item.omitted && item.ms != nil {
				times = append(times, float64(*item.ms))
			}
		}
	}
	if len(times) > 0 {
		average := mean(times)
		sum.AvgTimeMs = &average
	}
	return sum
}
