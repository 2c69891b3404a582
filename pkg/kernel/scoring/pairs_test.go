package scoring

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// pairs makes an answer of "prompt=option".
func pairs(all ...string) *Response {
	r := &Response{Pairs: []Pair{}}
	for _, one := range all {
		prompt, option, _ := strings.Cut(one, "=")
		r.Pairs = append(r.Pairs, Pair{prompt, option})
	}
	return r
}

// drawMatch makes a match whose right pairs can be given.
func drawMatch(t *rapid.T) (Key, []Pair) {
	k := Key{QType: Match, Weight: rapid.SampledFrom([]float64{0, 1, 0.1, 7}).Draw(t, "weight"), ContributesToScore: true,
		Method: rapid.SampledFrom([]string{"", AllOrNothing, Partial}).Draw(t, "method"), Options: optionKeys(rapid.IntRange(2, 4).Draw(t, "options"), ""),
		Prompts: []string{"p1", "p2", "p3"}[:rapid.IntRange(1, 3).Draw(t, "prompts")], MaxPerPrompt: rapid.SampledFrom([]int{0, 1, 2, 4}).Draw(t, "per prompt")}
	var all []Pair
	for _, p := range k.Prompts {
		for _, o := range k.Options {
			all = append(all, Pair{p, o.ID})
		}
	}
	some := func(name string) []Pair {
		var chosen []Pair
		n := map[string]int{}
		for _, p := range rapid.Permutation(all).Draw(t, name) {
			if n[p[0]] < k.perPrompt() && rapid.Bool().Draw(t, "takes") {
				chosen, n[p[0]] = append(chosen, p), n[p[0]]+1
			}
		}
		return chosen
	}
	k.Pairs = some("right")
	return k, some("given")
}

func TestAMatchEarnsItsPairs(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		k, given := drawMatch(t)
		right, wrong := 0, 0
		for _, p := range given {
			if slices.Contains(k.Pairs, p) {
				right++
			} else {
				wrong++
			}
		}
		item := Score(k, Config{}, &Response{Pairs: given})
		earned, total := right, len(k.Pairs)
		if k.MaxPerPrompt > 1 {
			earned = max(0, right-wrong)
		}
		switch {
		case len(given) == 0:
			if item.Status != Exempt || item.Score != 0 {
				t.Fatalf("nothing was answered: %+v", item)
			}
		case k.Method == AllOrNothing:
			if item.IsCorrect != (right == total && wrong == 0 && total > 0) || item.PartialCredit {
				t.Fatalf("%v of %v: %+v", given, k.Pairs, item)
			}
		case total == 0:
			if item.Score != 0 || item.IsCorrect {
				t.Fatalf("nothing is right: %+v", item)
			}
		case item.Score != round10(item.MaxScore*float64(earned)/float64(total)) || item.IsCorrect != (earned == total):
			t.Fatalf("%d of %d: %+v", earned, total, item)
		}
		if again := Score(k, Config{}, &Response{Pairs: rapid.Permutation(given).Draw(t, "again")}); again != item {
			t.Fatalf("in another order: %+v, want %+v", again, item)
		}
	})
}

func TestPairsAreOfWhatIsThere(t *testing.T) {
	t.Parallel()
	k := Key{QType: Match, Weight: 1, Options: optionKeys(2, ""), Prompts: []string{"p1", "p2", "p3"}, Pairs: []Pair{{"p1", "A"}, {"p2", "B"}}, MaxPerOption: 2, ContributesToScore: true}
	for _, c := range []struct {
		given         []string
		problem, code string
	}{
		{[]string{"p1=A", "p2=B"}, "", ""},
		{[]string{"p9=A"}, "response.pairs[0][0] unknown_prompt", CodeUnknownPrompt},
		{[]string{"p1=Z"}, "response.pairs[0][1] unknown_option", CodeUnknownOption},
		{[]string{"p1=A", "p1=A"}, "response.pairs[1] duplicate_pair", ""},
		{[]string{"p1=A", "p1=B"}, "", CodeTooManySelections},
		{[]string{"p1=A", "p2=A", "p3=A"}, "", CodeTooManySelections},
	} {
		problem := ""
		for _, f := range k.Check("response", pairs(c.given...)) {
			problem = f.Path + " " + f.Code
		}
		if item := Score(k, Config{}, pairs(c.given...)); problem != c.problem || item.InvalidCode != c.code {
			t.Errorf("%v: refused for %q, %q; want %q, %q", c.given, problem, item.InvalidCode, c.problem, c.code)
		}
	}
}

func TestAPairHasTwoIDs(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{`{"pairs":[["p1"]]}`, `{"pairs":[["p1","A","B"]]}`, `{"pairs":["p1=A"]}`, `{"pairs":[null]}`, `{"pairs":null}`, `{"pairs":[["p1",1]]}`} {
		if r, problems := ParseResponse("response", json.RawMessage(raw)); len(problems) != 1 || problems[0].Code != CodeWrongType {
			t.Errorf("%s: %v, %v", raw, r, problems)
		}
	}
	r, problems := ParseResponse("response", json.RawMessage(`{"pairs":[["p1","A"]]}`))
	if len(problems) > 0 || len(r.Pairs) != 1 || r.Pairs[0] != (Pair{"p1", "A"}) {
		t.Errorf("%v, %v", r, problems)
	}
}
