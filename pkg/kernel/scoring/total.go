package scoring

import (
	"math"
	"math/big"
)

// unit is how many of the smallest steps of a score make 1: ten decimals.
const unit = 1e10

const (
	// MaxTotal bounds the sum of all weights: an int64 of 1e-10 holds 922 million.
	MaxTotal = 900 * MaxWeight
	// maxRounding is the largest number of decimals of Config.Rounding.
	maxRounding = 6
	// passTolerance is how far below the pass mark still passes, as a share of the max: two
	// thirds of ten decimals are not 66.66666666666667 %.
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

// Sum is the total of the items of a submission that count, in steps of 1e-10. It is exact:
// rest has the part that items earned beyond their ten decimals, nil for nothing.
type Sum struct {
	Score, MaxScore int64
	rest            *big.Rat
	// Pending is how many of them are.
	Pending int
}

// Add counts an item in.
func (s *Sum) Add(item Item, c Config) { s.add(item, c, 1) }

// AddRest counts in what an item is worth beyond the ten decimals that are in the sum already.
func (s *Sum) AddRest(item Item, c Config) { s.addRest(item, c, 1) }

func (s *Sum) addRest(item Item, c Config, times int64) {
	rest := item.rest(c)
	if rest == nil {
		return
	}
	rest.Mul(rest, big.NewRat(times, 1))
	if s.rest != nil {
		rest.Add(rest, s.rest)
	}
	s.rest = rest
}

// add counts an item so many times: -1 takes it away.
func (s *Sum) add(item Item, c Config, times int64) {
	s.Score += times * units(item.Score)
	s.addRest(item, c, times)
	s.MaxScore += times * units(item.MaxScore)
	if item.Status == Pending {
		s.Pending += int(times)
	}
}

// Replace counts an item with another score.
func (s *Sum) Replace(before, after Item, c Config) {
	s.add(before, c, -1)
	s.add(after, c, 1)
}

var halfAStep = big.NewRat(1, 2)

// rest is what the item is worth beyond its ten decimals, in steps of 1e-10; nil for nothing.
// Two rules give more than ten: partial credit and negative marking.
func (i Item) rest(c Config) *big.Rat {
	if i.Status != Scored {
		return nil
	}
	exact := decimal(i.MaxScore)
	switch credit := i.CorrectSelected - i.IncorrectSelected; {
	case i.Score < 0:
		exact.Mul(exact, decimal(-c.NegativeMarking))
	case i.Method == Partial && credit > 0 && credit < i.TotalCorrect:
		exact.Mul(exact, big.NewRat(int64(credit), int64(i.TotalCorrect)))
	default:
		return nil
	}
	exact.Mul(exact, big.NewRat(unit, 1))
	exact.Sub(exact, big.NewRat(units(i.Score), 1))
	if exact.Sign() == 0 || new(big.Rat).Abs(exact).Cmp(halfAStep) > 0 {
		return nil // somebody else decided about the score
	}
	return exact
}

// maxTold bounds totals that hold all ten decimals on their way through the database.
const maxTold = 100_000

// Sum gives back what the items added up to, and whether the result still tells: rounding and
// the floor of 0 hide it, and so do items with more than ten decimals (see Finer). Of pending items it tells that there are some, counted as one.
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
		sum.Add(item, c)
	}
	return sum.Result(c, passMarkPercent)
}

// Result makes the score of a submission of its sum.
func (s Sum) Result(c Config, passMarkPercent *float64) Result {
	result := Result{Score: float64(max(0, c.round(s.Score, s.rest))) / unit, MaxScore: float64(c.round(s.MaxScore, nil)) / unit, Pending: s.Pending > 0}
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

// round rounds steps of 1e-10 and parts of one, once: to the configured decimals, else to ten. Below
// 0 nothing is exact, since no total is there.
func (c Config) round(n int64, parts *big.Rat) int64 {
	step := int64(1)
	if c.Rounding != nil {
		step = int64(math.Pow10(10 - min(max(*c.Rounding, 0), maxRounding)))
	}
	if parts == nil {
		return (n + step/2) / step * step
	}
	half := new(big.Rat).Add(parts, big.NewRat(2*n+step, 2))
	half.Quo(half, big.NewRat(step, 1))
	return new(big.Int).Quo(half.Num(), half.Denom()).Int64() * step
}

// Finer says whether an item of the question may be worth more than ten decimals tell.
func (k Key) Finer(c Config) bool {
	cost := new(big.Rat).Mul(decimal(c.NegativeMarking), decimal(k.weight()))
	return k.ContributesToScore && (k.method() == Partial || !cost.Mul(cost, big.NewRat(unit, 1)).IsInt())
}
