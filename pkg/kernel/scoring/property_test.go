package scoring

import (
	"math"
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawKey makes a question with options, right or wrong as chance has it.
func drawKey(t *rapid.T) Key {
	k := Key{
		QType:              rapid.SampledFrom([]QType{MCQ, MRQ}).Draw(t, "qtype"),
		Method:             rapid.SampledFrom([]string{"", AllOrNothing, Partial}).Draw(t, "method"),
		Weight:             round10(rapid.Float64Range(0, 100).Draw(t, "weight")),
		MinSelections:      rapid.IntRange(0, 3).Draw(t, "min"),
		MaxSelections:      rapid.IntRange(0, 6).Draw(t, "max"),
		Options:            optionKeys(rapid.IntRange(1, 8).Draw(t, "options"), ""),
		ContributesToScore: rapid.Bool().Draw(t, "contributes"),
	}
	for i := range k.Options {
		k.Options[i].Correct = rapid.Bool().Draw(t, "correct")
	}
	return k
}

// drawResponse selects from all options and one that does not exist.
func drawResponse(t *rapid.T, k Key) *Response {
	ids := []string{"unknown"}
	for _, o := range k.Options {
		ids = append(ids, o.ID)
	}
	return options(rapid.SliceOfN(rapid.SampledFrom(ids), 0, len(ids)).Draw(t, "selected")...)
}

func drawConfig(t *rapid.T) Config {
	return Config{NegativeMarking: rapid.Float64Range(0, 1).Draw(t, "negative marking")}
}

func TestScoreStaysWithinItsWeight(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		k, c := drawKey(t), drawConfig(t)
		item := Score(k, c, drawResponse(t, k))
		if math.Abs(item.Score) > item.MaxScore {
			t.Fatalf("score %v of %v", item.Score, item.MaxScore)
		}
		if item.Status != Scored && (item.Score != 0 || item.IsCorrect || item.PartialCredit) {
			t.Fatalf("%s with score %v", item.Status, item.Score)
		}
		if item.IsCorrect && item.Score != item.MaxScore {
			t.Fatalf("full credit, and %v of %v", item.Score, item.MaxScore)
		}
		if item.PartialCredit && (item.Method != Partial || item.Score < 0) {
			t.Fatalf("partial credit of %v by %s", item.Score, item.Method)
		}
	})
}

func TestOrderOfOptionsChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		k, c := drawKey(t), drawConfig(t)
		r := drawResponse(t, k)
		want := Score(k, c, r)
		k.Options = rapid.Permutation(k.Options).Draw(t, "key order")
		moved := options(rapid.Permutation(r.OptionIDs).Draw(t, "response order")...)
		if diff := cmp.Diff(want, Score(k, c, moved)); diff != "" {
			t.Fatalf("item (-want +got):\n%s", diff)
		}
		if PatternHash(r.OptionIDs) != PatternHash(moved.OptionIDs) {
			t.Fatal("the pattern changed")
		}
	})
}

// TestTotalIsTheSum adds in rational numbers what items show. A total is rounded once, so it may
// be off by half a step for each item that was rounded; TestTotalsAreExactAndRoundedOnce holds it
// against what the answers earned.
func TestTotalIsTheSum(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := drawConfig(t)
		keys := rapid.SliceOfN(rapid.Custom(drawKey), 0, 40).Draw(t, "keys")
		items := make([]Item, len(keys))
		score, maxScore := new(big.Rat), new(big.Rat)
		for i, k := range keys {
			items[i] = Score(k, c, drawResponse(t, k))
			if k.ContributesToScore {
				score.Add(score, decimal(items[i].Score))
				maxScore.Add(maxScore, decimal(items[i].MaxScore))
			}
		}
		if score.Sign() < 0 {
			score = new(big.Rat)
		}
		got := Total(items, keys, c, nil)
		off := new(big.Rat).Sub(decimal(got.Score), score)
		steps := off.Abs(off).Mul(off, big.NewRat(2*unit, 1))
		if steps.Cmp(big.NewRat(int64(len(items)), 1)) > 0 || decimal(got.MaxScore).Cmp(maxScore) != 0 {
			t.Fatalf("got %v of %v, want %s of %s", got.Score, got.MaxScore, score.FloatString(12), maxScore.FloatString(12))
		}
	})
}

// TestPassFollowsTheMark compares with exact arithmetic if the score is not within the
// tolerance of the mark.
func TestPassFollowsTheMark(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 200).Draw(t, "items")
		right := rapid.IntRange(0, n).Draw(t, "right")
		mark := rapid.IntRange(0, 100).Draw(t, "mark")
		weight := rapid.SampledFrom([]float64{1, 0.1, 0.3, 0.7, 1.1, 3}).Draw(t, "weight")
		items := append(repeat(right, scored(weight, weight)), repeat(n-right, scored(0, weight))...)
		percent := float64(mark)
		got := Total(items, counting(n), Config{}, &percent).OutcomeCode
		want := Fail
		if right*100 >= mark*n {
			want = Pass
		}
		if got != want {
			t.Fatalf("%d of %d at %d: got %s, want %s", right, n, mark, got, want)
		}
	})
}
