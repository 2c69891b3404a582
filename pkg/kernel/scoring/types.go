package scoring

import (
	"slices"
	"strings"
)

// QType is the type of a question.
type QType string

// The question types (decisions, section 3). Use these names to make questions of a type; code
// that treats types differently looks at the row of the type in Types.
const (
	MCQ       QType = "mcq"
	MRQ       QType = "mrq"
	ShortText QType = "short_text"
	Numeric   QType = "numeric"
	Essay     QType = "essay"
	Order     QType = "order"
	Match     QType = "match"
	Gap       QType = "gap"
)

// Answer is the kind of answer that a person gives: the member of Response, and for options how many.
type Answer string

// The kinds of answers.
const (
	OneOption      Answer = "one option"
	SeveralOptions Answer = "several options"
	AllInOrder     Answer = "all options in an order"
	PromptPairs    Answer = "pairs of a prompt and an option"
	FilledGaps     Answer = "what is in each gap"
	Text           Answer = "text"
	Number         Answer = "number"
)

// Part is a part that the questions of some types have: its path in a question, and the column of
// an import file that says it. Options have a column each, from optionA on.
type Part struct{ Path, Column string }

// The parts. All but the options and the bounds of selections are the key.
var (
	PartOptions         = Part{"options", "optionA"}
	PartAcceptedAnswers = Part{"scoring.acceptedAnswers", "correct"}
	PartValue           = Part{"scoring.value", "correct"}
	PartTolerance       = Part{"scoring.tolerance", "tolerance"}
	PartMethod          = Part{"scoring.method", "scoring"}
	PartMinSelections   = Part{"scoring.minSelections", "minSelections"}
	PartMaxSelections   = Part{"scoring.maxSelections", "maxSelections"}
	PartOrder           = Part{"scoring.order", "correct"}
	PartPrompts         = Part{"prompts", ColumnContent}
	PartLayout          = Part{"layout", ColumnContent}
	PartPairs           = Part{"scoring.pairs", ColumnContent}
	PartMaxPerPrompt    = Part{"scoring.maxPerPrompt", ColumnContent}
	PartMaxPerOption    = Part{"scoring.maxPerOption", ColumnContent}
	PartGaps            = Part{"gaps", ColumnContent}
	PartPool            = Part{"pool", ColumnContent}
	PartReuse           = Part{"reuse", ColumnContent}
)

// ColumnContent is the column of an import file that holds a whole question: parts without a column of their own go there.
const ColumnContent = "content"

// Parts lists them in the order of the columns.
var Parts = []Part{PartOptions, PartAcceptedAnswers, PartValue, PartTolerance, PartMethod, PartMinSelections, PartMaxSelections, PartOrder,
	PartPrompts, PartLayout, PartPairs, PartMaxPerPrompt, PartMaxPerOption, PartGaps, PartPool, PartReuse}

// Type is everything that sets the questions of a type apart from others.
type Type struct {
	Name QType
	// Article goes before the name in a sentence: "an mcq".
	Article string
	// Alias is another word for it in an import file; empty for none.
	Alias  string
	Answer Answer
	// Parts are what its questions may have besides the parts of every question.
	Parts []Part
	// LeastOptions is how many options a question needs to be published; 0 for types without.
	LeastOptions int
	// Methods are how its answers may be scored, the default first. Manual never comes with another.
	Methods []string
	// rule scores the answers; a type that people score has none.
	rule
}

