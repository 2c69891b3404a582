package apptest_test

import (
	"encoding/json"
	"fmt"
	"strings"
)

// question is one of the paper. A candidate's answer is a word: the letters of options, a text or a
// number; the empty one is no answer.
type question struct {
	qtype  string
	weight float64
	right  string
	words  []string
	survey bool
}

// paper has a question of every type. A wrong answer costs a quarter of the weight, and half
// of all points pass.
var paper = []question{
	{qtype: "mcq", weight: 1, right: "A", words: []string{"A", "B", "C"}},
	{qtype: "mrq", weight: 2, right: "BC", words: []string{"B", "BC", "ABD"}},
	{qtype: "short_text", weight: 1, right: "blue", words: []string{"blue", "red"}},
	{qtype: "numeric", weight: 3, right: "10.5", words: []string{"10.5", "3"}},
	{qtype: "essay", weight: 4, words: []string{"An essay."}},
	{qtype: "mcq", weight: 1, right: "A", words: []string{"A", "B"}, survey: true},
}

// essay is the place of the essay on the paper.
const essay = 4

func (q question) response(word string) string {
	switch {
	case word == "":
		return "null"
	case q.qtype == "numeric":
		return `{"number":` + word + `}`
	case q.qtype == "mcq", q.qtype == "mrq":
		return `{"optionIds":["` + strings.Join(strings.Split(word, ""), `","`) + `"]}`
	}
	return `{"text":"` + word + `"}`
}

// worth is the worth of an item, and how many right and wrong options of how many right ones were chosen.
type worth struct {
	status               string
	score, max           float64
	correct              bool
	hits, misses, rights int
}

func (w worth) String() string { return fmt.Sprintf("%s %v of %v", w.status, w.score, w.max) }

// score is the rule of scoring.
func (q question) score(word, right string) worth {
	w := worth{status: "SCORED", max: q.weight}
	if q.qtype == "mcq" || q.qtype == "mrq" {
		w.rights = len(right)
		for _, letter := range word {
			if strings.ContainsRune(right, letter) {
				w.hits++
			} else {
				w.misses++
			}
		}
	}
	var share float64
	switch {
	case word == "":
		w.status = "EXEMPT"
		return w
	case q.qtype == "essay":
		w.status = "PENDING"
		return w
	case q.qtype == "mrq":
		share = float64(max(0, w.hits-w.misses)) / float64(w.rights)
	case word == right:
		share = 1
	}
	w.score, w.correct = share*q.weight, share == 1
	if share == 0 {
		w.score = -q.weight / 4
	}
	return w
}

// worth is the present worth of an item, and the remediation that decides it: the one that was
// applied last, except that a new key does not change a score given by a person.
func (m *model) worth(s *attempt, item int) (worth, string) {
	q, word := paper[item], s.answers[item].word
	base := q.score(word, q.right)
	mark, marked := s.marks[item]
	if marked {
		base.status, base.score, base.correct = "SCORED", mark, mark == q.weight
	}
	w, last, number := base, "", 0
	for _, r := range m.remedies {
		if r.exam != s.exam || r.item != item || !r.about[s.name] || r.number < number || r.rule == "rekey" && marked && m.fault != rekeyOverMark {
			continue
		}
		w, last, number = base, r.name, r.number
		switch r.rule {
		case "exempt_question":
			w.status, w.score, w.max, w.correct = "EXEMPT", 0, 0, false
		case "full_credit":
			w.status, w.score, w.correct = "SCORED", q.weight, true
		case "adjust_item":
			w.status, w.score, w.correct = "SCORED", r.share*q.weight, r.share == 1
		case "rekey":
			if word != "" {
				w = q.score(word, r.word)
			}
		}
	}
	return w, last
}

// total adds items up, and says who passes.
func total(scores []worth) string {
	var score, most float64
	pending := false
	for i, w := range scores {
		if !paper[i].survey {
			score, most, pending = score+w.score, most+w.max, pending || w.status == "PENDING"
		}
	}
	score = max(0, score)
	outcome := "fail"
	switch {
	case pending || most == 0:
		outcome = "incomplete"
	case score >= most/2:
		outcome = "pass"
	}
	return fmt.Sprintf("%v of %v, %s", score, most, outcome)
}

// version is one of the scores of a submission, with the item that it changed.
type version struct {
	reason, remedy, total, item string
}

// finish hands a session in.
func (m *model) finish(s *attempt, state, method string) {
	s.state, s.method = state, method
	for i := range paper {
		w, _ := m.worth(s, i)
		s.scores = append(s.scores, w)
	}
	s.versions = []version{{reason: "submitted", total: total(s.scores)}}
	s.awaits = s.scores[essay].status == "PENDING"
}

// record adds a version. The event of the first comes with the second.
func (m *model) record(s *attempt, v version) {
	if len(s.versions) == 1 {
		m.ledger["score_version.recorded"]++
	}
	m.ledger["score_version.recorded"]++
	s.versions = append(s.versions, v)
}

// rescore makes a version if the item is worth something else now. Scores of a voided submission stay.
func (m *model) rescore(s *attempt, item int, reason, remedy string) bool {
	w, _ := m.worth(s, item)
	if s.voided || w == s.scores[item] {
		return false
	}
	s.scores[item] = w
	if m.fault != awaitsForever {
		s.awaits = s.scores[essay].status == "PENDING"
	}
	m.record(s, version{reason, remedy, total(s.scores), fmt.Sprintf("%d: %s", item, w)})
	return true
}

func (s *attempt) status() string {
	switch {
	case s.voided:
		return "voided"
	case s.scores != nil:
		return "completed"
	}
	return ""
}

// wordOf reads the word of a response.
func wordOf(raw json.RawMessage) string {
	var r struct {
		OptionIDs []string
		Text      string
		Number    *float64
	}
	err := json.Unmarshal(raw, &r)
	switch {
	case err != nil:
		return err.Error()
	case r.Number != nil:
		return fmt.Sprint(*r.Number)
	}
	return r.Text + strings.Join(r.OptionIDs, "")
}
