package scoring

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"assess/pkg/kernel/errs"
)

// Pair is a prompt and an option that belong together.
type Pair [2]string

// UnmarshalJSON takes two strings, no more and no fewer, which an array of Go would pass over in silence.
func (p *Pair) UnmarshalJSON(raw []byte) error {
	var ids []string
	if err := json.Unmarshal(raw, &ids); err != nil {
		return err
	}
	if len(ids) != len(p) {
		return fmt.Errorf("a pair has 2 ids, not %d", len(ids))
	}
	copy(p[:], ids)
	return nil
}

// perPrompt is how many options a prompt takes.
func (k Key) perPrompt() int { return max(k.MaxPerPrompt, 1) }

// checkPairs names every pair that cannot be. How many pairs a prompt or an option takes is a matter of scoring.
func (k Key) checkPairs(path string, pairs []Pair) []errs.Field {
	if len(pairs) > len(k.Prompts)*len(k.Options) {
		return problem(path, CodeOutOfRange, "there are fewer pairs")
	}
	var problems []errs.Field
	options, seen := k.correct(), map[Pair]bool{}
	for i, p := range pairs {
		at := path + "[" + strconv.Itoa(i) + "]"
		_, known := options[p[1]]
		switch {
		case !slices.Contains(k.Prompts, p[0]):
			problems = append(problems, errs.Field{Path: at + "[0]", Code: CodeUnknownPrompt, Message: "the question has no such prompt"})
		case !known:
			problems = append(problems, errs.Field{Path: at + "[1]", Code: CodeUnknownOption, Message: "the question has no such option"})
		case seen[p]:
			problems = append(problems, errs.Field{Path: at, Code: CodeDuplicatePair, Message: "the pair is there already"})
		}
		seen[p] = true
	}
	return problems
}

// brokenByPairs gives the constraint that pairs break.
func (k Key) brokenByPairs(pairs []Pair) string {
	options, seen := k.correct(), map[Pair]bool{}
	prompted, chosen := map[string]int{}, map[string]int{}
	for _, p := range pairs {
		_, known := options[p[1]]
		switch {
		case !slices.Contains(k.Prompts, p[0]):
			return CodeUnknownPrompt
		case !known:
			return CodeUnknownOption
		case seen[p]:
			continue
		}
		seen[p] = true
		prompted[p[0]]++
		chosen[p[1]]++
		if prompted[p[0]] > k.perPrompt() || k.MaxPerOption > 0 && chosen[p[1]] > k.MaxPerOption {
			return CodeTooManySelections
		}
	}
	return ""
}

// countPairs counts each pair once.
func (i *Item) countPairs(k Key, r *Response) {
	i.TotalCorrect = len(k.Pairs)
	if r == nil {
		return
	}
	right, wrong := k.judged(r.Pairs)
	i.CorrectSelected = right
	if k.perPrompt() > 1 {
		i.IncorrectSelected = wrong
	}
}

func (k Key) judged(pairs []Pair) (right, wrong int) {
	counts, seen := map[Pair]bool{}, map[Pair]bool{}
	for _, p := range k.Pairs {
		counts[p] = true
	}
	for _, p := range pairs {
		switch {
		case seen[p]:
		case counts[p]:
			right++
		default:
			wrong++
		}
		seen[p] = true
	}
	return right, wrong
}

var rightPairs = rule{
	credit: func(k Key, i Item, r Response) float64 {
		_, wrong := k.judged(r.Pairs)
		switch {
		case i.TotalCorrect == 0:
			return 0
		case i.Method == Partial:
			return float64(max(0, i.CorrectSelected-i.IncorrectSelected)) / float64(i.TotalCorrect)
		default:
			return fullIf(i.CorrectSelected == i.TotalCorrect && wrong == 0)
		}
	},
	explain: func(k Key, i Item) string {
		paired := fmt.Sprintf("%d of %d right pairs", i.CorrectSelected, i.TotalCorrect)
		if k.perPrompt() > 1 {
			paired += fmt.Sprintf(" and %d wrong", i.IncorrectSelected)
		}
		switch {
		case i.Method != Partial:
			return paired + ", all or nothing"
		case k.perPrompt() > 1:
			return fmt.Sprintf("%s, partial credit max(0, %d − %d) / %d", paired, i.CorrectSelected, i.IncorrectSelected, i.TotalCorrect)
		default:
			return fmt.Sprintf("%s, partial credit %d / %d", paired, i.CorrectSelected, i.TotalCorrect)
		}
	},
}
