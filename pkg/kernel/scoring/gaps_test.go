package scoring

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// gaps makes an answer from pairs of an id and the text in the gap.
func gaps(filled ...string) *Response {
	r := &Response{Gaps: map[string]string{}}
	for i := 0; i < len(filled); i += 2 {
		r.Gaps[filled[i]] = filled[i+1]
	}
	return r
}

func gapKey() Key {
	return Key{QType: Gap, Weight: 2, ContributesToScore: true, Folding: Folding{Rule: NewestFolding, Locale: "en"}, Pool: []string{"A", "B", "C"}, Gaps: []GapKey{
		{ID: "g1", Kind: GapText, Accepted: []string{"don't", "do not"}},
		{ID: "g2", Kind: GapNumber, Value: new(1.1), Tolerance: 0.1, Weight: 3},
		{ID: "g3", Kind: GapChoice, Options: []string{"A", "B"}, Correct: []string{"B"}},
		{ID: "g4", Kind: GapPool, Correct: []string{"A", "C"}},
		{ID: "g5", Kind: GapPool, Correct: []string{"A"}, Weight: 2}}}
}

func TestGapsEarnTheirWeights(t *testing.T) {
	t.Parallel()
	right := map[string][]string{"g1": {" DON’T ", "do  not"}, "g2": {"1", "1.2", "+1.10", "11e-1"}, "g3": {"B"}, "g4": {"C"}, "g5": {"A"}}
	wrong := map[string][]string{"g1": {"does"}, "g2": {"0.99", "-1"}, "g3": {"A"}, "g4": {"B"}, "g5": {"B"}}
	rapid.Check(t, func(t *rapid.T) {
		k := gapKey()
		k.Reuse = true
		k.Method = rapid.SampledFrom([]string{"", Partial, AllOrNothing}).Draw(t, "method")
		r, earned, all, filled := gaps(), 0, 0, false
		var parts []string
		for _, g := range k.Gaps {
			weight := max(g.Weight, 1)
			all += weight
			switch rapid.IntRange(0, 2).Draw(t, g.ID) {
			case 0:
				r.Gaps[g.ID], filled = rapid.SampledFrom(right[g.ID]).Draw(t, "right"), true
				earned += weight
				parts = append(parts, g.ID)
			case 1:
				r.Gaps[g.ID], filled = rapid.SampledFrom(wrong[g.ID]).Draw(t, "wrong"), true
			default:
				r.Gaps[g.ID] = rapid.SampledFrom([]string{"", " \t"}).Draw(t, "blank")
			}
		}
		item := Score(k, Config{}, r)
		if problems := k.Check("", r); len(problems) > 0 || item.InvalidCode != "" {
			t.Fatalf("%v is refused: %v, %s", r.Gaps, problems, item.InvalidCode)
		}
		want := round10(2 * float64(earned) / float64(all))
		if k.Method == AllOrNothing {
			want = 2 * fullIf(earned == all)
		}
		switch {
		case !filled && (item.Status != Exempt || item.Score != 0):
			t.Fatalf("nothing was filled: %+v", item)
		case filled && (item.Score != want || item.IsCorrect != (earned == all) || item.RightParts != strings.Join(parts, "+")):
			t.Fatalf("%v earns %d of %d: %+v", r.Gaps, earned, all, item)
		}
	})
}

// Three questions that are each a third right are worth one, to the last digit.
func TestThirdsOfGapsAddUp(t *testing.T) {
	t.Parallel()
	k := Key{QType: Gap, Weight: 1, ContributesToScore: true}
	for _, id := range []string{"g1", "g2", "g3"} {
		k.Gaps = append(k.Gaps, GapKey{ID: id, Kind: GapText, Accepted: []string{"a"}})
	}
	item := Score(k, Config{}, gaps("g2", "a", "g3", "b"))
	if total := Total([]Item{item, item, item}, []Key{k, k, k}, Config{}, nil); total.Score != 1 || total.MaxScore != 3 {
		t.Errorf("three thirds are %v", total)
	}
}

func TestGapsTakeWhatTheirKindIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answer        *Response
		problem, code string
	}{
		{gaps("g1", "x", "g2", "1"), "", ""},
		{gaps("g9", "x"), "response.gaps unknown_gap", CodeUnknownGap},
		{gaps("g2", "1,5"), "response.gaps.g2 invalid_number", CodeInvalidNumber},
		{gaps("g2", "1e999"), "response.gaps.g2 invalid_number", CodeInvalidNumber},
		{gaps("g2", "NaN"), "response.gaps.g2 invalid_number", CodeInvalidNumber},
		{gaps("g2", "0x10"), "response.gaps.g2 invalid_number", CodeInvalidNumber},
		{gaps("g3", "C"), "response.gaps.g3 unknown_option", CodeUnknownOption},
		{gaps("g4", "D"), "response.gaps.g4 unknown_option", CodeUnknownOption},
		{gaps("g1", strings.Repeat("x", MaxGapText+1)), "response.gaps.g1 text_too_long", ""},
		{gaps("g1", "a\x00"), "response.gaps.g1 invalid_text", ""},
		{gaps("g4", "A", "g5", "A"), "", CodeTooManySelections},
		{gaps("1", "", "2", "", "3", "", "4", "", "5", "", "6", ""), "response.gaps out_of_range", ""},
		{text("x"), "response wrong_response_kind", CodeWrongKind},
	} {
		problem := ""
		for _, f := range gapKey().Check("response", c.answer) {
			problem = f.Path + " " + f.Code
		}
		if item := Score(gapKey(), Config{}, c.answer); problem != c.problem || item.InvalidCode != c.code {
			t.Errorf("%v: refused for %q, %q; want %q, %q", c.answer.Gaps, problem, item.InvalidCode, c.problem, c.code)
		}
	}
}

func TestGapsAreReadAsTexts(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{`{"gaps":["a"]}`, `{"gaps":null}`, `{"gaps":{"g1":null}}`, `{"gaps":{"g1":1}}`, `{"gaps":"a"}`} {
		if r, problems := ParseResponse("response", json.RawMessage(raw)); len(problems) != 1 || problems[0].Code != CodeWrongType {
			t.Errorf("%s: %v, %v", raw, r, problems)
		}
	}
	if r, problems := ParseResponse("response", json.RawMessage(`{"gaps":{"g1":"a"}}`)); len(problems) > 0 || r.Gaps["g1"] != "a" {
		t.Errorf("%v, %v", r, problems)
	}
}
