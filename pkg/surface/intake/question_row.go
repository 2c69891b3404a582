package intake

import (
	"assess/pkg/author/authoring"
	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
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
	// ready is the question as it was checked, except the terms that are still to be made; known
	// are the others.
	ready authoring.CheckedQuestion
	known map[taxonomy.FacetTerm]ids.ID
	// pictures are the files of an item of a bank; the ones with an asset are new.
	pictures []picture
}

type option struct {
	letter  string
	content content.Document
	correct bool
}

// qtypes gives the type of each word in the column qtype; wantedQType lists the words.
var qtypes, wantedQType = wordsOfTypes()

func wordsOfTypes() (map[string]scoring.QType, string) {
	all, words := map[string]scoring.QType{}, scoring.QTypes()
	for i, t := range scoring.Types {
		all[canonical(words[i])] = t.Name
		if t.Alias != "" {
			all[canonical(t.Alias)] = t.Name
			words[i] += " (or " + t.Alias + ")"
		}
	}
	return all, "expected " + scoring.InWords(words)
}

var formats = map[string]func(locale, text string) (content.Document, []content.Loss){
	"": plain, "plain": plain, "markdown": content.ReadMarkdown,
}

func plain(locale, text string) (content.Document, []content.Loss) {
	return content.FromPlain(locale, text), nil
}

// document gives the documents of cells in the format of their row, and warns of losses.
func (r row) document(locale string) func(column, text string) content.Document {
	read := oneOf(r, "format", formats, "expected plain or markdown")
	if read == nil {
		read = plain
	}
	return func(column, text string) content.Document {
		document, losses := read(locale, text)
		for _, loss := range losses {
			r.file.warn(r.lineOf(column)+loss.Line-1, r.file.header.spelling(column), "lost_"+string(loss.Kind), loss.String())
		}
		return document
	}
}

func parseQuestion(r row, in Input) question {
	q := question{externalID: r.required("externalId")}
	if r.required("qtype") != "" {
		q.qtype = oneOf(r, "qtype", qtypes, wantedQType)
	}
	q.terms = parseTerms(r, in)
	if r.text("content") != "" {
		q.parseWhole(r)
		return q
	}
	if q.qtype.Type().NeedsContent() {
		r.problem("content", "required", q.qtype.Type().String()+" stands in the column content, as the interface takes it")
	}
	q.weight, q.contributes = r.number("weight"), r.yes("contributesToScore")
	locale := parseLocale(r, in)
	q.locales = []string{locale}
	document := r.document(locale)
	q.stem = document("stem", r.required("stem"))
	if text := r.text("explanation"); text != "" {
		explanation := document("explanation", text)
		q.explanation = &explanation
	}
	q.parseKey(r)
	q.parseOptions(r, document)
	return q
}

// undetermined replaces a language that cannot be read, so that the rest of the row can be
// checked.
const undetermined = "und"

func parseLocale(r row, in Input) string {
	lang := r.text("lang")
	if lang == "" {
		lang = in.locale()
	}
	locale, ok := content.NormaliseLocale(lang)
	if !ok {
		r.problem("lang", "invalid_locale", "expected a language tag such as en or pt-BR (BCP 47)")
		return undetermined
	}
	return locale
}
