package authoring

import (
	"fmt"

	"assess/models"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
)

// publishProblems names everything that keeps a draft from being published (specification,
// section 7.8; decisions, section 3). A problem with a question of a passage or a pool has
// the path of the passage or the draw.
//
//	empty_evaluation        there are no items
//	empty_section           a section has none
//	question_not_published  a question has no published version
//	question_archived       a question was archived since
//	passage_not_published   a passage has no published version
//	passage_archived        a passage was archived since
//	passage_empty           a passage has no question that is not archived
//	draw_too_small          a pool has fewer questions than the draw is to show
//	draw_too_large          more than 2000 questions carry the terms of a draw
//	too_many_questions      the version would hold more than 5000 questions
//	content_too_large       questions and passages take more than 8 MiB; the only problem that is reported, since they are not read then
//	duplicate_question      a question comes a second time
//	missing_locale          content lacks the default locale of the first question, or a
//	                        language that the tenant requires
//	retired_term            a question, a draw or the evaluation names a retired term
//	pass_mark_missing       see Settings.needsPassMark
func (v EvaluationVersion) publishProblems(b bank) problems {
	c := publishCheck{bank: b, seen: map[ids.ID]bool{}}
	if b.heft > maxHeft {
		c.add("sections", "content_too_large", fmt.Sprintf("the questions and passages take %d MiB; an evaluation shows at most 8 MiB", (b.heft+1<<20-1)>>20))
		return c.problems
	}
	c.retired("taxonomyTermIds", v.TaxonomyTermIDs)
	items := 0
	for i, section := range v.Sections {
		at := element("", "sections", i)
		c.addIf(len(section.Items) == 0, at+".items", "empty_section", "the section has no items")
		items += len(section.Items)
		for j, item := range section.Items {
			c.item(element(at, "items", j), item)
		}
	}
	c.addIf(items == 0, "sections", "empty_evaluation", "the evaluation has no items")
	c.addIf(len(c.seen) > maxShown, "sections", "too_many_questions", "at most 5000 questions, pools included")
	c.addIf(v.Settings.needsPassMark(), "settings.pass_mark_percent", "pass_mark_missing",
		"four eyes need an outcome: set a pass mark or a default outcome")
	return c.problems
}

// publishCheck goes through a draft. locale is the language of the evaluation, known
// from its first question on.
type publishCheck struct {
	problems
	bank
	seen   map[ids.ID]bool
	locale string
}

func (c *publishCheck) item(path string, item Item) {
	switch {
	case item.Draw != nil:
		c.drawn(path+".draw", item)
	case item.PassageID != ids.None:
		c.passage(path+".passageId", item)
	default:
		c.question(path+".questionId", "the question", item.QuestionID)
	}
}

func (c *publishCheck) question(path, what string, id ids.ID) {
	c.addIf(c.seen[id], path, "duplicate_question", what+" comes a second time")
	c.seen[id] = true
	version, published := c.versions[id]
	switch {
	case c.status[id] == models.AuthoringArchived:
		c.add(path, "question_archived", what+" is archived")
		return
	case !published:
		c.add(path, "question_not_published", what+" has no published version")
		return
	}
	if c.locale == "" {
		c.locale = version.Stem.DefaultLocale
	}
	c.speaks(path, what, version.documents())
	for _, term := range version.TaxonomyTermIDs {
		name := c.terms[term]
		c.addIf(name.Retired, path, "retired_term", what+" carries the retired term "+name.Facet+":"+name.Term)
	}
}

func (c *publishCheck) passage(path string, item Item) {
	passage := c.passages[item.PassageID]
	if passage.status == models.AuthoringArchived {
		c.add(path, "passage_archived", "the passage is archived")
		return
	}
	questions := c.questionsOf(item)
	c.addIf(len(questions) == 0, path, "passage_empty", "the passage has no questions that can be shown")
	c.members(path, questions)
	if passage.published == nil {
		c.add(path, "passage_not_published", "the passage has no published version")
		return
	}
	c.speaks(path, "the passage", []content.Document{c.pinned[*passage.published].Content})
}

// speaks checks that documents have the language of the evaluation and the languages
// that the tenant requires. If several languages are missing, it names the first.
func (c *publishCheck) speaks(path, what string, documents []content.Document) {
	for _, d := range documents {
		_, has := d.Locales[c.locale]
		if c.locale != "" && !has {
			c.add(path, "missing_locale", what+" lacks "+c.locale+", the language of the evaluation")
			return
		}
		missing := c.languages.Missing(path, d)
		if len(missing) > 0 {
			c.add(path, missing[0].Code, what+": "+missing[0].Message)
			return
		}
	}
}

func (c *publishCheck) drawn(path string, item Item) {
	c.retired(path+".taxonomyTermIds", item.Draw.TaxonomyTermIDs)
	c.retired(path+".excludeTaxonomyTermIds", item.Draw.ExcludeTaxonomyTermIDs)
	pool, candidates := c.pools[item.ID], c.candidates[item.ID]
	if candidates > maxPool {
		c.add(path, "draw_too_large", "more than 2000 questions carry these terms; name further ones")
		return
	}
	c.addIf(len(pool) < item.Draw.Count, path+".count", "draw_too_small", fmt.Sprintf(
		"%d of %s can be drawn here; carrying the terms and not shown otherwise: %d", len(pool), plural.Of(item.Draw.Count, "question"), candidates))
	c.members(path, pool)
}

// members checks the questions of a group. For each kind of problem it reports the first.
func (c *publishCheck) members(path string, questions []ids.ID) {
	before := len(c.problems)
	for _, id := range questions {
		c.question(path, "question "+id.String(), id)
	}
	c.problems = append(c.problems[:before], c.problems[before:].firstOfEach()...)
}

func (c *publishCheck) retired(path string, terms []ids.ID) {
	for i, term := range terms {
		name := c.terms[term]
		c.addIf(name.Retired, fmt.Sprintf("%s[%d]", path, i), "retired_term", "the term "+name.Facet+":"+name.Term+" is retired")
	}
}

// documents lists everything that a candidate reads.
func (b QuestionBody) documents() []content.Document {
	all := []content.Document{b.Stem}
	for _, o := range b.Options {
		all = append(all, o.Content)
	}
	for _, p := range b.Prompts {
		all = append(all, p.Content)
	}
	return append(all, gapDocuments(b.Gaps, b.Pool)...)
}
