package correction

import (
	"os"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"assess/pkg/ids"
	"assess/pkg/scoring"
)

// model is what the scores of a room should be, worked out slowly: the rules folded over
// the base, one after the other.
type model struct {
	submissions []*modelled
	// applied holds the remediations that are active, in the order of their applying.
	applied  []*remedy
	reverted []*remedy
}

type modelled struct {
	id        ids.ID
	responses [6]*scoring.Response
	marks     [6]*float64
	voided    bool
	// frozen is what a voided submission was worth when it was voided.
	frozen *worth
}

type remedy struct {
	id    ids.ID
	rule  string
	place int
	p     Parameters
	about map[ids.ID]bool
	whole bool
}

// worth is what is compared of a submission.
type worth struct {
	Score, MaxScore float64
	Outcome         string
	Items           [6]itemWorth
}

type itemWorth struct {
	Status   string
	Score    float64
	MaxScore float64
}

func (m *model) worth(s *modelled, mark *float64, config scoring.Config) worth {
	if s.frozen != nil {
		return *s.frozen
	}
	var w worth
	items := make([]scoring.Item, 6)
	for place, key := range keys() {
		items[place] = scoring.Score(key, config, s.responses[place])
		if s.marks[place] != nil {
			items[place].Status, items[place].Score = scoring.Scored, *s.marks[place]
		}
		for _, r := range m.applied {
			if r.place == place && r.about[s.id] {
				items[place] = r.fold(items[place], key, config, s, place)
			}
		}
		w.Items[place] = itemWorth{string(items[place].Status), items[place].Score, items[place].MaxScore}
	}
	total := scoring.Total(items, keys(), config, mark)
	w.Score, w.MaxScore, w.Outcome = total.Score, total.MaxScore, string(total.OutcomeCode)
	return w
}

func (r *remedy) fold(before scoring.Item, key scoring.Key, config scoring.Config, s *modelled, place int) scoring.Item {
	weight := key.Weight
	switch r.rule {
	case RuleExempt:
		return scoring.Item{Status: scoring.Exempt}
	case RuleFullCredit:
		return scoring.Item{Status: scoring.Scored, Score: weight, MaxScore: weight}
	case RuleAdjust:
		return scoring.Item{Status: scoring.Scored, Score: *r.p.Score, MaxScore: weight}
	}
	if s.marks[place] != nil {
		return before
	}
	for i := range key.Options {
		key.Options[i].Correct = key.Options[i].ID == r.p.CorrectOptionIDs[0]
	}
	return scoring.Score(key, config, s.responses[place])
}

// Whatever is applied, reverted, marked, voided and handed in, in any order and any number
// of times: scores, totals and outcomes are those of the model.
func TestScoresAreThoseOfTheModel(t *testing.T) {
	t.Parallel()
	left, err := strconv.Atoi(os.Getenv("ASSESS_HISTORIES"))
	if err != nil {
		left = 6
	}
	rapid.Check(t, func(rt *rapid.T) {
		if left--; left < 0 {
			return
		}
		r, m := newRoom(t, half()), &model{}
		for range rapid.IntRange(1, 4).Draw(rt, "submissions") {
			m.handIn(rt, r)
		}
		for range rapid.IntRange(5, 25).Draw(rt, "steps") {
			m.step(rt, r)
			m.compare(rt, r)
		}
	})
}

func (m *model) step(rt *rapid.T, r *room) {
	switch rapid.SampledFrom([]string{"apply", "apply", "apply", "revert", "revert", "again", "mark", "mark", "void", "submit"}).Draw(rt, "step") {
	case "apply":
		m.apply(rt, r)
	case "revert":
		m.move(rt, &m.applied, &m.reverted, func(x *remedy) { r.revert(x.id) })
	case "again":
		m.move(rt, &m.reverted, &m.applied, func(x *remedy) {
			x.enrol(m)
			r.apply(x.id)
			r.apply(x.id)
		})
	case "mark":
		s, place := rapid.SampledFrom(m.submissions).Draw(rt, "submission"), rapid.IntRange(0, 5).Draw(rt, "place")
		score := keys()[place].Weight * rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(rt, "share")
		if _, err := r.mark(r.reviewer, s.id, place, score); (err != nil) != s.voided {
			rt.Fatalf("mark: %v", err)
		} else if err == nil {
			s.marks[place] = &score
		}
	case "void":
		if s := rapid.SampledFrom(m.submissions).Draw(rt, "submission"); !s.voided && rapid.Bool().Draw(rt, "really") {
			w := m.worth(s, half().PassMarkPercent, half().ScoringConfig)
			s.voided, s.frozen = true, &w
			r.void(s.id)
		}
	case "submit":
		m.handIn(rt, r)
	}
}

