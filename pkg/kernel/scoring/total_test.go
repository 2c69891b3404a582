package scoring

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func scored(score, maxScore float64) Item {
	return Item{Status: Scored, Score: score, MaxScore: maxScore}
}

// counting makes keys of questions that all count.
func counting(n int) []Key {
	keys := make([]Key, n)
	for i := range keys {
		keys[i].ContributesToScore = true
	}
	return keys
}

func repeat(n int, item Item) []Item {
	items := make([]Item, n)
	for i := range items {
		items[i] = item
	}
	return items
}

func TestTotalOfRules(t *testing.T) {
	t.Parallel()
	mark := func(x float64) *float64 { return &x }
	none := Config{}
	rounded := func(n int) Config { return Config{Rounding: &n} }
	pending := Item{Status: Pending, MaxScore: 5}
	tests := []struct {
		name      string
		items     []Item
		config    Config
		mark      *float64
		wantScore float64
		wantMax   float64
		want      Outcome
	}{
		{"tenths add up exactly", repeat(10, scored(0.1, 1)), none, mark(10), 1, 10, Pass},
		{"passes on the mark", repeat(7, scored(0.5, 1)), none, mark(50), 3.5, 7, Pass},
		{"three thirds pass at 100", repeat(3, scored(0.3333333333, 0.3333333334)), none, mark(100), 0.9999999999, 1.0000000002, Pass},
		{"fails below the mark", repeat(7, scored(0.4999999, 1)), none, mark(50), 3.4999993, 7, Fail},
		{"omitted counts in the max", []Item{scored(1, 1), {Status: Exempt, MaxScore: 1}}, none, mark(60), 1, 2, Fail},
		{"invalid counts in the max", []Item{scored(1, 1), {Status: Invalid, MaxScore: 1}}, none, mark(50), 1, 2, Pass},
		{"not below nothing", []Item{scored(-0.5, 1), scored(0.25, 1)}, none, mark(0), 0, 2, Pass},
		{"negative items take from others", []Item{scored(-0.25, 1), scored(1, 1)}, none, nil, 0.75, 2, Incomplete},
		{"no pass mark", repeat(2, scored(1, 1)), none, nil, 2, 2, Incomplete},
		{"no pass mark, default outcome", repeat(2, scored(1, 1)), Config{DefaultOutcome: Pass}, nil, 2, 2, Pass},
		{"pending", []Item{scored(5, 5), pending}, none, mark(50), 5, 10, Incomplete},
		{"pending beats the default outcome", []Item{scored(5, 5), pending}, Config{DefaultOutcome: Pass}, nil, 5, 10, Incomplete},
		{"nothing to score", nil, none, mark(50), 0, 0, Incomplete},
		{"rounds half up to whole points", repeat(5, scored(0.5, 1)), rounded(0), mark(60), 3, 5, Pass},
		{"rounds to two decimals", repeat(1, scored(0.005, 1)), rounded(2), nil, 0.01, 1, Incomplete},
		{"rounds down", repeat(1, scored(0.0049999999, 1)), rounded(2), nil, 0, 1, Incomplete},
		{"a rounded score stays below its max", repeat(1, scored(2.5, 2.5)), rounded(0), nil, 3, 3, Incomplete},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := Total(test.items, counting(len(test.items)), test.config, test.mark)
			if got.Score != test.wantScore || got.MaxScore != test.wantMax || got.OutcomeCode != test.want {
				t.Errorf("got %v of %v %s, want %v of %v %s", got.Score, got.MaxScore, got.OutcomeCode,
					test.wantScore, test.wantMax, test.want)
			}
			if got.OutcomeLabel != test.want.Label() {
				t.Errorf("label: got %q", got.OutcomeLabel)
			}
		})
	}
}

func TestTotalLeavesSurveyItemsOut(t *testing.T) {
	t.Parallel()
	items := []Item{scored(1, 2), scored(3, 3), {Status: Pending, MaxScore: 5}}
	keys := counting(3)
	keys[1].ContributesToScore, keys[2].ContributesToScore = false, false
	mark, percent := 50.0, 50.0
	want := Result{Score: 1, MaxScore: 2, Percent: &percent, OutcomeCode: Pass, OutcomeLabel: "Pass"}
	if diff := cmp.Diff(want, Total(items, keys, Config{}, &mark)); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

func TestTotalHasNoPercentOfNothing(t *testing.T) {
	t.Parallel()
	if got := Total([]Item{scored(1, 1)}, make([]Key, 1), Config{}, nil); got.Percent != nil {
		t.Errorf("got %v, want none", *got.Percent)
	}
}

// A total that went through the database, which keeps fifteen digits, tells what it was made of
// or says that it does not.
func TestTotalsTellTheirSum(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var want Sum
		var items []Item
		for range rapid.IntRange(0, 30).Draw(t, "items") {
			maxScore := round10(rapid.Float64Range(0, 5000).Draw(t, "max"))
			item := scored(round10(rapid.Float64Range(-maxScore, maxScore).Draw(t, "score")), maxScore)
			if rapid.IntRange(0, 9).Draw(t, "pending") == 0 {
				item = Item{Status: Pending, MaxScore: maxScore}
			}
			items = append(items, item)
			want.Add(item, Config{})
		}
		var c Config
		if rapid.IntRange(0, 3).Draw(t, "rounded") == 0 {
			decimals := rapid.IntRange(0, 6).Draw(t, "decimals")
			c.Rounding = &decimals
		}
		r := Total(items, counting(len(items)), c, nil)
		r.Score, r.MaxScore = digits15(r.Score), digits15(r.MaxScore)
		got, told := r.Sum(c)
		if got.Pending != min(want.Pending, 1) {
			t.Fatalf("%d pending, told are %d", want.Pending, got.Pending)
		}
		want.Pending = got.Pending
		if told && got != want {
			t.Fatalf("told is %+v, want %+v", got, want)
		}
		if !told && c.Rounding == nil && want.Score > 0 && r.MaxScore < 100_000 {
			t.Fatalf("%+v is not told", want)
		}
	})
}

func digits15(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 15, 64), 64)
	if err != nil {
		panic(err)
	}
	return y
}
