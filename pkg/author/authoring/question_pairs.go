package authoring

import (
	"fmt"
	"slices"

	"assess/pkg/kernel/scoring"
)

// maxPairs bounds the right pairs.
const maxPairs = 1000

func lacksPrompts(p *problems, path string, t *scoring.Type, body QuestionBody) {
	p.addIf(len(body.Prompts) == 0, path, "required", t.String()+" needs at least one prompt")
}

// checkPairs checks that each pair has an existing prompt and an
// existing option, and occurs once.
func checkPairs(p *problems, path string, _ *scoring.Type, body QuestionBody) {
	pairs := body.Scoring.Pairs
	if len(pairs) > maxPairs {
		p.add(path, "too_many", fmt.Sprintf("at most %d pairs", maxPairs))
		return
	}
	for i, pair := range pairs {
		at := fmt.Sprintf("%s[%d]", path, i)
		prompt := slices.ContainsFunc(body.Prompts, func(o Prompt) bool { return o.ID == pair[0] })
		option := slices.ContainsFunc(body.Options, func(o Option) bool { return o.ID == pair[1] })
		p.addIf(!prompt, at+"[0]", "unknown_prompt", "the question has no such prompt")
		p.addIf(!option, at+"[1]", "unknown_option", "the question has no such option")
		p.addIf(prompt && option && slices.Contains(pairs[:i], pair), at, "duplicate_pair", "the pair is there already")
	}
}

// lacksPairs checks that the right answer is one that can be given.
func lacksPairs(p *problems, path string, t *scoring.Type, body QuestionBody) {
	pairs := body.Scoring.Pairs
	p.addIf(len(pairs) == 0 && body.ContributesToScore, path, "required", t.String()+" has at least one right pair; a survey item may have none")
	prompted, chosen := map[string]int{}, map[string]int{}
	for i, pair := range pairs {
		at := fmt.Sprintf("%s[%d]", path, i)
		prompted[pair[0]]++
		chosen[pair[1]]++
		p.addIf(prompted[pair[0]] > max(body.Scoring.MaxPerPrompt, 1), at, "too_many", "the prompt takes fewer options (maxPerPrompt)")
		p.addIf(body.Scoring.MaxPerOption > 0 && chosen[pair[1]] > body.Scoring.MaxPerOption, at, "too_many", "the option goes with fewer prompts (maxPerOption)")
	}
}

func checkMaxPerPrompt(p *problems, path string, _ *scoring.Type, body QuestionBody) {
	p.addIf(body.Scoring.MaxPerPrompt < 0 || body.Scoring.MaxPerPrompt > maxOptions, path, "out_of_range", "from 0 to 100; 0 means 1")
}

func checkMaxPerOption(p *problems, path string, _ *scoring.Type, body QuestionBody) {
	p.addIf(body.Scoring.MaxPerOption < 0 || body.Scoring.MaxPerOption > maxOptions, path, "out_of_range", "from 0 to 100; 0 means any number")
}
