package scoring

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"assess/pkg/kernel/errs"
)

// The codes of field problems and, where said, of Item.InvalidCode.
const (
	CodeMalformedJSON   = "malformed_json"
	CodeWrongType       = "wrong_type"
	CodeUnknownField    = "unknown_field"
	CodeRequired        = "required"
	CodeOutOfRange      = "out_of_range"
	CodeInvalidText     = "invalid_text"
	CodeTextTooLong     = "text_too_long"
	CodeDuplicateOption = "duplicate_option"
	CodeDuplicatePair   = "duplicate_pair"
	// CodeWrongKind, CodeUnknownOption and CodeInvalidNumber are invalid codes too, of
	// answers that came in without Check.
	CodeWrongKind     = "wrong_response_kind"
	CodeUnknownOption = "unknown_option"
	CodeUnknownPrompt = "unknown_prompt"
	CodeUnknownGap    = "unknown_gap"
	CodeInvalidNumber = "invalid_number"
	// CodeTooFewSelections and CodeTooManySelections are constraint violations
	// (decisions, section 3).
	CodeTooFewSelections  = "too_few_selections"
	CodeTooManySelections = "too_many_selections"
)

// InvalidCodes are the constraints that Item.InvalidCode names.
var InvalidCodes = []string{CodeWrongKind, CodeUnknownOption, CodeUnknownPrompt, CodeUnknownGap, CodeInvalidNumber, CodeTooFewSelections, CodeTooManySelections}

// MaxTextLength bounds the text of an answer, in characters.
const MaxTextLength = 100_000

// Check says whether an answer may be saved; paths start at path. Several options may be too few
// or too many: that is a matter of scoring.
func (k Key) Check(path string, r *Response) []errs.Field {
	if r == nil {
		return nil
	}
	if !k.takes(*r) {
		return problem(path, CodeWrongKind, "a question of type "+string(k.QType)+" takes another kind of answer")
	}
	switch {
	case r.Pairs != nil:
		return k.checkPairs(member(path, "pairs"), r.Pairs)
	case r.Gaps != nil:
		return k.checkGaps(member(path, "gaps"), r.Gaps)
	case r.Text != nil:
		return checkText(member(path, "text"), *r.Text)
	case r.Number != nil && (math.IsNaN(*r.Number) || math.IsInf(*r.Number, 0)):
		return problem(member(path, "number"), CodeInvalidNumber, "expected a finite number")
	case r.OptionIDs != nil:
		return k.checkOptions(member(path, "optionIds"), r.OptionIDs)
	default:
		return nil
	}
}

// takes says whether the answer is of the one kind that the question expects.
func (k Key) takes(r Response) bool {
	given := map[string]bool{"optionIds": r.OptionIDs != nil, "text": r.Text != nil, "number": r.Number != nil, "pairs": r.Pairs != nil, "gaps": r.Gaps != nil}
	member, known := members[k.QType.Type().Answer]
	for name, is := range given {
		known = known && is == (name == member)
	}
	return known
}

// members are the members of a Response by kind of answer.
var members = map[Answer]string{OneOption: "optionIds", SeveralOptions: "optionIds", AllInOrder: "optionIds", Text: "text", Number: "number", PromptPairs: "pairs", FilledGaps: "gaps"}

func checkText(path, text string) []errs.Field {
	if utf8.RuneCountInString(text) > MaxTextLength {
		return problem(path, CodeTextTooLong, "an answer has at most 100000 characters")
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return problem(path, CodeInvalidText, "the text has NUL characters or is not valid UTF-8")
	}
	return nil
}

// checkOptions names every wrong id, unless there are more than options: then that is
// the problem, and a list of thousands would help nobody.
func (k Key) checkOptions(path string, ids []string) []errs.Field {
	if len(ids) > len(k.Options) {
		return problem(path, CodeOutOfRange, "the question has fewer options")
	}
	var problems []errs.Field
	if k.QType.Type().Answer == OneOption && len(ids) > 1 {
		problems = problem(path, CodeTooManySelections, "the question takes one option")
	}
	options := k.correct()
	seen := map[string]bool{}
	for i, id := range ids {
		_, known := options[id]
		at := path + "[" + strconv.Itoa(i) + "]"
		switch {
		case !known:
			problems = append(problems, errs.Field{Path: at, Code: CodeUnknownOption, Message: "the question has no such option"})
		case seen[id]:
			problems = append(problems, errs.Field{Path: at, Code: CodeDuplicateOption, Message: "the option is selected twice"})
		}
		seen[id] = true
	}
	return problems
}
