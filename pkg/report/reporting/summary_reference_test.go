package reporting

import (
	"cmp"
	"math"
	"slices"
	"time"

	"assess/pkg/kernel/ids"
)

// plainSummary is the result of the reference count, slowly, from the attempts themselves. Unknown
// figures are NaN.
type plainSummary struct {
	Attempts                                 Attempts
	Access                                   AccessPoints
	Coverage                                 string
	Pass, Fail, ScoredUngraded, Timed, Known int64
	Focus, Exits, Days                       int64
	First, Last                              string
	NotStarted                               int64
	Graded, Scored                           [10]int64
	Methods                                  map[string][3]int64
	Mean, MeanScored, Invited, OfBegun       float64
	Avg, Median                              *int64
	// Nothing and NothingScored have earned 0 of 0.
	Nothing, NothingScored int64
	// Level and Reasons are the level and the reasons of the attention.
	Level   string
	Reasons []string
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
		switch {
		case s.voided:
			p.Attempts.Voided++
		case s.state == "open":
			p.Attempts.InProgress++
		case s.state == "expired":
			p.Attempts.Expired++
		case s.state == "closed":
			p.Attempts.Closed++
		case s.state == "abandoned":
			p.Attempts.Abandoned++
		}
		if !s.completed() {
			continue
		}
		p.Attempts.Completed++
		p.day(s.ended.UTC(), days)
		if individual {
			done[s.user] = true
		}
		pending := slices.ContainsFunc(s.items, func(i triedItem) bool { return i.status == "PENDING" && !i.survey })
		part, m := share(s.score, s.max), p.Methods[s.method]
		bar := min(max(tenth(part), 0), 9)
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
		nothing, graded := s.max.Sign() == 0, s.outcome != "incomplete"
		p.Attempts.Scored += b2i(graded || !pending)
		p.Nothing += b2i(nothing && graded)
		p.NothingScored += b2i(nothing && (graded || !pending))
		if !nothing && graded {
			p.Graded[bar]++
			pct = append(pct, float(part))
		}
		if !nothing && (graded || !pending) {
			p.Scored[bar]++
			pctScored = append(pctScored, float(part))
		}
		// In an import without times both are the same.
		if s.ended.After(s.started) || s.ended.Equal(s.started) && s.method != "imported" {
			durations = append(durations, float64(s.ended.Sub(s.started).Milliseconds()))
		}
		p.Known += b2i(s.focus+s.exits > 0)
		p.Focus += b2i(s.focus > 0)
		p.Exits += b2i(s.exits > 0)
	}
	p.Attempts.UniqueUsers, p.Days = int64(len(people)), int64(len(days))
	p.ScoredUngraded, p.Timed = p.Attempts.Scored-p.Pass-p.Fail, int64(len(durations))
	p.Mean, p.MeanScored, p.Avg, p.Median = mean(pct), mean(pctScored), inWhole(mean(durations)), inWhole(middle(durations))
	f.referPopulation(in, &p)
	p.OfBegun = float64(p.Attempts.Completed) / float64(p.Attempts.Started)
	p.NotStarted, p.Invited = -1, math.NaN()
	if p.Coverage == Full {
		p.NotStarted = p.Access.UniqueInviteesN - int64(len(invited))
		p.Invited = float64(len(done)) / float64(p.Access.UniqueInviteesN)
	}
	p.judge()
	return p
}

// day records a day with a completed attempt.
func (p *plainSummary) day(at time.Time, days map[time.Time]bool) {
	days[at.Truncate(24*time.Hour)] = true
	text := at.Format(time.DateOnly)
	if p.First == "" || text < p.First {
		p.First = text
	}
	p.Last = max(p.Last, text)
}

// judge says what needs attention, by the table of docs/reporting.md.
func (p *plainSummary) judge() {
	p.Level = "low"
	var medium []string
	judge := func(code string, part, whole int64, past func(rate float64) string) {
		if whole < 10 {
			return
		}
		switch past(float64(part) / float64(whole)) {
		case "high":
			p.Level, p.Reasons = "high", append(p.Reasons, code)
		case "medium":
			medium = append(medium, code)
		}
	}
	below := func(medium, high float64) func(float64) string {
		return func(rate float64) string { return grade(rate <= medium, rate <= high) }
	}
	above := func(medium, high float64) func(float64) string {
		return func(rate float64) string { return grade(rate >= medium, rate >= high) }
	}
	a := p.Attempts
	judge("LOW_PASS_RATE", p.Pass, p.Pass+p.Fail, below(0.5, 0.3))
	judge("LOW_COMPLETION_RATE", a.Completed, a.Started, below(0.8, 0.5))
	judge("HIGH_EXPIRED_RATE", a.Expired, a.Started, above(0.1, 0.25))
	judge("HIGH_UNGRADED_RATE", a.Completed-p.Pass-p.Fail, a.Completed, above(0.25, 0.5))
	judge("HIGH_FOCUS_LOST_RATE", p.Focus, a.Completed, above(0.1, 0.25))
	judge("HIGH_FULLSCREEN_EXIT_RATE", p.Exits, a.Completed, above(0.1, 0.25))
	if p.Level == "low" && len(medium) > 0 {
		p.Level = "medium"
	}
	p.Reasons = append(p.Reasons, medium...)
}

func grade(medium, high bool) string {
	switch {
	case high:
		return "high"
	case medium:
		return "medium"
	}
	return ""
}

func (f *fair) chosen(in SummaryInput, s *tried) bool {
	at := s.started
	if s.ended != nil {
		at = *s.ended
	}
	asked := slices.Index(f.versions, in.EvaluationVersionID)
	return (s.version == asked || in.AllVersions && s.evaluation == f.printed[asked].EvaluationID) &&
		(in.RunLabel == nil || label(s.run) == *in.RunLabel) &&
		(in.GroupID == nil || s.by != nil && s.by.kind == "group_id" && s.by.target == *in.GroupID) &&
		(in.From == nil || !at.Before(*in.From)) && (in.To == nil || at.Before(*in.To))
}

func (f *fair) referPopulation(in SummaryInput, p *plainSummary) {
	invitees := map[ids.ID]bool{}
	for _, a := range f.assignments(in) {
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

// assignments are the assignments that the filters leave: all of them lead to the first evaluation.
func (f *fair) assignments(in SummaryInput) []assigned {
	if in.EvaluationVersionID == f.versions[2] {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(f.assigned), func(a assigned) bool {
		return in.RunLabel != nil && label(a.run) != *in.RunLabel || in.GroupID != nil && (a.kind != "group_id" || a.target != *in.GroupID)
	})
}

// referKeys lists the groups and the runs that attempts belong to or that are assigned, in
// the order of the lists. A period does not shorten them.
func (f *fair) referKeys(in SummaryInput) (groups []ids.ID, runs []string) {
	in.From, in.To = nil, nil
	note := func(a *assigned, run *string) {
		runs = append(runs, label(run))
		if a != nil && a.kind == "group_id" {
			groups = append(groups, a.target)
		}
	}
	for _, s := range f.tried {
		if f.chosen(in, s) {
			note(s.by, s.run)
		}
	}
	for _, a := range f.assignments(in) {
		note(&a, a.run)
	}
	slices.SortFunc(groups, byID)
	slices.SortFunc(runs, func(a, b string) int { return cmp.Or(cmp.Compare(b2i(a == ""), b2i(b == "")), cmp.Compare(a, b)) })
	return slices.Compact(groups), slices.Compact(runs)
}
