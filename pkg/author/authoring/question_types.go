package authoring

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"assess/pkg/kernel/scoring"
)

// The bounds of the key of a short_text.
const (
	maxAccepted       = 100
	maxAcceptedLength = 1000
)

// typeRule says what the questions of one type are made of beside stem and explanation:
// parts lists the answerParts that they may have, check refuses what cannot be stored, and
// lacks names what a draft may lack and a published version may not.
type typeRule struct {
	parts        []string
	check, lacks func(p *problems, path string, body QuestionBody)
}

// typeRules has an entry for each question type (decisions, section 3).
var typeRules = map[scoring.QType]typeRule{
	scoring.MCQ: {parts: []string{"options", "scoring.method"}, check: checkMCQ, lacks: lacksOfMCQ},
	scoring.MRQ: {parts: []string{"options", "scoring.method", "scoring.minSelections", "scoring.maxSelections"},
		check: checkMRQ, lacks: lacksOfMRQ},
	scoring.ShortText: {parts: []string{"scoring.acceptedAnswers"}, check: checkShortText, lacks: lacksOfShortText},
	scoring.Numeric:   {parts: []string{"scoring.value", "scoring.tolerance"}, check: checkNumeric, lacks: lacksOfNumeric},
	scoring.Essay:     {check: nothing, lacks: nothing},
}

func nothing(*problems, string, QuestionBody) {}

// answerParts are the parts of which each type has some, by their paths.
var answerParts = []struct {
	path  string
	given func(QuestionBody) bool
}{
	{"options", func(b QuestionBody) bool { return len(b.Options) > 0 }},
	{"scoring.method", func(b QuestionBody) bool { return b.Scoring.Method != "" }},
	{"scoring.minSelections", func(b QuestionBody) bool { return b.Scoring.MinSelections != 0 }},
	{"scoring.maxSelections", func(b QuestionBody) bool { return b.Scoring.MaxSelections != 0 }},
	{"scoring.acceptedAnswers", func(b QuestionBody) bool { return len(b.Scoring.AcceptedAnswers) > 0 }},
	{"scoring.value", func(b QuestionBody) bool { return b.Scoring.Value != nil }},
	{"scoring.tolerance", func(b QuestionBody) bool { return b.Scoring.Tolerance != 0 }},
}

// typed checks what the type asks of a question.
func (p *problems) typed(path string, qtype scoring.QType, body QuestionBody) {
	rule, known := typeRules[qtype]
	if !known {
		p.add(member(path, "qtype"), "unsupported", "there is no such question type")
		return
	}
	for _, part := range answerParts {
		p.addIf(part.given(body) && !slices.Contains(rule.parts, part.path), member(path, part.path), "unsupported",
			"a question of type "+string(qtype)+" has none")
	}
	rule.check(p, path, body)
}

func checkMCQ(p *problems, path string, body QuestionBody) {
	method := body.Scoring.Method
	p.addIf(method != "" && method != scoring.AllOrNothing, member(path, "scoring.method"), "unsupported", "an mcq is scored all_or_nothing")
}

func lacksOfMCQ(p *problems, path string, body QuestionBody) {
	correct := body.correct()
	p.addIf(len(body.Options) < 2, member(path, "options"), "too_few_options", "an mcq needs at least two options")
	p.addIf(correct > 1 || correct == 0 && body.ContributesToScore, member(path, "options"), "one_correct_option",
		"an mcq has exactly one correct option; a survey item may have none")
}

func checkMRQ(p *problems, path string, body QuestionBody) {
	s := body.Scoring
	methods := []string{"", scoring.AllOrNothing, scoring.Partial}
	p.addIf(!slices.Contains(methods, s.Method), member(path, "scoring.method"), "out_of_range", "expected all_or_nothing or partial")
	p.addIf(s.MinSelections < 0, member(path, "scoring.minSelections"), "out_of_range", "0 or more")
	p.addIf(s.MaxSelections < 0, member(path, "scoring.maxSelections"), "out_of_range", "0 or more")
}

// lacksOfMRQ: a key outside the bounds of selections could never be selected without breaking
// them. Where there is no key, the options bound the selections.
func lacksOfMRQ(p *problems, path string, body QuestionBody) {
	correct, all, s := body.correct(), len(body.Options), body.Scoring
	p.addIf(all == 0, member(path, "options"), "too_few_options", "an mrq needs at least one option")
	p.addIf(correct == 0 && body.ContributesToScore, member(path, "options"), "no_correct_option",
		"an mrq has at least one correct option; a survey item may have none")
	least, most := "from 0 to the number of correct options", "from the number of correct options to that of all, or 0"
	minimum, bound := correct, correct
	if correct == 0 && !body.ContributesToScore {
		least, most = "from 0 to the number of options", "from minSelections to the number of options, or 0"
		minimum, bound = s.MinSelections, all
	}
	p.addIf(s.MinSelections > bound, member(path, "scoring.minSelections"), "out_of_range", least)
	p.addIf(s.MaxSelections > 0 && (s.MaxSelections < minimum || s.MaxSelections > all), member(path, "scoring.maxSelections"), "out_of_range", most)
}

func checkShortText(p *problems, path string, body QuestionBody) {
	accepted, list := body.Scoring.AcceptedAnswers, member(path, "scoring.acceptedAnswers")
	if len(accepted) > maxAccepted {
		p.add(list, "too_many", fmt.Sprintf("at most %d accepted answers", maxAccepted))
		return
	}
	seen := map[string]bool{}
	for i, answer := range accepted {
		at := fmt.Sprintf("%s[%d]", list, i)
		if !utf8.ValidString(answer) || strings.ContainsRune(answer, 0) || utf8.RuneCountInString(answer) > maxAcceptedLength {
			p.text(at, answer, maxAcceptedLength)
			continue
		}
		folded := scoring.Fold(answer)
		p.addIf(folded == "", at, "required", "an accepted answer says something")
		p.addIf(folded != "" && seen[folded], at, "duplicate_answer", "another one differs in case and white space alone")
		seen[folded] = true
	}
}

func lacksOfShortText(p *problems, path string, body QuestionBody) {
	p.addIf(len(body.Scoring.AcceptedAnswers) == 0 && body.ContributesToScore, member(path, "scoring.acceptedAnswers"), "required",
		"a short_text has at least one accepted answer; a survey item may have none")
}

func checkNumeric(p *problems, path string, body QuestionBody) {
	s := body.Scoring
	p.addIf(s.Value != nil && !finite(*s.Value), member(path, "scoring.value"), "invalid_number", "expected a finite number")
	p.addIf(!(s.Tolerance >= 0) || !finite(s.Tolerance), member(path, "scoring.tolerance"), "out_of_range", "a finite number from 0 on")
}

func lacksOfNumeric(p *problems, path string, body QuestionBody) {
	p.addIf(body.Scoring.Value == nil && body.ContributesToScore, member(path, "scoring.value"), "required",
		"a numeric has the right number; a survey item may have none")
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func (b QuestionBody) correct() int {
	n := 0
	for _, o := range b.Options {
		if o.IsCorrect {
			n++
		}
	}
	return n
}
