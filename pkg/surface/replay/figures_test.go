package replay_test

import (
	"slices"
	"strings"
	"testing"

	"assess/pkg/surface/demo"
)

// figures are a report's figures for one item. Rates are fractions; an item with an
// unknown figure has the zero value.
type figures struct {
	Attempts, Scored, Omitted, Correct int
	Facility, OmitRate                 float64
	// Options counts who chose each option, Shares divides that by Scored.
	Options map[string]int
	Shares  map[string]float64
	// Sets counts the exact answers to an item with several right options; MeanScore is
	// the mean of its partial credit.
	Sets      map[string]int
	MeanScore float64
	// Median and P90 are of answered attempts.
	Median, P90 milliseconds
}

type milliseconds float64

// tally computes the figures of every item from the answers, by the definitions and by
// nothing else: omitted answers are exempt, percentiles are continuous.
func tally(data demo.Dataset) map[string]figures {
	all := map[string]figures{}
	for i, item := range data.Items {
		f := figures{Attempts: len(data.Persons), Options: map[string]int{}, Shares: map[string]float64{}}
		for o := range item.Options {
			f.Options[string(rune('A'+o))] = 0
		}
		sets, credit, times := map[string]int{}, 0.0, []float64{}
		for _, person := range data.Persons {
			chosen := person.Responses[i]
			if chosen == "" {
				f.Omitted++
				continue
			}
			f.Scored++
			if chosen == item.Key {
				f.Correct++
			}
			for _, letter := range strings.Split(chosen, "") {
				f.Options[letter]++
			}
			sets[chosen]++
			credit += netCredit(chosen, item.Key)
			if person.TimesMs != nil && person.TimesMs[i] > 0 {
				times = append(times, float64(person.TimesMs[i]))
			}
		}
		f.divide()
		if item.Multiple {
			f.Sets, f.MeanScore = sets, credit/float64(f.Scored)
		}
		f.Median, f.P90 = percentile(times, 0.5), percentile(times, 0.9)
		all[item.ID] = f
	}
	return all
}

func (f *figures) divide() {
	f.OmitRate = float64(f.Omitted) / float64(f.Attempts)
	f.Facility = float64(f.Correct) / float64(f.Scored)
	for option, n := range f.Options {
		f.Shares[option] = float64(n) / float64(f.Scored)
	}
}

// core has the figures in the list of questions.
func (f figures) core() figures {
	return figures{Attempts: f.Attempts, Scored: f.Scored, Omitted: f.Omitted, Correct: f.Correct,
		Facility: f.Facility, OmitRate: f.OmitRate, Median: f.Median}
}

// netCredit is max(0, right - wrong) / all right ones.
func netCredit(chosen, key string) float64 {
	net := 0
	for _, letter := range strings.Split(chosen, "") {
		if strings.Contains(key, letter) {
			net++
		} else {
			net--
		}
	}
	return float64(max(0, net)) / float64(len(key))
}

// percentile is R's type 7, which is PostgreSQL's percentile_cont.
func percentile(values []float64, p float64) milliseconds {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	at := p * float64(len(values)-1)
	below := int(at)
	above := min(below+1, len(values)-1)
	return milliseconds(values[below] + (at-float64(below))*(values[above]-values[below]))
}

// rightAnswers counts the right answers of each person.
func rightAnswers(data demo.Dataset) map[string]float64 {
	scores := map[string]float64{}
	for _, person := range data.Persons {
		scores[person.ID] = 0
		for i, item := range data.Items {
			if person.Responses[i] == item.Key {
				scores[person.ID]++
			}
		}
	}
	return scores
}

func passes(scores map[string]float64, items int, passMarkPercent float64) int {
	n := 0
	for _, score := range scores {
		if score*100 >= passMarkPercent*float64(items) {
			n++
		}
	}
	return n
}

// TestTallyAgreesWithTheOracle shows that tally may replace the oracle files where
// not all persons are replayed.
func TestTallyAgreesWithTheOracle(t *testing.T) {
	t.Parallel()
	for _, exam := range exams {
		t.Run(exam.folder, func(t *testing.T) {
			t.Parallel()
			data, oracle := openExam(t, exam.folder)
			equal(t, "figures of the items", oracle.items(), tally(data))
			equal(t, "right answers", oracle.scores(), rightAnswers(data))
			for _, mark := range []float64{50, 60, 70} {
				equal(t, "passes", oracle.passes(mark), passes(rightAnswers(data), len(data.Items), mark))
			}
		})
	}
}
