package authoring

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"assess/models"
	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// questionEdit is a question on the way to being stored, with its newest version. texts is
// what it is found by from now on; nil leaves that alone.
type questionEdit struct {
	question models.Question
	version  models.QuestionVersion
	texts    []string
	// isNew says that the question has never been stored.
	isNew bool
}

// newQuestionEdit starts a question that does not exist yet.
func newQuestionEdit(tx *db.Tx, org ids.ID) questionEdit {
	return questionEdit{question: models.Question{Authored: newRecord(tx, org)}, isNew: true}
}

// openQuestionEdit takes up a stored question: its draft, or else its published version.
func openQuestionEdit(q models.Question, versions map[ids.ID]models.QuestionVersion) questionEdit {
	return questionEdit{question: q, version: versions[newestID(q.Authored)]}
}

// write puts content into the draft; where there is none, a new version begins.
func (e *questionEdit) write(tx *db.Tx, c questionContent) {
	if !e.isNew {
		e.question.UpdatedAt = tx.ChangedAt(e.question.UpdatedAt)
	}
	e.question.ExternalID, e.question.QType, e.question.ContributesToScore = c.externalID, c.qtype, c.contributes
	e.begin(tx)
	e.version.QType, e.version.TermIDs = c.qtype, c.terms
	e.version.Body, e.version.Extracts, e.version.ContentHash = c.body, c.extracts, c.hash
	e.version.UpdatedAt = e.question.UpdatedAt
	e.texts = c.texts
}

func (e *questionEdit) begin(tx *db.Tx) {
	e.version.QuestionID = e.question.ID
	begin(tx, &e.question.Authored, &e.version.AuthoredVersion)
}

// holds says whether the newest version says exactly this.
func (e questionEdit) holds(c questionContent) bool {
	return e.version.ContentHash == c.hash && e.version.QType == c.qtype && slices.Equal(e.version.TermIDs, c.terms) &&
		text(e.question.ExternalID) == text(c.externalID)
}

func (e questionEdit) event(what string) ledger.Event {
	return ledger.Event{Type: "question." + what, SubjectType: "question", SubjectID: e.question.ID, OrgUnit: e.question.OrgUnitID,
		Payload: map[string]any{"questionVersionId": e.version.ID, "number": e.version.Number, "contentHash": e.version.ContentHash}}
}

// questionContent is a checked input in the form in which it is stored.
type questionContent struct {
	externalID  *string
	qtype       string
	contributes bool
	terms       []ids.ID
	body        json.RawMessage
	extracts    json.RawMessage
	hash        string
	texts       []string
}

// Extract is the plain text of a question version in one locale; Options by option id.
type Extract struct {
	Stem        string            `json:"stem,omitempty"`
	Options     map[string]string `json:"options,omitempty"`
	Explanation string            `json:"explanation,omitempty"`
}

// store brings a parsed input into the form in which it is stored. Terms are a set; they
// are kept in the order of their ids.
func (in QuestionInput) store(body QuestionBody) (questionContent, error) {
	c := questionContent{externalID: reference(in.ExternalID), qtype: string(in.QType),
		contributes: body.ContributesToScore, terms: slices.Clone(in.TaxonomyTermIDs)}
	slices.SortFunc(c.terms, func(a, b ids.ID) int { return slices.Compare(a[:], b[:]) })
	if c.terms == nil {
		c.terms = []ids.ID{}
	}
	if methods := in.QType.Type().Methods; body.Scoring.Method == "" && len(methods) > 1 {
		body.Scoring.Method = methods[0]
	}
	canonical, err := content.Canonical(body)
	if err != nil {
		return questionContent{}, fmt.Errorf("store question: %w", err)
	}
	c.body, c.hash = canonical, content.Hash(canonical)
	extracts := body.extracts()
	for _, e := range extracts {
		c.texts = append(append(c.texts, e.Stem, e.Explanation), slices.Collect(maps.Values(e.Options))...)
	}
	c.extracts, err = json.Marshal(extracts)
	if err != nil {
		return questionContent{}, fmt.Errorf("store question: %w", err)
	}
	return c, nil
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
			if e.Options == nil {
				e.Options = map[string]string{}
			}
			e.Options[o.ID] = said
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

// documents lists the documents of a new body, each with the languages that the newest
// version has: those may stay even when the tenant has given them up.
func (e questionEdit) documents(path string, body QuestionBody) ([]placedDocument, error) {
	all := body.placed(path)
	if e.isNew {
		return all, nil
	}
	before, err := questionVersionOf(e.version)
	if err != nil {
		return nil, err
	}
	var held []string
	for _, d := range before.placed("") {
		held = append(held, localesOf(d.Document)...)
	}
	for i := range all {
		all[i].held = held
	}
	return all, nil
}

// termUse is a term that a question names at a path; held says that its newest version
// names it already.
type termUse struct {
	path string
	id   ids.ID
	held bool
}

func (e questionEdit) termUses(path string, in QuestionInput) []termUse {
	uses := make([]termUse, 0, len(in.TaxonomyTermIDs))
	for i, id := range in.TaxonomyTermIDs {
		uses = append(uses, termUse{path: element(path, "taxonomyTermIds", i), id: id, held: slices.Contains(e.version.TermIDs, id)})
	}
	return uses
}

// checkTerms says which terms cannot be used: questions take existing terms of the content
// domain, and a retired one only where it is already (specification, section 2.6).
func checkTerms(ctx context.Context, tx *db.Tx, uses []termUse) (problems, error) {
	wanted := make([]ids.ID, 0, len(uses))
	for _, use := range uses {
		wanted = append(wanted, use.id)
	}
	names, err := taxonomy.Assignable(ctx, tx, wanted)
	if err != nil {
		return nil, err
	}
	var p problems
	for _, use := range uses {
		name, known := names[use.id]
		switch {
		case !known:
			p.add(use.path, "unknown_term", "there is no such term")
		case name.Domain != models.DomainContent:
			p.add(use.path, "wrong_domain", "the term does not belong to the content domain")
		case name.Retired && !use.held:
			p.add(use.path, "retired_term", "the term is retired")
		case name.ID != use.id && !use.held:
			p.add(use.path, "retired_term", "the term was merged into "+name.Facet+":"+name.Term)
		}
	}
	return p, nil
}
