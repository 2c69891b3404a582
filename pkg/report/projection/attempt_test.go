package projection

import (
	"math"
	"slices"
	"time"

	"pgregory.net/rapid"

	"assess/pkg/kernel/ids"
)

// attempt is one person's try at an evaluation version, from start to submission.
type attempt struct {
	id, user               ids.ID
	version                version
	run                    *string
	by                     *ids.ID // the assignment
	startedAt, completedAt time.Time
	focusLost              int
	outcome                string
	answers                []answer
	submitted, voided      bool
	state                  string
}

type answer struct {
	id       ids.ID
	question question
	options  []string
	omitted  bool
	status   string
	invalid  *string
	score    float64
	ms       *int64
}

func (a answer) right() int {
	n := 0
	for _, o := range a.options {
		if int(o[0]-'A') < a.question.right {
			n++
		}
	}
	return n
}

func (a answer) correct() bool { return a.score >= 1 }

func (s attempt) totals() (score, maxScore float64) {
	for _, a := range s.answers {
		score += a.score
		maxScore++
	}
	return score, maxScore
}

func drawAttempt(t *rapid.T, w *world) attempt {
	s := attempt{id: ids.New(), version: rapid.SampledFrom(w.versions).Draw(t, "version"),
		user: rapid.SampledFrom(w.users).Draw(t, "user"), state: "open"}
	if run := rapid.SampledFrom([]string{"", "", "spring", "summer", "autumn"}).Draw(t, "run"); run != "" {
		s.run = &run
	}
	if i := rapid.IntRange(-2, len(s.version.assigned)-1).Draw(t, "assigned"); i >= 0 {
		s.by = &s.version.assigned[i].id
		if user := s.version.assigned[i].user; user != ids.None {
			s.user = user
		}
	}
	s.startedAt = epoch.Add(time.Duration(rapid.IntRange(0, 45*24).Draw(t, "hours")) * time.Hour)
	s.completedAt = s.startedAt.Add(time.Duration(rapid.IntRange(1, 20).Draw(t, "took")) * time.Hour)
	s.focusLost = rapid.SampledFrom([]int{0, 0, 0, 1, 3}).Draw(t, "focusLost")
	s.outcome = rapid.SampledFrom([]string{"pass", "fail", "incomplete"}).Draw(t, "outcome")
	for _, q := range s.version.questions {
		s.answers = append(s.answers, drawAnswer(t, q))
	}
	return s
}

func drawAnswer(t *rapid.T, q question) answer {
	a := answer{question: q, status: "SCORED"}
	if rapid.IntRange(0, 9).Draw(t, "time") > 0 {
		ms := rapid.Int64Range(0, 90_000).Draw(t, "ms")
		a.ms = &ms
	}
	if rapid.IntRange(0, 5).Draw(t, "omit") == 0 {
		a.omitted, a.status = true, rapid.SampledFrom([]string{"SCORED", "EXEMPT"}).Draw(t, "omittedStatus")
		return a
	}
	switch q.qtype {
	case "mcq":
		a.options = []string{rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "option")}
		a.score = float64(a.right())
	case "mrq":
		a.options = rapid.Permutation([]string{"A", "B", "C", "D"}).Draw(t, "options")[:rapid.IntRange(1, 4).Draw(t, "n")]
		a.score = math.Max(0, float64(a.right()-(len(a.options)-a.right()))) / float64(q.right)
		if len(a.options) == 4 {
			code := "too_many_selections"
			a.status, a.invalid, a.score = "INVALID", &code, 0
		}
	default:
		a.score = rapid.SampledFrom([]float64{0, 0.25, 1}).Draw(t, "score")
		if a.score == 0.25 {
			a.status = "PENDING"
		}
	}
	return a
}

// rescore gives a new score to some answers, as remediations and people do.
func (s *attempt) rescore(t *rapid.T) []answer {
	var changed []answer
	for i := range s.answers {
		a := &s.answers[i]
		if rapid.Bool().Draw(t, "corrected") {
			continue
		}
		a.score, a.status, a.invalid = 0, rapid.SampledFrom([]string{"SCORED", "EXEMPT", "INVALID", "PENDING"}).Draw(t, "status"), nil
		switch a.status {
		case "SCORED":
			a.score = rapid.SampledFrom([]float64{0, 0.5, 1}).Draw(t, "score")
		case "INVALID":
			code := "too_few_selections"
			a.invalid = &code
		}
		changed = append(changed, *a)
	}
	s.outcome = rapid.SampledFrom([]string{"pass", "fail", "incomplete"}).Draw(t, "outcome")
	return changed
}

// picked are the options as the reporting tables keep them.
func (a answer) picked() []string {
	return slices.Sorted(slices.Values(a.options))
}
