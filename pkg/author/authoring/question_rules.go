package authoring

import (
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

const (
	maxOptions = 100
	maxWeight  = 1_000_000
)

// MaxTerms is how many terms a question or evaluation carries at most.
const MaxTerms = 100

var optionID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)

// Problems names everything that keeps a question from being published, as far as it can be
// told without the database; paths start at path. Imports take whole questions alone, so their
// previews use it; a draft that is written by hand may lack something.
func (in QuestionInput) Problems(path string) []errs.Field {
	_, found := in.parseWhole(path)
	return found
}

// parseWhole is parse for a question that must be complete.
func (in QuestionInput) parseWhole(path string) (QuestionBody, problems) {
	body, found := in.parse(path)
	if in.checked != nil || len(in.Options) > maxOptions {
		return body, found
	}
	whole := slices.Clone(found)
	for _, lack := range body.lacks(path, in.QType) {
		whole.addIf(!found.below(lack.Path), lack.Path, lack.Code, lack.Message)
	}
	return body, whole
}

// CheckQuestions is Problems for many questions, on all processors. It gives them as they
// are to be handed to UpsertQuestions, which then need not read them again; of their fields
// TaxonomyTermIDs alone may still change.
func CheckQuestions(inputs []QuestionInput) ([]QuestionInput, [][]errs.Field) {
	checked, problems := slices.Clone(inputs), make([][]errs.Field, len(inputs))
	onAllCores(len(inputs), func(i int) {
		body, found := inputs[i].parseWhole("")
		if len(found) == 0 {
			checked[i].checked = &body
		}
		problems[i] = found
	})
	return checked, problems
}

// onAllCores calls do for 0 to n-1. Nothing that it does may depend on the order.
func onAllCores(n int, do func(i int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wait.Wait()
}

// parse reads an input that may be incomplete, and names what cannot be stored; then the body
// is of no use.
func (in QuestionInput) parse(path string) (QuestionBody, problems) {
	var p problems
	if in.checked != nil {
		p.termIDs(member(path, "taxonomyTermIds"), in.TaxonomyTermIDs)
		return *in.checked, p
	}
	p.text(member(path, "externalId"), in.ExternalID, maxExternalID)
	body := QuestionBody{Weight: 1, ContributesToScore: true}
	body.Stem, body.Explanation = p.asked(path, in)
	body.Options = p.options(path, in)
	set(&body.Scoring, in.Scoring)
	set(&body.Weight, in.Weight)
	set(&body.ContributesToScore, in.ContributesToScore)
	p.weight(member(path, "weight"), &body.Weight)
	p.termIDs(member(path, "taxonomyTermIds"), in.TaxonomyTermIDs)
	p.typed(path, in.QType, body)
	return body, p
}

// asked gives the stem and the explanation.
func (p *problems) asked(path string, in QuestionInput) (content.Document, *content.Document) {
	if in.made != nil {
		p.valid(member(path, "stem"), in.made.stem)
		if in.made.explanation != nil {
			p.valid(member(path, "explanation"), *in.made.explanation)
		}
		return in.made.stem, in.made.explanation
	}
	stem := p.document(member(path, "stem"), in.Stem)
	if isNull(in.Explanation) {
		return stem, nil
	}
	explanation := p.document(member(path, "explanation"), in.Explanation)
	return stem, &explanation
}

// document reads a content document.
func (p *problems) document(path string, raw []byte) content.Document {
	d, found := content.Parse(path, raw)
	*p = append(*p, found...)
	return d
}

// valid checks a document that was made in Go as document checks JSON.
func (p *problems) valid(path string, d content.Document) { *p = append(*p, d.Validate(path)...) }

// says asks that a document says something in its default locale.
func (p *problems) says(path string, d content.Document) {
	p.addIf(isBlank(d.Locales[d.DefaultLocale].PlainText()), path, "required", "the content is empty in its default locale")
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

func (p *problems) options(path string, in QuestionInput) []Option {
	options := make([]Option, 0, len(in.Options))
	if len(in.Options) > maxOptions {
		p.add(member(path, "options"), "too_many", "at most 100 options")
		return options
	}
	named := in.optionIDs()
	seen := map[string]bool{}
	for i, o := range in.Options {
		at, id := element(path, "options", i), named[i]
		p.addIf(!optionID.MatchString(id), at+".id", "invalid_option_id", "1 to 32 letters, digits, hyphens or underscores")
		p.addIf(seen[id], at+".id", "duplicate_option", "another option has this id")
		seen[id] = true
		p.weight(at+".weight", o.Weight)
		options = append(options, Option{ID: id, Content: p.optionDocument(at+".content", in, i), IsCorrect: o.IsCorrect, Weight: o.Weight})
	}
	return options
}

func (p *problems) optionDocument(path string, in QuestionInput, i int) content.Document {
	if in.made == nil {
		return p.document(path, in.Options[i].Content)
	}
	p.valid(path, in.made.options[i])
	return in.made.options[i]
}

// optionIDs gives every option its id: the author's own, or the letter of its place. Where an
// author took that letter for another option, it is the first one that nobody has.
func (in QuestionInput) optionIDs() []string {
	taken := make(map[string]bool, len(in.Options))
	for _, o := range in.Options {
		taken[o.ID] = true
	}
	all, next := make([]string, len(in.Options)), 0
	for i, o := range in.Options {
		all[i] = o.ID
		if o.ID == "" && !taken[letter(i)] {
			all[i], taken[letter(i)] = letter(i), true
		}
	}
	for i := range all {
		if all[i] != "" {
			continue
		}
		for taken[letter(next)] {
			next++
		}
		all[i], taken[letter(next)] = letter(next), true
	}
	return all
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
	p.addIf(len(terms) > MaxTerms, path, "too_many", "at most 100 terms")
	for i, id := range terms {
		p.addIf(slices.Contains(terms[:i], id), fmt.Sprintf("%s[%d]", path, i), "duplicate_term", "the term is named twice")
	}
}

// placed lists the documents of a question: stem, options, explanation.
func (b QuestionBody) placed(path string) []placedDocument {
	all := []placedDocument{{path: member(path, "stem"), Document: b.Stem}}
	for i, o := range b.Options {
		all = append(all, placedDocument{path: element(path, "options", i) + ".content", Document: o.Content})
	}
	if b.Explanation != nil {
		all = append(all, placedDocument{path: member(path, "explanation"), Document: *b.Explanation})
	}
	return all
}

// lacks names what a draft may lack and a published version may not: what its type asks for,
// and a word in each part.
func (b QuestionBody) lacks(path string, qtype scoring.QType) problems {
	var p problems
	for _, d := range b.placed(path) {
		p.says(d.path, d.Document)
	}
	for _, part := range parts {
		if part.lacks != nil && qtype.Type().Has(part.Part) {
			part.lacks(&p, member(path, string(part.Part)), qtype.Type(), b)
		}
	}
	return p
}

// publishProblems is lacks with what only publishing asks for: every part speaks the default
// locale of the stem.
func (v QuestionVersion) publishProblems(path string) problems {
	p := v.lacks(path, v.QType)
	locale := v.Stem.DefaultLocale
	for _, d := range v.placed(path) {
		_, speaks := d.Locales[locale]
		p.addIf(!speaks, d.path, "missing_locale", "the content lacks "+locale+", the default locale of the stem")
	}
	return p
}
