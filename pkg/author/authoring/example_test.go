package authoring_test

import (
	"encoding/json"
	"fmt"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/scoring"
)

func ExampleQuestionInput_Problems() {
	document := func(text string) json.RawMessage {
		raw, err := json.Marshal(content.FromPlain("en", text))
		if err != nil {
			panic(err)
		}
		return raw
	}
	in := authoring.QuestionInput{
		QType: scoring.MCQ,
		Stem:  document("Which of these is a prime?"),
		Options: []authoring.OptionInput{
			{Content: document("21"), IsCorrect: true},
			{Content: document("23"), IsCorrect: true},
			{Content: document("")},
		},
	}
	for _, p := range in.Problems("") {
		fmt.Printf("%s: %s\n", p.Path, p.Message)
	}
	// Output:
	// options[2].content: the content is empty in its default locale
	// options: an mcq has exactly one correct option; a survey item may have none
}
