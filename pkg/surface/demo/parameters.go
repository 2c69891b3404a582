package demo

import (
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Parameters say how an item behaves in a simulated cohort. They are written in
// parameters.csv, a row per item.
type Parameters struct {
	Discrimination float64 // slope of the item at its difficulty, above 0; 1 is usual
	Difficulty     float64 // ability at which half know the answer, in logits
	Omission       float64 // factor on a candidate's caution; 1 is usual
	Seconds        float64 // median time of an attempt at usual pace
	// Weights describe how each option attracts candidates who do not know the answer. Single
	// choice: its share of the guesses, the key's share being the chance of guessing right.
	// Multiple choice: the probability of judging it wrongly, 0 to 1.
	Weights []float64
}

// knows is the probability that a candidate of this ability knows the answer
// (two-parameter logistic model).
func (p Parameters) knows(ability float64) float64 {
	return 1 / (1 + math.Exp(-p.Discrimination*(ability-p.Difficulty)))
}

func (p Parameters) attraction(option int) float64 { return p.Weights[option] }

// blind makes all options of a single-choice item alike, and each option of a
// multiple-choice item a toss-up.
func blind(int) float64 { return 0.5 }

// guess answers without knowing. attraction has the meaning of Parameters.Weights. A
// multiple-choice guess that chooses nothing is an omission.
func (item SimulatedItem) guess(r *rand.Rand, attraction func(option int) float64) string {
	if !item.Multiple {
		return letter(weightedIndex(r, attraction, item.Options))
	}
	var chosen strings.Builder
	for i := range item.Options {
		right := strings.Contains(item.Key, letter(i))
		misjudged := r.Float64() < attraction(i)
		if right != misjudged {
			chosen.WriteString(letter(i))
		}
	}
	return chosen.String()
}

// weightedIndex draws one of n indices with the given weights.
func weightedIndex(r *rand.Rand, weight func(int) float64, n int) int {
	total := 0.0
	for i := range n {
		total += weight(i)
	}
	x := r.Float64() * total
	for i := range n {
		x -= weight(i)
		if x < 0 {
			return i
		}
	}
	return n - 1
}

// readParameters gives the parameters of the items, in their order.
func readParameters(fsys fs.FS, items []Item) ([]SimulatedItem, error) {
	t, err := readTable(fsys, "parameters.csv", "item_id", "discrimination", "difficulty", "omission", "seconds")
	if err != nil {
		return nil, err
	}
	byID := map[string]row{}
	for _, r := range t.rows {
		byID[r.cell("item_id")] = r
	}
	out := make([]SimulatedItem, len(items))
	for i, item := range items {
		r, ok := byID[item.ID]
		if !ok {
			return nil, &FileError{File: t.file, Reason: fmt.Sprintf("item %q is missing", item.ID)}
		}
		parameters, err := parseParameters(r, item.Options)
		if err != nil {
			return nil, err
		}
		out[i] = SimulatedItem{item, parameters}
	}
	return out, nil
}

func parseParameters(r row, options int) (Parameters, error) {
	p := Parameters{Weights: make([]float64, options)}
	targets := []struct {
		column string
		value  *float64
	}{
		{"discrimination", &p.Discrimination},
		{"difficulty", &p.Difficulty},
		{"omission", &p.Omission},
		{"seconds", &p.Seconds},
	}
	for _, target := range targets {
		err := parseNumber(r, target.column, target.value)
		if err != nil {
			return Parameters{}, err
		}
	}
	for i := range p.Weights {
		err := parseNumber(r, letter(i), &p.Weights[i])
		if err != nil {
			return Parameters{}, err
		}
	}
	return p, nil
}

func parseNumber(r row, column string, target *float64) error {
	value, err := strconv.ParseFloat(r.cell(column), 64)
	if err != nil {
		return r.fail(column, "%q is not a number", r.cell(column))
	}
	*target = value
	return nil
}
