package scoring

import (
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawOrder makes an order and its options, which are listed otherwise.
func drawOrder(t *rapid.T) Key {
	k := Key{QType: Order, Weight: rapid.SampledFrom([]float64{0, 1, 0.1, 7}).Draw(t, "weight"), ContributesToScore: true,
		Method: rapid.SampledFrom([]string{"", AllOrNothing, Partial}).Draw(t, "method"), Options: optionKeys(rapid.IntRange(2, 7).Draw(t, "options"), "")}
	for _, o := range k.Options {
		k.Order = append(k.Order, o.ID)
	}
	k.Order = rapid.Permutation(k.Order).Draw(t, "order")
	return k
}

func TestAnOrderEarnsItsPlaces(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		k, c := drawOrder(t), drawConfig(t)
		given := rapid.Permutation(k.Order).Draw(t, "given")
		places := 0
		for i, id := range given {
			if k.Order[i] == id {
				places++
			}
		}
		item := Score(k, c, options(given...))
		if item.Status != Scored || item.CorrectSelected != places || item.IncorrectSelected != 0 || item.TotalCorrect != len(k.Order) {
			t.Fatalf("%+v for %v of %v", item, given, k.Order)
		}
		if item.IsCorrect != slices.Equal(given, k.Order) {
			t.Fatalf("%v of %v is right: %v", given, k.Order, item.IsCorrect)
		}
		part := k.Method == Partial && places > 0 && places < len(k.Order)
		if item.PartialCredit != part {
			t.Fatalf("%d of %d by %q has part: %v", places, len(k.Order), k.Method, item.PartialCredit)
		}
		if !part {
			return
		}
		// As many such answers as there are places earn whole weights, to the last decimal.
		var sum Sum
		for range k.Order {
			sum.Add(item, c)
		}
		exact := new(big.Rat).Mul(decimal(item.MaxScore), big.NewRat(int64(places), 1))
		if got := sum.Result(Config{}, nil).Score; decimal(got).Cmp(exact) != 0 {
			t.Fatalf("%d of %d, %d times: %v, want %s", places, len(k.Order), len(k.Order), got, exact.FloatString(10))
		}
	})
}

func TestAnOrderIsOneOfAllOptions(t *testing.T) {
	t.Parallel()
	k := Key{QType: Order, Weight: 1, Options: optionKeys(3, ""), Order: []string{"C", "A", "B"}, ContributesToScore: true}
	for _, c := range []struct {
		given   []string
		problem string
		status  Status
		code    string
	}{
		{[]string{"C", "A", "B"}, "", Scored, ""},
		{[]string{}, "", Exempt, ""},
		{[]string{"C", "A"}, "", Invalid, CodeTooFewSelections},
		{[]string{"C", "A", "A"}, CodeDuplicateOption, Invalid, CodeTooFewSelections},
		{[]string{"C", "A", "X"}, CodeUnknownOption, Invalid, CodeUnknownOption},
		{[]string{"C", "A", "B", "C"}, CodeOutOfRange, Invalid, CodeTooManySelections},
	} {
		problem := ""
		for _, f := range k.Check("response", options(c.given...)) {
			problem = f.Code
		}
		item := Score(k, Config{}, options(c.given...))
		if problem != c.problem || item.Status != c.status || item.InvalidCode != c.code {
			t.Errorf("%v: refused for %q, %s %s; want %q, %s %s", c.given, problem, item.Status, item.InvalidCode, c.problem, c.status, c.code)
		}
	}
}

// A survey item without a right order gives nobody credit: 0 of 0 places is nothing.
func TestNoOrderIsRightWhereThereIsNone(t *testing.T) {
	t.Parallel()
	for _, method := range []string{AllOrNothing, Partial} {
		item := Score(Key{QType: Order, Method: method, Options: optionKeys(2, "")}, Config{}, options("A", "B"))
		if item.Status != Scored || item.IsCorrect || item.Score != 0 {
			t.Errorf("%s: %+v", method, item)
		}
	}
}
