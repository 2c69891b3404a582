package authoring

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"assess/pkg/kernel/plural"
	"assess/pkg/kernel/scoring"
)

// The bounds of accepted answers.
const (
	maxAccepted       = 100
	maxAcceptedLength = 1000
)

// partRule says what the question types that have a part require of it; the paths of the
// problems begin with path, the path of the part. given says whether a question has it, check
// refuses what cannot be stored, and lacks names what a draft may lack and a published version
// may not; either may be nil.
type partRule struct {
	scoring.Part
	given        func(QuestionBody) bool
	check, lacks func(p *problems, path string, t *scoring.Type, body QuestionBody)
}

// parts has an entry for each part that some types have and others not.
var parts = []partRule{
	{scoring.PartOptions, func(b QuestionBody) bool { return len(b.Options) > 0 }, checkOptions, lacksOptions},
	{scoring.PartMethod, func(b QuestionBody) bool { return b.Scoring.Method != "" }, checkMethod, nil},
	{scoring.PartMinSelections, func(b QuestionBody) bool { return b.Scoring.MinSelections != 0 }, checkMinSelections, boundsMinSelections},
	{scoring.PartMaxSelections, func(b QuestionBody) bool { return b.Scoring.MaxSelections != 0 }, checkMaxSelections, boundsMaxSelections},
	{scoring.PartAcceptedAnswers, func(b QuestionBody) bool { return len(b.Scoring.AcceptedAnswers) > 0 }, checkAccepted, lacksAccepted},
	{scoring.PartValue, func(b QuestionBody) bool { return b.Scoring.Value != nil }, checkValue, lacksValue},
	{scoring.PartTolerance, func(b QuestionBody) bool { return b.Scoring.Tolerance != 0 }, checkTolerance, nil},
	{scoring.PartOrder, func(b QuestionBody) bool { return len(b.Scoring.Order) > 0 }, checkOrder, lacksOrder},
	{scoring.PartPrompts, func(b QuestionBody) bool { return len(b.Prompts) > 0 }, nil, lacksPrompts},
	{scoring.PartLayout, func(b QuestionBody) bool { return b.Layout != "" }, nil, nil},
	{scoring.PartPairs, func(b QuestionBody) bool { return len(b.Scoring.Pairs) > 0 }, checkPairs, lacksPairs},
	{scoring.PartMaxPerPrompt, func(b QuestionBody) bool { return b.Scoring.MaxPerPrompt != 0 }, checkMaxPerPrompt, nil},
	{scoring.PartMaxPerOption, func(b QuestionBody) bool { return b.Scoring.MaxPerOption != 0 }, checkMaxPerOption, nil},
	{scoring.PartGaps, func(b QuestionBody) bool { return len(b.Gaps) > 0 }, checkGaps, lacksGaps},
	{scoring.PartPool, func(b QuestionBody) bool { return len(b.Pool) > 0 }, nil, lacksPool},
	{scoring.PartReuse, func(b QuestionBody) bool { return b.Reuse }, nil, nil},
}

// typed checks what the type requires of a question.
func (p *problems) typed(path string, qtype scoring.QType, body QuestionBody) {
	if !qtype.Known() {
		p.add(member(path, "qtype"), "unsupported", "there is no such question type")
		return
	}
	t := qtype.Type()
	for _, part := range parts {
		p.addIf(part.given(body) && !t.Has(part.Part), member(path, part.Path), "unsupported",
			"a question of type "+string(qtype)+" has none")
	}
	for i, d := range body.placed(path) {
		p.addIf(d.HasGaps() && (i > 0 || !t.Has(scoring.PartGaps)), d.path, "unsupported", "only the stem of a question with gaps has gaps")
	}
	for _, part := range parts {
		if part.check != nil && t.Has(part.Part) {
			part.check(p, member(path, part.Path), t, body)
		}
	}
}

func checkOptions(p *problems, path string, t *scoring.Type, body QuestionBody) {
	for i, o := range body.Options {
		p.addIf(o.IsCorrect && !t.Chooses(), fmt.Sprintf("%s[%d].isCorrect", path, i), "unsupported", "no option of "+t.String()+" is right by itself")
		p.addIf(o.Area != nil && !t.Chooses(), fmt.Sprintf("%s[%d].area", path, i), "unsupported", "no option of "+t.String()+" is about a part of a picture")
	}
}

func lacksOptions(p *problems, path string, t *scoring.Type, body QuestionBody) {
	correct := body.correct()
	p.addIf(len(body.Options) < t.LeastOptions, path, "too_few_options", fmt.Sprintf("%s needs at least %s", t, plural.Of(t.LeastOptions, "option")))
	if !t.Chooses() {
		return
	}
	unkeyed := correct == 0 && body.ContributesToScore
	if t.Answer == scoring.OneOption {
		p.addIf(correct > 1 || unkeyed, path, "one_correct_option", t.String()+" has exactly one correct option; a survey item may have none")
		return
	}
	p.addIf(unkeyed, path, "no_correct_option", t.String()+" has at least one correct option; a survey item may have none")
}

