package authoring

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"assess/pkg/content"
	"assess/pkg/errs"
	"assess/pkg/ids"
	"assess/pkg/scoring"
)

const (
	maxOptions = 100
	maxWeight  = 1_000_000
	maxTerms   = 100
)

var optionID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)

// typeRules checks what only the questions of one type must have. A question type is taken
// when it has an entry here.
var typeRules = map[scoring.QType]func(p *problems, path string, body QuestionBody){
	scoring.MCQ: checkMCQ,
	scoring.MRQ: checkMRQ,
}

// Problems names everything that is wrong with a question, as far as it can be told
// without the database; paths start at path. Previews of imports use it.
func (in QuestionInput) Problems(path string) []errs.Field {
	_, found := in.parse(path)
	return found
}

// parse reads an input; with problems the body is of no use.
func (in QuestionInput) parse(path string) (QuestionBody, problems) {
	var p problems
	p.text(member(path, "externalId"), in.ExternalID, maxExternalID)
	body := QuestionBody{Weight: 1, ContributesToScore: true}
	body.Stem = p.document(member(path, "stem"), in.Stem)
	if !isNull(in.Explanation) {
		explanation := p.document(member(path, "explanation"), in.Explanation)
		body.Explanation = &explanation
	}
	body.Options = p.options(path, in.Options)
	set(&body.Scoring, in.Scoring)
	set(&body.Weight, in.Weight)
	set(&body.ContributesToScore, in.ContributesToScore)
	p.weight(member(path, "weight"), &body.Weight)
	p.termIDs(member(path, "taxonomyTermIds"), in.TaxonomyTermIDs)
	check, known := typeRules[in.QType]
	if known {
		check(&p, path, body)
	}
	p.addIf(!known, member(path, "qtype"), "unsupported", "the question type is not supported; use mcq or mrq")
	return body, p
}

// document reads a content document that must say something in its default locale.
func (p *problems) document(path string, raw []byte) content.Document {
	d, found := content.Parse(path, raw)
	*p = append(*p, found...)
	if len(found) == 0 {
		said := d.Locales[d.DefaultLocale].PlainText()
		p.addIf(strings.TrimSpace(said) == "", path, "required", "the content is empty in its default locale")
	}
	return d
}

func (p *problems) options(path string, in []OptionInput) []Option {
	options := make([]Option, 0, len(in))
	if len(in) > maxOptions {
		p.add(member(path, "options"), "too_many", "at most 100 options")
		return options
	}
	seen := map[string]bool{}
	for i, o := range in {
		at := element(path, "options", i)
		id := o.ID
		if id == "" {
			id = letter(i)
		}
		p.addIf(!optionID.MatchString(id), at+".id", "invalid_option_id", "1 to 32 letters, digits, hyphens or underscores")
		p.addIf(seen[id], at+".id", "duplicate_option", "another option has this id")
		seen[id] = true
		p.weight(at+".weight", o.Weight)
		options = append(options, Option{ID: id, Content: p.document(at+".content", o.Content), IsCorrect: o.IsCorrect, Weight: o.Weight})
	}
	return options
}

// letter names the option at place i: A to Z, then AA, AB and so on.
func letter(i int) string {
	last := string(rune('A' + i%26))
	if i < 26 {
		return last
	}
	return letter(i/26-1) + last
}

func (p *problems) weight(path string, w *float64) {
	p.addIf(w != nil && !(*w > 0 && *w <= maxWeight), path, "out_of_range", "more than 0, at most 1000000")
}

func (p *problems) termIDs(path string, terms []ids.ID) {
	p.addIf(len(terms) > maxTerms, path, "too_many", "at most 100 terms")
	for i, id := range terms {
		p.addIf(slices.Contains(terms[:i], id), fmt.Sprintf("%s[%d]", path, i), "duplicate_term", "the term is named twice")
	}
}

func checkMCQ(p *problems, path string, body QuestionBody) {
	p.addIf(len(body.Options) < 2, member(path, "options"), "too_few_options", "an mcq needs at least two options")
	p.addIf(body.correct() != 1, member(path, "options"), "one_correct_option", "an mcq has exactly one correct option")
	s := body.Scoring
	p.addIf(s.Method != "" && s.Method != scoring.AllOrNothing, member(path, "scoring.method"), "unsupported", "an mcq is scored all_or_nothing")
	p.addIf(s.MinSelections != 0, member(path, "scoring.minSelections"), "unsupported", "only an mrq bounds selections")
	p.addIf(s.MaxSelections != 0, member(path, "scoring.maxSelections"), "unsupported", "only an mrq bounds selections")
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

func (b QuestionBody) correct() int {
	n := 0
	for _, o := range b.Options {
		if o.IsCorrect {
			n++
		}
	}
	return n
}

// publishProblems names what a draft may lack and a published version may not: every part
// speaks the default locale of the stem.
func (b QuestionBody) publishProblems(path string) problems {
	var p problems
	locale := b.Stem.DefaultLocale
	speaks := func(at string, d content.Document) {
		_, ok := d.Locales[locale]
		p.addIf(!ok, at, "missing_locale", "the content lacks "+locale+", the default locale of the stem")
	}
	for i, o := range b.Options {
		speaks(element(path, "options", i)+".content", o.Content)
	}
	if b.Explanation != nil {
		speaks(member(path, "explanation"), *b.Explanation)
	}
	return p
}