// Types has a row for each question type: the one place that says what a type is.
var Types = []Type{
	{Name: MCQ, Article: "an", Alias: "single", Answer: OneOption, LeastOptions: 2, rule: rightOption,
		Parts: []Part{PartOptions, PartMethod}, Methods: []string{AllOrNothing}},
	{Name: MRQ, Article: "an", Alias: "multiple", Answer: SeveralOptions, LeastOptions: 1, rule: rightSet,
		Parts: []Part{PartOptions, PartMethod, PartMinSelections, PartMaxSelections}, Methods: []string{AllOrNothing, Partial}},
	{Name: ShortText, Article: "a", Answer: Text, rule: acceptedText,
		Parts: []Part{PartAcceptedAnswers}, Methods: []string{AllOrNothing}},
	{Name: Numeric, Article: "a", Answer: Number, rule: nearNumber,
		Parts: []Part{PartValue, PartTolerance}, Methods: []string{AllOrNothing}},
	{Name: Essay, Article: "an", Answer: Text, Methods: []string{Manual}},
	{Name: Order, Article: "an", Alias: "ordering", Answer: AllInOrder, LeastOptions: 2, rule: rightOrder,
		Parts: []Part{PartOptions, PartOrder, PartMethod}, Methods: []string{AllOrNothing, Partial}},
	{Name: Match, Article: "a", Alias: "matching", Answer: PromptPairs, LeastOptions: 2, rule: rightPairs,
		Parts: []Part{PartOptions, PartPrompts, PartLayout, PartPairs, PartMaxPerPrompt, PartMaxPerOption, PartMethod}, Methods: []string{Partial, AllOrNothing}},
	{Name: Gap, Article: "a", Alias: "cloze", Answer: FilledGaps, rule: rightGaps,
		Parts: []Part{PartGaps, PartPool, PartReuse, PartMethod}, Methods: []string{Partial, AllOrNothing}},
}

var typesByName = func() map[QType]*Type {
	all := map[QType]*Type{}
	for i := range Types {
		all[Types[i].Name] = &Types[i]
	}
	return all
}()

// Type gives the row of a type; of an unknown one a row that takes no answer and has no part.
func (q QType) Type() *Type {
	known, ok := typesByName[q]
	if !ok {
		return &Type{Name: q, Article: "a", Methods: []string{AllOrNothing}}
	}
	return known
}

// QTypes names the types whose answers are of these kinds, or all types, in the order of Types.
func QTypes(answers ...Answer) []string {
	var names []string
	for _, t := range Types {
		if len(answers) == 0 || slices.Contains(answers, t.Answer) {
			names = append(names, string(t.Name))
		}
	}
	return names
}

// QTypesWith names the types whose questions may have the part, in the order of Types.
func QTypesWith(p Part) []string {
	var names []string
	for _, t := range Types {
		if t.Has(p) {
			names = append(names, string(t.Name))
		}
	}
	return names
}

// Methods names the ways of scoring that an author may choose from, each once.
func Methods() []string {
	var all []string
	for _, t := range Types {
		for _, m := range t.Methods {
			if t.Has(PartMethod) && !slices.Contains(all, m) {
				all = append(all, m)
			}
		}
	}
	return all
}

// InWords joins names for people: "mcq, mrq or essay".
func InWords(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// Known says whether there is such a type.
func (q QType) Known() bool { return typesByName[q] != nil }

// Has says whether its questions may have the part.
func (t *Type) Has(p Part) bool { return slices.Contains(t.Parts, p) }

// HasOptions says whether its questions have options.
func (t *Type) HasOptions() bool { return t.Has(PartOptions) }

// HasParts says whether an answer has parts, each right or wrong: the places of an order, the prompts of a match, gaps.
func (t *Type) HasParts() bool {
	return t.Ordered() || t.Answer == PromptPairs || t.Answer == FilledGaps
}

// NeedsContent says that no columns of an import file hold its questions: they are in the column content.
func (t *Type) NeedsContent() bool {
	return slices.ContainsFunc(t.Parts, func(p Part) bool { return p.Column == ColumnContent })
}

// Chooses says whether an answer is a choice: some options are right, and others are wrong.
func (t *Type) Chooses() bool { return t.Answer == OneOption || t.Answer == SeveralOptions }

// Ordered says whether the sequence of the options is the answer. Then it is drawn for everybody, since the author's would tell.
func (t *Type) Ordered() bool { return t.Answer == AllInOrder }

// ByPeople says whether people score its answers: then there is no key.
func (t *Type) ByPeople() bool { return t.Methods[0] == Manual }

// String gives the name with its article: "an mcq".
func (t *Type) String() string { return t.Article + " " + string(t.Name) }
