package demo

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// DefaultPersons and DefaultSeed are the values of the shipped sample.
const (
	DefaultPersons = 480
	DefaultSeed    = 20_250_301
)

// timeAllowedMs is how long a simulated candidate may work: 45 minutes.
const timeAllowedMs = 45 * 60 * 1000

// SimulatedItem is an item with its parameters for the simulation.
type SimulatedItem struct {
	Item
	Parameters
}

// Candidate is a simulated person with the ability that produced the answers, in
// logits: 0 is the mean before groups differ, 1 a standard deviation.
type Candidate struct {
	Person
	Ability float64
}

// Cohort is a group of simulated candidates.
type Cohort []Candidate

// traits make one candidate answer differently from the next.
type traits struct {
	ability  float64 // logits
	pace     float64 // factor on the time of every item; 1 is usual
	caution  float64 // probability of omitting an item of usual omission when unsure
	rushRate float64 // probability of guessing within seconds instead of reading
}

// cohortGroups are the values of the group column: their share of the cohort (summing
// to 1) and how far their mean ability lies from 0, in logits.
var cohortGroups = []struct {
	name  string
	share float64
	shift float64
}{
	{"laboratory", 0.50, 0.35},
	{"workshop", 0.25, 0},
	{"administration", 0.25, -0.45},
}

// Generate simulates how persons candidates sit an exam of these items, in order and
// within 45 minutes. The same items and seed give the same cohort, and a smaller cohort
// is the beginning of a larger one, since each candidate has a random source of their
// own.
//
// A candidate who knows the item (two-parameter logistic model) answers with the key. One
// who does not know it omits it or guesses: in single-choice items one option by attraction,
// the key included; in multiple-choice items each option is judged by itself. A few rush
// and guess blindly. Times are log-normal around the item's usual time and the
// candidate's pace; items reached after the end of the time are omitted.
func Generate(items []SimulatedItem, persons int, seed uint64) Cohort {
	cohort := make(Cohort, persons)
	for i := range cohort {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		group, who := drawTraits(r)
		cohort[i] = sit(r, items, who)
		cohort[i].ID = fmt.Sprintf("p%04d", i+1)
		cohort[i].Groups = []string{group}
	}
	return cohort
}

func drawTraits(r *rand.Rand) (string, traits) {
	group := cohortGroups[weightedIndex(r, func(i int) float64 { return cohortGroups[i].share }, len(cohortGroups))]
	who := traits{
		ability: r.NormFloat64() + group.shift,
		pace:    math.Exp(0.22 * r.NormFloat64()),
		caution: 0.03,
	}
	// One in seven is cautious, one in twenty is in a hurry.
	if r.Float64() < 1.0/7 {
		who.caution = 0.35
	}
	if r.Float64() < 1.0/20 {
		who.rushRate = 0.4
	}
	return group.name, who
}

func sit(r *rand.Rand, items []SimulatedItem, who traits) Candidate {
	out := Candidate{Ability: who.ability}
	out.Responses = make([]string, len(items))
	out.TimesMs = make([]int64, len(items))
	left := int64(timeAllowedMs)
	for i, item := range items {
		// Drawn in any case, so that a change of one item does not change the others' draws.
		answer, ms := attempt(rand.New(rand.NewPCG(r.Uint64(), uint64(i))), item, who)
		if left <= 0 {
			continue
		}
		if ms > left {
			answer, ms = "", left
		}
		left -= ms
		out.Responses[i], out.TimesMs[i] = answer, ms
	}
	return out
}

// attempt gives the answer of a candidate to an item and the time spent on it in
// milliseconds.
func attempt(r *rand.Rand, item SimulatedItem, who traits) (string, int64) {
	if r.Float64() < who.rushRate {
		return item.guess(r, blind), milliseconds(r, 4, 0.3)
	}
	ms := milliseconds(r, item.Seconds*who.pace, 0.35)
	if r.Float64() < item.knows(who.ability) {
		return item.Key, ms
	}
	if r.Float64() < min(0.9, who.caution*item.Omission) {
		return "", ms
	}
	return item.guess(r, item.attraction), ms
}

func milliseconds(r *rand.Rand, medianSeconds, spread float64) int64 {
	return int64(1000 * medianSeconds * math.Exp(spread*r.NormFloat64()))
}
