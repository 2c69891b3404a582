package authoring

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"assess/pkg/kernel/content"
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

// says requires that a document has text in its default locale.
func (p *problems) says(path string, d content.Document) {
	p.addIf(isBlank(d.Locales[d.DefaultLocale].PlainText()), path, "required", "the content is empty in its default locale")
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

// optionIDs gives every option its id: the author's own, or the letter of its place. If an
// author used that letter for another option, it is the first free one.
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

// placed lists the documents of a question: the stem first, then options, prompts, gaps and explanation.
func (b QuestionBody) placed(path string) []placedDocument {
	all := []placedDocument{{path: member(path, "stem"), Document: b.Stem}}
	for i, o := range b.Options {
		all = append(all, placedDocument{path: element(path, "options", i) + ".content", Document: o.Content})
	}
	for i, one := range b.Prompts {
		all = append(all, placedDocument{path: element(path, "prompts", i) + ".content", Document: one.Content})
	}
	for i, one := range b.Pool {
		all = append(all, placedDocument{path: element(path, "pool", i) + ".content", Document: one.Content})
	}
	for i, g := range b.Gaps {
		for j, one := range g.Options {
			all = append(all, placedDocument{path: element(element(path, "gaps", i), "options", j) + ".content", Document: one.Content})
		}
	}
	if b.Explanation != nil {
		all = append(all, placedDocument{path: member(path, "explanation"), Document: *b.Explanation})
	}
	return all
}

// lacks names the parts that a draft may lack and a published version may not: the parts
// that its type requires, and a word in each part.
func (b QuestionBody) lacks(path string, qtype scoring.QType) problems {
	var p problems
	for _, d := range b.placed(path) {
		p.says(d.path, d.Document)
	}
	lacksPicture(&p, path, b)
	for _, part := range parts {
		if part.lacks != nil && qtype.Type().Has(part.Part) {
			part.lacks(&p, member(path, part.Path), qtype.Type(), b)
		}
	}
	return p
}

// publishProblems is lacks and one check that only publishing needs: every part has the
// default locale of the stem.
func (v QuestionVersion) publishProblems(path string) problems {
	p := v.lacks(path, v.QType)
	locale := v.Stem.DefaultLocale
	for _, d := range v.placed(path) {
		_, speaks := d.Locales[locale]
		p.addIf(!speaks, d.path, "missing_locale", "the content lacks "+locale+", the default locale of the stem")
	}
	return p
}