func (m *model) move(rt *rapid.T, from, to *[]*remedy, do func(*remedy)) {
	if len(*from) == 0 {
		return
	}
	at := rapid.IntRange(0, len(*from)-1).Draw(rt, "which")
	x := (*from)[at]
	*from = append((*from)[:at:at], (*from)[at+1:]...)
	*to = append(*to, x)
	do(x)
}

func (x *remedy) enrol(m *model) {
	for _, s := range m.submissions {
		if x.whole && !s.voided {
			x.about[s.id] = true
		}
	}
}

func (m *model) apply(rt *rapid.T, r *room) {
	x := &remedy{rule: rapid.SampledFrom([]string{RuleExempt, RuleRekey, RuleFullCredit, RuleAdjust}).Draw(rt, "rule"),
		place: rapid.IntRange(0, 5).Draw(rt, "place"), about: map[ids.ID]bool{}, whole: rapid.Bool().Draw(rt, "whole")}
	switch x.rule {
	case RuleRekey:
		x.place = rapid.SampledFrom([]int{choice, several, survey}).Draw(rt, "rekeyed")
		x.p.CorrectOptionIDs = []string{rapid.SampledFrom([]string{"A", "B", "C"}).Draw(rt, "right")}
	case RuleAdjust:
		x.p.Score = ptr(rapid.SampledFrom([]float64{0, 0.3, 1}).Draw(rt, "adjusted"))
	}
	x.enrol(m)
	var chosen []ids.ID
	if !x.whole {
		s := rapid.SampledFrom(m.submissions).Draw(rt, "chosen")
		chosen, x.about[s.id] = []ids.ID{s.id}, true
	}
	x.id = r.draft(x.rule, x.place, x.p, chosen...).ID
	m.applied = append(m.applied, x)
	r.apply(x.id)
}

func (m *model) handIn(rt *rapid.T, r *room) {
	s := &modelled{}
	var sent []string
	add := func(place int, raw string) {
		sent = append(sent, raw)
		if raw != "" {
			s.responses[place], _ = scoring.ParseResponse("", []byte(raw))
		}
	}
	pick := func(what string, all ...string) string { return rapid.SampledFrom(append(all, "")).Draw(rt, what) }
	add(choice, pick("choice", `{"optionIds":["A"]}`, `{"optionIds":["B"]}`))
	add(several, pick("several", `{"optionIds":["B"]}`, `{"optionIds":["B","C"]}`, `{"optionIds":["A","B","D"]}`))
	add(text, pick("text", `{"text":"Blue"}`, `{"text":"red"}`))
	add(number, pick("number", `{"number":10.5}`, `{"number":3}`))
	add(essay, pick("essay", `{"text":"An essay."}`))
	add(survey, pick("survey", `{"optionIds":["A"]}`))
	s.id = r.submit(sent...)
	m.submissions = append(m.submissions, s)
}

func (m *model) compare(rt *rapid.T, r *room) {
	for _, s := range m.submissions {
		stored := r.get(s.id)
		got := worth{Score: *stored.Score, MaxScore: *stored.MaxScore, Outcome: stored.OutcomeCode}
		for place := range got.Items {
			item := r.at(stored, place)
			got.Items[place] = itemWorth{item.ScoreStatus, *item.Score, *item.MaxScore}
		}
		if diff := cmp.Diff(m.worth(s, half().PassMarkPercent, half().ScoringConfig), got); diff != "" {
			rt.Fatalf("submission %s (-model +got):\n%s", s.id, diff)
		}
		pending := got.Items[essay].Status == string(scoring.Pending)
		if waits := r.count("select count(*) from submissions where id = $1 and pending", s.id) == 1; waits != pending {
			rt.Fatalf("submission %s: waits for a mark is %v, and its essay is %s", s.id, waits, got.Items[essay].Status)
		}
	}
}
