package scoring

import "math"

// unit is how many of the smallest steps of a score make 1: ten decimals.
const unit = 1e10

const (
	// MaxTotal bounds the sum of all weights: an int64 of 1e-10 holds 922 million.
	MaxTotal = 900 * MaxWeight
	// maxRounding is the largest number of decimals of Config.Rounding.
	maxRounding = 6
	// passTolerance is how far below the pass mark still passes, as a share of the max:
	// three thirds of ten decimals make 0.9999999999.
	passTolerance = 1e-9
)

// Result is the score of a submission.
type Result struct {
	Score    float64
	MaxScore float64
	// Percent is 0 to 100; nil when there is nothing to score.
	Percent      *float64
	OutcomeCode  Outcome
	OutcomeLabel string
	// Pending says that a person has still to score an item that counts.
	Pending bool
}

// Sum is what the items of a submission that count add up to, in steps of 1e-10.
type Sum struct {
	Score, MaxScore int64
	// Pending is how many of them are.
	Pending int
}

// add counts an item in; one taken away counts -1 times.
func (s *Sum) add(item Item, times int64) {
	s.Score += times * units(item.Score)
	s.MaxScore += times * units(item.MaxScore)
	if item.Status == Pending {
		s.Pending += int(times)
	}
}

// Replace counts an item with another score.
func (s *Sum) Replace(before, after Item) {
	s.add(before, -1)
	s.add(after, 1)
}

// maxTold bounds totals that hold all ten decimals on their way through the database.
const maxTold = 100_000

// Sum gives back what the items added up to, and whether the result still tells: rounding and
// the floor of 0 hide it. Of pending items it tells that there are some, counted as one.
func (r Result) Sum(c Config) (Sum, bool) {
	sum := Sum{Score: units(r.Score), MaxScore: units(r.MaxScore)}
	if r.Pending {
		sum.Pending = 1
	}
	return sum, c.Rounding == nil && r.Score > 0 && r.MaxScore < maxTold
}

// Total adds up the items of a submission; keys[i] belongs to items[i].
// passMarkPercent is 0 to 100, nil for none.
func Total(items []Item, keys []Key, c Config, passMarkPercent *float64) Result {
	var sum Sum
	for i, item := range items {
		if !keys[i].ContributesToScore {
			continue
		}
		sum.add(item, 1)
	}
	return sum.Result(c, passMarkPercent)
}

// Result makes the score of a submission of its sum.
func (s Sum) Result(c Config, passMarkPercent *float64) Result {
	result := Result{Score: float64(c.round(max(0, s.Score))) / unit, MaxScore: float64(c.round(s.MaxScore)) / unit, Pending: s.Pending > 0}
	if result.MaxScore > 0 {
		percent := 100 * result.Score / result.MaxScore
		result.Percent = &percent
	}
	result.OutcomeCode = outcome(result, c, passMarkPercent)
	result.OutcomeLabel = result.OutcomeCode.Label()
	return result
}

func outcome(r Result, c Config, passMarkPercent *float64) Outcome {
	switch {
	case r.Pending:
		return Incomplete
	case passMarkPercent == nil || r.MaxScore == 0:
		return c.defaultOutcome()
	case r.Score+passTolerance*r.MaxScore >= *passMarkPercent/100*r.MaxScore:
		return Pass
	default:
		return Fail
	}
}

// units gives a score in steps of 1e-10; halves round away from zero.
func units(score float64) int64 { return int64(math.Round(score * unit)) }

func round10(score float64) float64 { return float64(units(score)) / unit }

// Stored gives a score as it is stored, with ten decimals.
func Stored(score float64) float64 { return round10(score) }

// round rounds steps of 1e-10, none of them negative, to the configured decimals.
func (c Config) round(n int64) int64 {
	if c.Rounding == nil {
		return n
	}
	step := int64(math.Pow10(10 - min(max(*c.Rounding, 0), maxRounding)))
	return (n + step/2) / step * step
}