func checkMethod(p *problems, path string, t *scoring.Type, body QuestionBody) {
	if method := body.Scoring.Method; method == "" || slices.Contains(t.Methods, method) {
		return
	}
	if len(t.Methods) == 1 {
		p.add(path, "unsupported", t.String()+" is scored "+t.Methods[0])
		return
	}
	p.add(path, "out_of_range", "expected "+strings.Join(t.Methods, " or "))
}

func checkMinSelections(p *problems, path string, _ *scoring.Type, body QuestionBody) {
	p.addIf(body.Scoring.MinSelections < 0, path, "out_of_range", "0 or more")
}

func checkMaxSelections(p *problems, path string, _ *scoring.Type, body QuestionBody) {
	p.addIf(body.Scoring.MaxSelections < 0, path, "out_of_range", "0 or more")
}

// A key outside the limits of selections could never be selected without breaking them. If
// there is no key, the options limit the selections.
func boundsMinSelections(p *problems, path string, _ *scoring.Type, body QuestionBody) {
	bound, expected := body.correct(), "from 0 to the number of correct options"
	if body.withoutKey() {
		bound, expected = len(body.Options), "from 0 to the number of options"
	}
	p.addIf(body.Scoring.MinSelections > bound, path, "out_of_range", expected)
}

func boundsMaxSelections(p *problems, path string, _ *scoring.Type, body QuestionBody) {
	least, expected := body.correct(), "from the number of correct options to that of all, or 0"
	if body.withoutKey() {
		least, expected = body.Scoring.MinSelections, "from minSelections to the number of options, or 0"
	}
	most := body.Scoring.MaxSelections
	p.addIf(most > 0 && (most < least || most > len(body.Options)), path, "out_of_range", expected)
}

func checkAccepted(p *problems, path string, _ *scoring.Type, body QuestionBody) {
	p.accepted(path, body.Scoring.AcceptedAnswers, body.Stem.DefaultLocale)
}

// accepted checks right texts: none is empty, and no two are the same.
func (p *problems) accepted(path string, accepted []string, locale string) {
	if len(accepted) > maxAccepted {
		p.add(path, "too_many", fmt.Sprintf("at most %d accepted answers", maxAccepted))
		return
	}
	folding := scoring.Folding{Rule: scoring.NewestFolding, Locale: locale}
	seen := map[string]bool{}
	for i, answer := range accepted {
		at := fmt.Sprintf("%s[%d]", path, i)
		if !utf8.ValidString(answer) || strings.ContainsRune(answer, 0) || utf8.RuneCountInString(answer) > maxAcceptedLength {
			p.text(at, answer, maxAcceptedLength)
			continue
		}
		folded := folding.Fold(answer)
		p.addIf(folded == "", at, "required", "an accepted answer says something")
		p.addIf(folded != "" && seen[folded], at, "duplicate_answer", "another one is the same answer, but for case, white space or the shapes of its signs")
		seen[folded] = true
	}
}

func lacksAccepted(p *problems, path string, t *scoring.Type, body QuestionBody) {
	p.addIf(len(body.Scoring.AcceptedAnswers) == 0 && body.ContributesToScore, path, "required",
		t.String()+" has at least one accepted answer; a survey item may have none")
}

func checkValue(p *problems, path string, _ *scoring.Type, body QuestionBody) {
	value := body.Scoring.Value
	p.addIf(value != nil && !finite(*value), path, "invalid_number", "expected a finite number")
}

func lacksValue(p *problems, path string, t *scoring.Type, body QuestionBody) {
	p.addIf(body.Scoring.Value == nil && body.ContributesToScore, path, "required", t.String()+" has the right number; a survey item may have none")
}

func checkTolerance(p *problems, path string, _ *scoring.Type, body QuestionBody) {
	tolerance := body.Scoring.Tolerance
	p.addIf(!(tolerance >= 0) || !finite(tolerance), path, "out_of_range", "a finite number from 0 on")
}

// checkOrder checks that an order, if there is one, names only options, each once.
func checkOrder(p *problems, path string, _ *scoring.Type, body QuestionBody) {
	known, seen := map[string]bool{}, map[string]bool{}
	for _, o := range body.Options {
		known[o.ID] = true
	}
	if len(body.Scoring.Order) > maxOptions {
		p.add(path, "too_many", "at most 100 options")
		return
	}
	for i, id := range body.Scoring.Order {
		at := fmt.Sprintf("%s[%d]", path, i)
		p.addIf(!known[id], at, "unknown_option", "the question has no such option")
		p.addIf(known[id] && seen[id], at, "duplicate_option", "the option has a place already")
		seen[id] = true
	}
}

func lacksOrder(p *problems, path string, t *scoring.Type, body QuestionBody) {
	order := body.Scoring.Order
	p.addIf(len(order) == 0 && body.ContributesToScore, path, "required", t.String()+" has a right order; a survey item may have none")
	p.addIf(len(order) > 0 && len(order) < len(body.Options), path, "incomplete_order", "the order names every option")
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

// withoutKey says that it is a survey item without a right option.
func (b QuestionBody) withoutKey() bool { return b.correct() == 0 && !b.ContributesToScore }
