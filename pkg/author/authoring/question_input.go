package authoring

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// QuestionInput describes a question (decisions, section 9). Stem, Explanation and the
// options' Content are content documents.
type QuestionInput struct {
	ExternalID         string           `json:"externalId,omitempty" maxLength:"200" doc:"The author's own id, unique in the org unit"`
	QType              scoring.QType    `json:"qtype"`
	Stem               json.RawMessage  `json:"stem" doc:"Content document"`
	Options            []OptionInput    `json:"options,omitempty" nullable:"false" maxItems:"100" doc:"The options, where answers are options; other types have none"`
	Scoring            *QuestionScoring `json:"scoring,omitempty"`
	Weight             *float64         `json:"weight,omitempty" doc:"The score of full credit. Default 1"`
	Explanation        json.RawMessage  `json:"explanation,omitempty" doc:"Content document"`
	TaxonomyTermIDs    []ids.ID         `json:"taxonomyTermIds,omitempty" nullable:"false" maxItems:"100" doc:"Terms of the content domain"`
	ContributesToScore *bool            `json:"contributesToScore,omitempty" doc:"Default true; false marks survey items"`

	// made holds the documents, where they were made in Go.
	made *madeDocuments
	// checked is what CheckQuestions read: everything but the terms.
	checked *QuestionBody
}

type madeDocuments struct {
	stem        content.Document
	explanation *content.Document
	options     []content.Document
}

// WithDocuments gives the input with documents that were made in Go, in the place of its
// JSON: options[i] is the content of Options[i]. They are checked like any others.
func (in QuestionInput) WithDocuments(stem content.Document, explanation *content.Document, options []content.Document) QuestionInput {
	in.made = &madeDocuments{stem, explanation, options}
	return in
}

// OptionInput describes an option. An option without an id gets the letter of its place.
type OptionInput struct {
	ID        string          `json:"id,omitempty" maxLength:"32" example:"A"`
	Content   json.RawMessage `json:"content" doc:"Content document"`
	IsCorrect bool            `json:"isCorrect"`
	Weight    *float64        `json:"weight,omitempty"`
}

// QuestionPatch changes what it names and leaves the rest. Options are replaced as a
// whole; an Explanation of null takes it away.
type QuestionPatch struct {
	UpdatedAt          *time.Time       `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	ExternalID         *string          `json:"externalId,omitempty" maxLength:"200"`
	QType              *scoring.QType   `json:"qtype,omitempty"`
	Stem               json.RawMessage  `json:"stem,omitempty" doc:"Content document"`
	Options            *[]OptionInput   `json:"options,omitempty" nullable:"false" maxItems:"100"`
	Scoring            *QuestionScoring `json:"scoring,omitempty"`
	Weight             *float64         `json:"weight,omitempty"`
	Explanation        json.RawMessage  `json:"explanation,omitempty" doc:"Content document, or null"`
	TaxonomyTermIDs    *[]ids.ID        `json:"taxonomyTermIds,omitempty" nullable:"false" maxItems:"100"`
	ContributesToScore *bool            `json:"contributesToScore,omitempty"`
}

// over lays the patch over a question, so that what comes out obeys the rules of a new one.
func (p QuestionPatch) over(in QuestionInput) QuestionInput {
	set(&in.ExternalID, p.ExternalID)
	set(&in.QType, p.QType)
	set(&in.Options, p.Options)
	set(&in.TaxonomyTermIDs, p.TaxonomyTermIDs)
	if p.Stem != nil {
		in.Stem = p.Stem
	}
	if p.Scoring != nil {
		in.Scoring = p.Scoring
	}
	if p.Weight != nil {
		in.Weight = p.Weight
	}
	if p.Explanation != nil {
		in.Explanation = p.Explanation
	}
	if p.ContributesToScore != nil {
		in.ContributesToScore = p.ContributesToScore
	}
	return in
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

// input gives a version in the form that it could have been sent in.
func (v QuestionVersion) input(externalID string) (QuestionInput, error) {
	in := QuestionInput{ExternalID: externalID, QType: v.QType, Scoring: &v.Scoring, Weight: &v.Weight,
		TaxonomyTermIDs: v.TaxonomyTermIDs, ContributesToScore: &v.ContributesToScore}
	documents := map[*json.RawMessage]*content.Document{&in.Stem: &v.Stem}
	if v.Explanation != nil {
		documents[&in.Explanation] = v.Explanation
	}
	in.Options = make([]OptionInput, len(v.Options))
	for i, o := range v.Options {
		in.Options[i] = OptionInput{ID: o.ID, IsCorrect: o.IsCorrect, Weight: o.Weight}
		documents[&in.Options[i].Content] = &v.Options[i].Content
	}
	for place, document := range documents {
		raw, err := json.Marshal(document)
		if err != nil {
			return QuestionInput{}, fmt.Errorf("write content document: %w", err)
		}
		*place = raw
	}
	return in, nil
}

func isNull(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || string(raw) == "null"
}
