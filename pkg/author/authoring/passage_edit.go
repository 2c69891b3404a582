package authoring

import (
	"encoding/json"
	"fmt"

	"assess/models"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// passageEdit is a passage on the way to being stored, with its newest version. texts is
// what it is found by from now on; nil leaves that alone.
type passageEdit struct {
	passage models.Passage
	version models.PassageVersion
	texts   []string
}

func newPassageEdit(tx *db.Tx, org ids.ID) passageEdit {
	return passageEdit{passage: models.Passage{Authored: newRecord(tx, org)}}
}

func openPassageEdit(p models.Passage, versions map[ids.ID]models.PassageVersion) passageEdit {
	return passageEdit{passage: p, version: versions[newestID(p.Authored)]}
}

// isNew says that the passage has never been stored.
func (e passageEdit) isNew() bool { return e.version.Number == 0 }

// write puts content into the draft; where there is none, a new version begins.
func (e *passageEdit) write(tx *db.Tx, c passageContent) {
	if !e.isNew() {
		e.passage.UpdatedAt = tx.ChangedAt(e.passage.UpdatedAt)
	}
	e.passage.ExternalID, e.passage.Title = c.externalID, c.title
	e.begin(tx)
	e.version.Title, e.version.Body, e.version.Extracts, e.version.ContentHash = c.title, c.body, c.extracts, c.hash
	e.version.UpdatedAt = e.passage.UpdatedAt
	e.texts = c.texts
}

func (e *passageEdit) begin(tx *db.Tx) {
	e.version.PassageID = e.passage.ID
	begin(tx, &e.passage.Authored, &e.version.AuthoredVersion)
}

// holds says whether the newest version says exactly this.
func (e passageEdit) holds(c passageContent) bool {
	return e.version.ContentHash == c.hash && e.version.Title == c.title && text(e.passage.ExternalID) == text(c.externalID)
}

// locales lists the languages of the newest version.
func (e passageEdit) locales() ([]string, error) {
	if e.isNew() {
		return nil, nil
	}
	d, err := documentOf(e.version.AuthoredVersion)
	return localesOf(d), err
}

func (e passageEdit) event(what string) ledger.Event {
	return ledger.Event{Type: "passage." + what, SubjectType: "passage", SubjectID: e.passage.ID, OrgUnit: e.passage.OrgUnitID,
		Payload: map[string]any{"passageVersionId": e.version.ID, "number": e.version.Number, "contentHash": e.version.ContentHash}}
}

// passageContent is a checked input in the form in which it is stored.
type passageContent struct {
	externalID *string
	title      string
	body       json.RawMessage
	extracts   json.RawMessage
	hash       string
	texts      []string
}

// Problems names everything that is wrong with a passage, as far as it can be told without
// the database; paths start at path. Previews of imports use it.
func (in PassageInput) Problems(path string) []errs.Field {
	_, found := in.parse(path)
	return found
}

// parse reads an input; with problems the document is of no use.
func (in PassageInput) parse(path string) (content.Document, problems) {
	var p problems
	p.text(member(path, "externalId"), in.ExternalID, maxExternalID)
	p.text(member(path, "title"), in.Title, maxTitle)
	p.addIf(isBlank(in.Title), member(path, "title"), "required", "a passage has a title")
	d, found := content.ParsePassage(member(path, "content"), in.Content)
	p = append(p, found...)
	if len(found) == 0 {
		p.says(member(path, "content"), d)
	}
	return d, p
}

// store brings a parsed input into the form in which it is stored.
func (in PassageInput) store(d content.Document) (passageContent, error) {
	c := passageContent{externalID: reference(in.ExternalID), title: in.Title, texts: []string{in.Title}}
	canonical, err := content.Canonical(d)
	if err != nil {
		return passageContent{}, fmt.Errorf("store passage: %w", err)
	}
	c.body, c.hash = canonical, content.Hash(canonical)
	extracts := d.PlainText()
	for _, said := range extracts {
		c.texts = append(c.texts, said)
	}
	c.extracts, err = json.Marshal(extracts)
	if err != nil {
		return passageContent{}, fmt.Errorf("store passage: %w", err)
	}
	return c, nil
}
