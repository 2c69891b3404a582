package scoring_test

import (
	"encoding/json"
	"fmt"

	"assess/pkg/kernel/scoring"
)

func ExampleScore() {
	key := scoring.Key{
		QType: scoring.MRQ, Method: scoring.Partial, Weight: 3, ContributesToScore: true,
		Options: []scoring.OptionKey{{ID: "A", Correct: true}, {ID: "B", Correct: true}, {ID: "C"}, {ID: "D", Correct: true}},
	}
	answer, problems := scoring.ParseResponse("response", json.RawMessage(`{"optionIds": ["D", "A"]}`))
	problems = append(problems, key.Check("response", answer)...)
	if len(problems) > 0 {
		fmt.Println(problems)
		return
	}
	item := scoring.Score(key, scoring.Config{}, answer)
	fmt.Println(item.Status, item.Score, "of", item.MaxScore, "pattern", scoring.Pattern(answer.OptionIDs))

	passMark := 60.0
	result := scoring.Total([]scoring.Item{item}, []scoring.Key{key}, scoring.Config{}, &passMark)
	fmt.Println(result.Score, "of", result.MaxScore, result.OutcomeLabel)
	// Output:
	// SCORED 2 of 3 pattern A+D
	// 2 of 3 Pass
}
