package scoring

import (
	"regexp"
	"slices"
	"testing"
)

// answersOf are a right and a wrong answer of each kind, to wholeKey.
var answersOf = map[Answer][2]*Response{
	OneOption:      {options("A"), options("B")},
	SeveralOptions: {options("A"), options("B")},
	Text:           {text(" YES"), text("no")},
	Number:         {number(1), number(2)},
	AllInOrder:     {options("B", "A"), options("A", "B")},
	PromptPairs:    {pairs("p=B"), pairs("p=A")},
	FilledGaps:     {gaps("g1", " YES", "g2", "1.0"), gaps("g1", "yes", "g2", "2")},
}

func wholeKey(t Type) Key {
	return Key{QType: t.Name, Weight: 1, Options: []OptionKey{{"A", true}, {"B", false}}, Accepted: []string{"yes"}, Order: []string{"B", "A"}, Prompts: []string{"p"}, Pairs: []Pair{{"p", "B"}}, Value: 1,
		Gaps: []GapKey{{ID: "g1", Kind: GapText, Accepted: []string{"yes"}}, {ID: "g2", Kind: GapNumber, Value: new(1.0)}}, ContributesToScore: true}
}

var typeName = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)

// TestEveryTypeIsWhole walks over the table: a row that forgets something fails and says what.
func TestEveryTypeIsWhole(t *testing.T) {
	t.Parallel()
	names := map[string]bool{"": true}
	for _, row := range Types {
		check := func(ok bool, what string) {
			t.Helper()
			if !ok {
				t.Errorf("type %q: %s", row.Name, what)
			}
		}
		check(typeName.MatchString(string(row.Name)), "the name has other characters than letters and underscores")
		check(!names[string(row.Name)] && (row.Alias == "" || !names[row.Alias]), "another type has the name or the alias")
		names[string(row.Name)], names[row.Alias] = true, true
		check(row.Article == "a" || row.Article == "an", "no article")
		check(answersOf[row.Answer][0] != nil, "no kind of answer")
		check(row.HasOptions() == (row.LeastOptions > 0) && (row.HasOptions() || members[row.Answer] != "optionIds"), "options go with the least number of them, and answers that are options with options")
		check(len(row.Methods) > 0 && (len(row.Methods) < 2 || row.Has(PartMethod)), "no method of scoring, or several without a part to choose one")
		check(row.Has(PartMinSelections) == (row.Answer == SeveralOptions) && row.Has(PartMaxSelections) == row.Has(PartMinSelections), "bounds of selections go with several options")
		if row.ByPeople() {
			check(len(row.Methods) == 1 && len(row.Parts) == 0 && row.credit == nil && row.explain == nil, "people score it, and yet it has a key or a rule")
			continue
		}
		check(row.Has(PartOptions) || row.Has(PartAcceptedAnswers) || row.Has(PartValue) || row.Has(PartOrder) || row.Has(PartPairs) || row.Has(PartGaps), "no part says what is right")
		check(row.credit != nil && row.explain != nil, "no rule of scoring")
		check(!slices.Contains(row.Methods, Manual), "scored by people and by a key")
	}
}

// TestEveryTypeTakesItsAnswer scores each kind of answer with a key of each type.
func TestEveryTypeTakesItsAnswer(t *testing.T) {
	t.Parallel()
	for _, row := range Types {
		if row.credit == nil && !row.ByPeople() {
			continue // TestEveryTypeIsWhole says so
		}
		key := wholeKey(row)
		for kind, answers := range answersOf {
			// Options by their number are options: an order that lacks some may be saved.
			fits := kind == row.Answer || (row.Chooses() || row.Ordered()) && (kind == OneOption || kind == SeveralOptions) || kind == AllInOrder && row.Answer == SeveralOptions
			for i, answer := range answers {
				if got := len(key.Check("", answer)) == 0; got != fits {
					t.Errorf("%s: the answer of %s may be saved: %v, want %v", row.Name, kind, got, fits)
				}
				if !fits || kind != row.Answer && !(row.Chooses() && (kind == OneOption || kind == SeveralOptions)) {
					continue
				}
				item := Score(key, Config{}, answer)
				if row.ByPeople() {
					if item.Status != Pending || item.Method != Manual {
						t.Errorf("%s: %s by %s, want to wait for a person", row.Name, item.Status, item.Method)
					}
					continue
				}
				right := i == 0
				why, told := key.Explain(item)
				if item.Status != Scored || item.IsCorrect != right || !told || why == "" {
					t.Errorf("%s: answer %d: %s, right %v, because %q; want it SCORED, right %v", row.Name, i, item.Status, item.IsCorrect, why, right)
				}
			}
		}
	}
}
