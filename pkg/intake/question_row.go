package intake

import (
	"fmt"
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
	scoring     authoring.QuestionScoring
	explanation *content.Document
	weight      *float64
	contributes *bool
	terms       []termName
	locales     []string
	// whole is the question of the column content, in place of all of that but the terms.
	whole *authoring.QuestionInput
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
	"shorttext": scoring.ShortText, "numeric": scoring.Numeric, "essay": scoring.Essay,
}

var formats = map[string]func(locale, text string) content.Document{
	"": content.FromPlain, "plain": content.FromPlain, "markdown": content.FromMarkdown,
}

func parseQuestion(r row, in Input) question {
	q := question{externalID: r.required("externalId")}
	if r.required("qtype") != "" {
		q.qtype = oneOf(r, "qtype", qtypes, "expected mcq (or single), mrq (or multiple), short_text, numeric or essay")
	}
	q.parseTerms(r, in)
	if r.text("content") != "" {
		q.parseWhole(r)
		return q
	}
	q.weight, q.contributes = r.number("weight"), r.yes("contributesToScore")
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
	q.parseKey(r)
	q.parseOptions(r, func(text string) content.Document { return document(locale, text) })
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

func (q *question) termIDs(known map[taxonomy.FacetTerm]ids.ID) []ids.ID {
	all := make([]ids.ID, 0, len(q.terms))
	for _, name := range q.terms {
		all = append(all, known[name.FacetTerm])
	}
	return distinct(all)
}
