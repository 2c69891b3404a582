package authoring

import (
	"fmt"
	"maps"
	"slices"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/ids"
)

type questionEdit = edit[*models.Question, *models.QuestionVersion]

var questionStore = store[*models.Question, *models.QuestionVersion, CheckedQuestion, Question]{
	noun: "question", read: capability.QuestionsRead, write: capability.QuestionsWrite,
	blank: func() (*models.Question, *models.QuestionVersion) {
		return new(models.Question), new(models.QuestionVersion)
	},
	owner:    func(v *models.QuestionVersion) *ids.ID { return &v.QuestionID },
	unpin:    func(v *models.QuestionVersion) { unpinBody(&v.AuthoredBody) },
	facts:    func(v *models.QuestionVersion) map[string]any { return map[string]any{"contentHash": v.ContentHash} },
	terms:    func(v *models.QuestionVersion) []*[]ids.ID { return []*[]ids.ID{&v.TermIDs} },
	freezing: freezingQuestions,
	show:     questionOf,
}

func (c CheckedQuestion) externalID() string { return c.external }

func (c CheckedQuestion) problems(path string) problems {
	p := slices.Clone(c.found.within(path))
	p.termIDs(member(path, "taxonomyTermIds"), c.TaxonomyTermIDs)
	return p
}

// uses are the terms and the documents of a question. The languages of the newest version may
// stay even if the tenant has given them up.
func (c CheckedQuestion) uses(e *questionEdit, path string) (uses, error) {
	u := uses{terms: termUses(path, c.TaxonomyTermIDs, e.version.TermIDs), documents: c.body.placed(path)}
	if e.isNew {
		return u, nil
	}
	before, err := questionVersionOf(e.version)
	if err != nil {
		return uses{}, err
	}
	var held []string
	for _, d := range before.placed("") {
		held = append(held, localesOf(d.Document)...)
	}
	for i := range u.documents {
		u.documents[i].held = held
	}
	return u, nil
}

// settle keeps terms, which are a set, in the order of their ids.
func (c CheckedQuestion) settle(*questionEdit) (settled[*models.Question, *models.QuestionVersion], error) {
	if methods := c.qtype.Type().Methods; c.body.Scoring.Method == "" && len(methods) > 1 {
		c.body.Scoring.Method = methods[0]
	}
	extracts := c.body.extracts()
	body, err := settleBody(c.body, extracts)
	if err != nil {
		return nil, fmt.Errorf("store question: %w", err)
	}
	content := questionContent{qtype: string(c.qtype), contributes: c.body.ContributesToScore, terms: termSet(c.TaxonomyTermIDs), body: body}
	for _, e := range extracts {
		content.texts = append(append(content.texts, e.Stem, e.Explanation), slices.Concat(slices.Collect(maps.Values(e.Options)), slices.Collect(maps.Values(e.Prompts)), slices.Collect(maps.Values(e.Gaps)))...)
	}
	return content, nil
}

// questionContent is a question in the form in which it is stored.
type questionContent struct {
	qtype       string
	contributes bool
	terms       []ids.ID
	body        models.AuthoredBody
	texts       []string
}

func (c questionContent) same(e *questionEdit) (bool, error) {
	return e.version.ContentHash == c.body.ContentHash && e.version.QType == c.qtype && slices.Equal(e.version.TermIDs, c.terms), nil
}

func (c questionContent) put(e *questionEdit) {
	e.record.QType, e.record.ContributesToScore, e.texts = c.qtype, c.contributes, c.texts
	e.version.QType, e.version.TermIDs, e.version.AuthoredBody = c.qtype, c.terms, c.body
}

// Extract is the plain text of a question version in one locale; Options and Prompts by their ids, and in Gaps the texts that are chosen
// there: "g1=A" for an option of a gap, "A" for one in the pool.
type Extract struct {
	Stem        string            `json:"stem,omitempty"`
	Options     map[string]string `json:"options,omitempty"`
	Prompts     map[string]string `json:"prompts,omitempty"`
	Gaps        map[string]string `json:"gaps,omitempty"`
	Explanation string            `json:"explanation,omitempty"`
}

// extracts gives the plain text by locale.
func (b QuestionBody) extracts() map[string]Extract {
	all := map[string]Extract{}
	for locale, said := range b.Stem.PlainText() {
		e := all[locale]
		e.Stem = said
		all[locale] = e
	}
	for _, o := range b.Options {
		for locale, said := range o.Content.PlainText() {
			e := all[locale]
			e.Options = with(e.Options, o.ID, said)
			all[locale] = e
		}
	}
	for _, one := range b.Prompts {
		for locale, said := range one.Content.PlainText() {
			e := all[locale]
			e.Prompts = with(e.Prompts, one.ID, said)
			all[locale] = e
		}
	}
	for id, d := range gapPieces(b.Gaps, b.Pool) {
		for locale, said := range d.PlainText() {
			e := all[locale]
			e.Gaps = with(e.Gaps, id, said)
			all[locale] = e
		}
	}
	if b.Explanation != nil {
		for locale, said := range b.Explanation.PlainText() {
			e := all[locale]
			e.Explanation = said
			all[locale] = e
		}
	}
	return all
}

func with(said map[string]string, id, text string) map[string]string {
	if said == nil {
		said = map[string]string{}
	}
	said[id] = text
	return said
}
