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
// parts lists the answerParts that they may have, check sees to the rest.
type typeRule struct {
	parts []string
	check func(p *problems, path string, body QuestionBody)
}

// typeRules has an entry for each question type (decisions, section 3).
var typeRules = map[scoring.QType]typeRule{
	scoring.MCQ:       {parts: []string{"options", "scoring.method"}, check: checkMCQ},
	scoring.MRQ:       {parts: []string{"options", "scoring.method", "scoring.minSelections", "scoring.maxSelections"}, check: checkMRQ},
	scoring.ShortText: {parts: []string{"scoring.acceptedAnswers"}, check: checkShortText},
	scoring.Numeric:   {parts: []string{"scoring.value", "scoring.tolerance"}, check: checkNumeric},
	scoring.Essay:     {check: func(*problems, string, QuestionBody) {}},
}

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
	p.addIf(len(body.Options) < 2, member(path, "options"), "too_few_options", "an mcq needs at least two options")
	p.addIf(body.correct() != 1, member(path, "options"), "one_correct_option", "an mcq has exactly one correct option")
	method := body.Scoring.Method
	p.addIf(method != "" && method != scoring.AllOrNothing, member(path, "scoring.method"), "unsupported", "an mcq is scored all_or_nothing")
}

func checkMRQ(p *problems, path string, body QuestionBody) {
	correct, s := body.correct(), body.Scoring
	p.addIf(correct == 0, member(path, "options"), "no_correct_option", "an mrq has at least one correct option")
	methods := []string{"", scoring.AllOrNothing, scoring.Partial}
	p.addIf(!slices.Contains(methods, s.Method), member(path, "scoring.method"), "out_of_range", "expected all_or_nothing or partial")
	// A key outside the bounds could never be selected without breaking them.
	p.addIf(s.MinSelections < 0 || s.MinSelections > correct, member(path, "scoring.minSelections"), "out_of_range",
		"from 0 to the number of correct options")
	p.addIf(s.MaxSelections != 0 && (s.MaxSelections < correct || s.MaxSelections > len(body.Options)),
		member(path, "scoring.maxSelections"), "out_of_range", "from the number of correct options to that of all, or 0")
}

func checkShortText(p *problems, path string, body QuestionBody) {
	accepted, list := body.Scoring.AcceptedAnswers, member(path, "scoring.acceptedAnswers")
	p.addIf(len(accepted) == 0, list, "required", "a short_text has at least one accepted answer")
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

func checkNumeric(p *problems, path string, body QuestionBody) {
	s := body.Scoring
	p.addIf(s.Value == nil, member(path, "scoring.value"), "required", "a numeric has the right number")
	p.addIf(s.Value != nil && !finite(*s.Value), member(path, "scoring.value"), "invalid_number", "expected a finite number")
	p.addIf(!(s.Tolerance >= 0) || !finite(s.Tolerance), member(path, "scoring.tolerance"), "out_of_range", "a finite number from 0 on")
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
