package authoring

import (
	"context"
	"encoding/json"
	"fmt"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

type passageEdit = edit[*models.Passage, *models.PassageVersion]

var passageStore = store[*models.Passage, *models.PassageVersion, checkedPassage, Passage]{
	noun: "passage", read: capability.QuestionsRead, write: capability.QuestionsWrite,
	blank: func() (*models.Passage, *models.PassageVersion) {
		return new(models.Passage), new(models.PassageVersion)
	},
	owner: func(v *models.PassageVersion) *ids.ID { return &v.PassageID },
	unpin: func(v *models.PassageVersion) { unpinBody(&v.AuthoredBody) },
	facts: func(v *models.PassageVersion) map[string]any { return map[string]any{"contentHash": v.ContentHash} },
	show:  passageOf,
	freezing: func(_ context.Context, _ *db.Tx, drafts []*passageEdit, paths []string) ([]freezing, error) {
		ready := make([]freezing, len(drafts))
		for i, e := range drafts {
			document, err := documentOf(e.version.AuthoredBody)
			if err != nil {
				return nil, err
			}
			ready[i].documents = []placedDocument{{path: member(paths[i], "content"), Document: document}}
		}
		return ready, nil
	},
}

// checkedPassage is an input that was read; if that found problems, the document cannot be used.
type checkedPassage struct {
	PassageInput
	document content.Document
	found    problems
}

func (in PassageInput) check() checkedPassage {
	c := checkedPassage{PassageInput: in}
	p := &c.found
	p.text("externalId", in.ExternalID, maxExternalID)
	p.text("title", in.Title, maxTitle)
	p.addIf(isBlank(in.Title), "title", "required", "a passage has a title")
	d, found := content.ParsePassage("content", in.Content)
	*p = append(*p, found...)
	if len(found) == 0 {
		p.says("content", d)
		p.addIf(d.HasGaps(), "content", "unsupported", "only the stem of a question with gaps has gaps")
	}
	c.document = d
	return c
}

// Problems names everything that is wrong with a passage, as far as this can be seen
// without the database; paths start at path. Previews of imports use it.
func (in PassageInput) Problems(path string) []errs.Field { return in.check().problems(path) }

func (c checkedPassage) externalID() string { return c.ExternalID }

func (c checkedPassage) problems(path string) problems { return c.found.within(path) }

func (c checkedPassage) uses(e *passageEdit, path string) (uses, error) {
	document := placedDocument{path: member(path, "content"), Document: c.document}
	if !e.isNew {
		before, err := documentOf(e.version.AuthoredBody)
		if err != nil {
			return uses{}, err
		}
		document.held = localesOf(before)
	}
	return uses{documents: []placedDocument{document}}, nil
}

func (c checkedPassage) settle(*passageEdit) (settled[*models.Passage, *models.PassageVersion], error) {
	extracts := c.document.PlainText()
	body, err := settleBody(c.document, extracts)
	if err != nil {
		return nil, fmt.Errorf("store passage: %w", err)
	}
	texts := []string{c.Title}
	for _, said := range extracts {
		texts = append(texts, said)
	}
	return passageContent{c.Title, body, texts}, nil
}

// passageContent is a passage in the form in which it is stored.
type passageContent struct {
	title string
	body  models.AuthoredBody
	texts []string
}

func (c passageContent) same(e *passageEdit) (bool, error) {
	return e.version.ContentHash == c.body.ContentHash && e.version.Title == c.title, nil
}

func (c passageContent) put(e *passageEdit) {
	e.record.Title, e.version.Title, e.version.AuthoredBody, e.texts = c.title, c.title, c.body, c.texts
}

// settleBody gives the content of a version in its canonical form, with its
// plain text; it pins nothing.
func settleBody(said, extracts any) (models.AuthoredBody, error) {
	canonical, err := content.Canonical(said)
	if err != nil {
		return models.AuthoredBody{}, err
	}
	plain, err := json.Marshal(extracts)
	return models.AuthoredBody{Body: canonical, Extracts: plain, ContentHash: content.Hash(canonical),
		CanonicalScheme: content.CanonicalScheme, HashScheme: content.HashScheme}, err
}

func unpinBody(b *models.AuthoredBody) {
	b.Pins, b.CanonicalScheme, b.HashScheme = models.Pins{}, content.CanonicalScheme, content.HashScheme
}
