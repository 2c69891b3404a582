package scoring

import (
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// A total is the sum of what the answers earned, rounded once: nothing is lost in its items.
func TestTotalsAreExactAndRoundedOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := Config{NegativeMarking: rapid.SampledFrom([]float64{0, 0.25, 0.3333333333333333, 1}).Draw(t, "negative")}
		decimals := 10
		if rapid.Bool().Draw(t, "rounded") {
			decimals = rapid.IntRange(0, 6).Draw(t, "decimals")
			c.Rounding = &decimals
		}
		var items []Item
		var keys []Key
		var sum Sum
		want := new(big.Rat)
		for range rapid.IntRange(1, 40).Draw(t, "items") {
			key, worth := drawPartial(t)
			right, wrong := rapid.IntRange(0, worth).Draw(t, "right"), rapid.IntRange(0, 2).Draw(t, "wrong")
			if right+wrong == 0 {
				right = 1
			}
			item := Score(key, c, chosen(right, wrong))
			items, keys = append(items, item), append(keys, key)
			earned := big.NewRat(int64(max(0, right-wrong)), int64(worth))
			if earned.Sign() == 0 {
				earned = decimal(-c.NegativeMarking)
			}
			want.Add(want, earned.Mul(earned, decimal(key.Weight)))
			// An item that was scored otherwise first leaves nothing behind.
			sum.Add(Item{Status: Pending, MaxScore: item.MaxScore}, c)
			sum.Replace(Item{Status: Pending, MaxScore: item.MaxScore}, item, c)
		}
		if want.Sign() < 0 {
			want = new(big.Rat)
		}
		got := Total(items, keys, c, nil)
		if exact := want.FloatString(decimals); decimal(got.Score).FloatString(decimals) != exact {
			t.Fatalf("the total is %v, the answers earned %s", got.Score, exact)
		}
		if again := sum.Result(c, nil); again.Score != got.Score {
			t.Fatalf("corrected one by one the total is %v, at once %v", again.Score, got.Score)
		}
	})
}

// drawPartial gives a question with some right options and two wrong ones.
func drawPartial(t *rapid.T) (Key, int) {
	right := rapid.IntRange(1, 9).Draw(t, "right options")
	key := Key{QType: MRQ, Method: Partial, ContributesToScore: true, Weight: rapid.SampledFrom([]float64{0.1, 1, 2.5, 7, 1000}).Draw(t, "weight")}
	for i := range right {
		key.Options = append(key.Options, OptionKey{ID: fmt.Sprint("r", i), Correct: true})
	}
	key.Options = append(key.Options, OptionKey{ID: "w0"}, OptionKey{ID: "w1"})
	return key, right
}

func chosen(right, wrong int) *Response {
	r := &Response{OptionIDs: []string{}}
	for i := range right {
		r.OptionIDs = append(r.OptionIDs, fmt.Sprint("r", i))
	}
	for i := range wrong {
		r.OptionIDs = append(r.OptionIDs, fmt.Sprint("w", i))
	}
	return r
}
