package authoring

import (
	"assess/models"
	"assess/pkg/content"
	"assess/pkg/ids"
)

// publishProblems names everything that keeps a draft from being published (specification,
// section 7.8; decisions, section 3).
//
//	empty_evaluation        there are no items
//	empty_section           a section has none
//	question_not_published  a question has no published version
//	question_archived       a question was archived since
//	duplicate_question      a question comes a second time
//	missing_locale          a question lacks the default locale of the first one
//	retired_term            a question carries a term that was retired since
//	pass_mark_missing       see Settings.needsPassMark
func (v EvaluationVersion) publishProblems(b bank) problems {
	var p problems
	seen := map[ids.ID]bool{}
	locale := ""
	for i, section := range v.Sections {
		at := element("", "sections", i)
		p.addIf(len(section.Items) == 0, at+".items", "empty_section", "the section has no items")
		for j, item := range section.Items {
			path := element(at, "items", j) + ".questionId"
			p.addIf(seen[item.QuestionID], path, "duplicate_question", "the question comes a second time")
			seen[item.QuestionID] = true
			locale = p.question(path, item.QuestionID, b, locale)
		}
	}
	p.addIf(len(seen) == 0, "sections", "empty_evaluation", "the evaluation has no items")
	p.addIf(v.Settings.needsPassMark(), "settings.pass_mark_percent", "pass_mark_missing",
		"four eyes need an outcome: set a pass mark or a default outcome")
	return p
}

// question checks one item against the locale of the items before it, and gives the locale
// for those after it.
func (p *problems) question(path string, id ids.ID, b bank, locale string) string {
	if b.status[id] == models.AuthoringArchived {
		p.add(path, "question_archived", "the question is archived")
		return locale
	}
	version, published := b.versions[id]
	if !published {
		p.add(path, "question_not_published", "the question has no published version")
		return locale
	}
	if locale == "" {
		locale = version.Stem.DefaultLocale
	}
	p.addIf(!version.speaks(locale), path, "missing_locale", "the question lacks "+locale+", the language of the evaluation")
	for _, term := range version.TaxonomyTermIDs {
		name := b.terms[term]
		p.addIf(name.Retired, path, "retired_term", "the question carries the retired term "+name.Facet+":"+name.Term)
	}
	return locale
}

// speaks says whether stem and options have a locale.
func (b QuestionBody) speaks(locale string) bool {
	has := func(d content.Document) bool {
		_, ok := d.Locales[locale]
		return ok
	}
	for _, o := range b.Options {
		if !has(o.Content) {
			return false
		}
	}
	return has(b.Stem)
}
