package intake

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"assess/pkg/authoring"
	"assess/pkg/content"
	"assess/pkg/ids"
	"assess/pkg/scoring"
	"assess/pkg/taxonomy"
)

// question is one question as its rows describe it.
type question struct {
	externalID  string
	qtype       scoring.QType
	stem        content.Document
	options     []option
	explanation *content.Document
	weight      *float64
	contributes *bool
	terms       []termName
	locales     []string
	// ready is set once nothing is wrong; its terms are still names.
	ready authoring.QuestionInput
}

type option struct {
	letter  string
	content content.Document
	correct bool
}

// termName is a term with the column that named it.
type termName struct {
	taxonomy.FacetTerm
	column string
}

var qtypes = map[string]scoring.QType{
	"mcq": scoring.MCQ, "single": scoring.MCQ,
	"mrq": scoring.MRQ, "multiple": scoring.MRQ,
}

var formats = map[string]func(locale, text string) content.Document{
	"": content.FromPlain, "plain": content.FromPlain, "markdown": content.FromMarkdown,
}

func parseQuestion(r row, in Input) question {
	q := question{externalID: r.required("externalId"), weight: r.number("weight"), contributes: r.yes("contributesToScore")}
	if r.required("qtype") != "" {
		q.qtype = oneOf(r, "qtype", qtypes, "expected mcq (or single) or mrq (or multiple)")
	}
	locale := parseLocale(r, in)
	q.locales = []string{locale}
	document := oneOf(r, "format", formats, "expected plain or markdown")
	if document == nil {
		document = content.FromPlain
	}
	q.stem = document(locale, r.required("stem"))
	if text := r.text("explanation"); text != "" {
		explanation := document(locale, text)
		q.explanation = &explanation
	}
	q.parseOptions(r, func(text string) content.Document { return document(locale, text) })
	q.parseTerms(r, in)
	return q
}

func parseLocale(r row, in Input) string {
	lang := r.text("lang")
	if lang == "" {
		lang = in.locale()
	}
	locale, ok := content.NormaliseLocale(lang)
	if !ok {
		r.problem("lang", "invalid_locale", "expected a language tag such as en or pt-BR (BCP 47)")
	}
	return locale
}

func (q *question) parseOptions(r row, document func(string) content.Document) {
	correct := q.parseCorrect(r)
	for _, letter := range optionLetters {
		name := string(letter)
		text := r.text("option" + name)
		if text == "" {
			continue
		}
		q.options = append(q.options, option{name, document(text), correct[name]})
		delete(correct, name)
	}
	for _, name := range slices.Sorted(maps.Keys(correct)) {
		r.problem("correct", "unknown_option", "the row has no option "+name)
	}
}

// parseCorrect reads the letters of the right options: "AC", "A;C", "A,C" or "a c".
func (q *question) parseCorrect(r row) map[string]bool {
	letters := map[string]bool{}
	for _, letter := range strings.ToUpper(r.required("correct")) {
		name := string(letter)
		switch {
		case strings.ContainsRune(" ;,/|", letter):
		case !strings.ContainsRune(optionLetters, letter):
			r.problem("correct", "invalid_letters", "expected the letters of the right options, such as B or AC")
			return map[string]bool{}
		case letters[name]:
			r.problem("correct", "duplicate_option", "the letter "+name+" comes twice")
		default:
			letters[name] = true
		}
	}
	if q.qtype == scoring.MCQ && len(letters) > 1 {
		r.problem("correct", "one_correct_option", "an mcq has exactly one right option; mrq takes several")
	}
	return letters
}

func (q *question) parseTerms(r row, in Input) {
	for _, word := range r.list("terms") {
		facet, term, found := strings.Cut(word, ":")
		if !found {
			r.problem("terms", "invalid_term", "expected facet:term, several of them parted by semicolons")
			continue
		}
		q.addTerm(r, "terms", facet, term)
	}
	for _, tag := range r.list("tags") {
		q.addTerm(r, "tags", in.tagsFacet(), tag)
	}
}

func (q *question) addTerm(r row, column, facet, term string) {
	name := taxonomy.FacetTerm{Facet: oneSpace(facet), Term: oneSpace(term)}
	if !name.Valid() {
		r.problem(column, "invalid_term", fmt.Sprintf("a facet and a term have a letter or digit and at most %d characters", taxonomy.MaxLength))
		return
	}
	q.terms = append(q.terms, termName{name, column})
}

func oneSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// merge adds a row with another language. Whatever is not language must agree with the
// first row.
func (q *question) merge(r row, other question) {
	q.agree(r, other)
	if slices.Contains(q.locales, other.locales[0]) {
		r.problem("lang", "duplicate_locale", "another row has the same external id and language")
		return
	}
	if !slices.EqualFunc(q.options, other.options, func(a, b option) bool { return a.letter == b.letter && a.correct == b.correct }) {
		r.problem("correct", "options_disagree", "the options and the right ones must be the same in every language")
		return
	}
	q.locales = append(q.locales, other.locales[0])
	q.stem = q.stem.Merge(other.stem)
	for i := range q.options {
		q.options[i].content = q.options[i].content.Merge(other.options[i].content)
	}
	switch {
	case q.explanation == nil:
		q.explanation = other.explanation
	case other.explanation != nil:
		merged := q.explanation.Merge(*other.explanation)
		q.explanation = &merged
	}
	q.terms = append(q.terms, other.terms...)
}

func (q *question) agree(r row, other question) {
	const message = "the cell must agree with the first row of this external id"
	if q.qtype != other.qtype {
		r.problem("qtype", "rows_disagree", message)
	}
	if other.weight != nil && (q.weight == nil || *q.weight != *other.weight) {
		r.problem("weight", "rows_disagree", message)
	}
	if other.contributes != nil && (q.contributes == nil || *q.contributes != *other.contributes) {
		r.problem("contributesToScore", "rows_disagree", message)
	}
}

func (q *question) input() (authoring.QuestionInput, error) {
	in := authoring.QuestionInput{ExternalID: q.externalID, QType: q.qtype, Weight: q.weight, ContributesToScore: q.contributes}
	var err error
	in.Stem, err = json.Marshal(q.stem)
	if err != nil {
		return in, fmt.Errorf("write stem: %w", err)
	}
	if q.explanation != nil {
		in.Explanation, err = json.Marshal(q.explanation)
		if err != nil {
			return in, fmt.Errorf("write explanation: %w", err)
		}
	}
	for _, o := range q.options {
		text, err := json.Marshal(o.content)
		if err != nil {
			return in, fmt.Errorf("write option: %w", err)
		}
		in.Options = append(in.Options, authoring.OptionInput{ID: o.letter, Content: text, IsCorrect: o.correct})
	}
	return in, nil
}

func (q *question) termIDs(known map[taxonomy.FacetTerm]ids.ID) []ids.ID {
	all := make([]ids.ID, 0, len(q.terms))
	for _, name := range q.terms {
		all = append(all, known[name.FacetTerm])
	}
	return distinct(all)
}
