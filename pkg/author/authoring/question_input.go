package authoring

import (
	"bytes"
	"encoding/json"
	"time"

	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// QuestionInput describes a question (decisions, section 9). Stem, Explanation and the
// options' Content are content documents.
type QuestionInput struct {
	ExternalID         string           `json:"externalId,omitempty" maxLength:"200" doc:"The author's own id, unique in the org unit"`
	QType              scoring.QType    `json:"qtype"`
	Stem               json.RawMessage  `json:"stem" shape:"document"`
	Options            []OptionInput    `json:"options,omitempty" nullable:"false" maxItems:"100" doc:"The options"`
	Prompts            []PromptInput    `json:"prompts,omitempty" nullable:"false" maxItems:"100" doc:"What is matched with the options"`
	Layout             string           `json:"layout,omitempty" enum:"list,grid" doc:"How prompts and options are shown: a list with a choice for each prompt, or a grid. Default list"`
	Gaps               []GapInput       `json:"gaps,omitempty" nullable:"false" maxItems:"100" doc:"The gaps of the stem, each of which has a text with the mark gap there"`
	Pool               []PromptInput    `json:"pool,omitempty" nullable:"false" maxItems:"100" doc:"What goes into the gaps of kind pool. One without an id gets a letter"`
	Reuse              bool             `json:"reuse,omitempty" doc:"Whether an option of the pool may go into several gaps"`
	Scoring            *QuestionScoring `json:"scoring,omitempty"`
	Weight             *float64         `json:"weight,omitempty" doc:"The score of full credit. Default 1"`
	Explanation        json.RawMessage  `json:"explanation,omitempty" shape:"document or null"`
	TaxonomyTermIDs    []ids.ID         `json:"taxonomyTermIds,omitempty" nullable:"false" maxItems:"100" doc:"Terms of the content domain"`
	ContributesToScore *bool            `json:"contributesToScore,omitempty" doc:"Default true; false marks survey items"`
}

// OptionInput describes an option. An option without an id gets the letter of its place.
type OptionInput struct {
	ID        string          `json:"id,omitempty" maxLength:"32" example:"A"`
	Content   json.RawMessage `json:"content" shape:"document"`
	IsCorrect bool            `json:"isCorrect,omitempty" doc:"Only of mcq and mrq; false when absent"`
	Weight    *float64        `json:"weight,omitempty"`
	Area      *Area           `json:"area,omitempty" doc:"Only of mcq and mrq: the part of the first image of the stem that the option is about. Its content is the name of the part"`
}

// PromptInput describes a prompt. One without an id gets "p" and the number of its place.
type PromptInput struct {
	ID      string          `json:"id,omitempty" maxLength:"32" example:"p1"`
	Content json.RawMessage `json:"content" shape:"document"`
}

// GapInput describes a gap. One without an id gets "g" and the number of its place; options without one get letters.
type GapInput struct {
	ID               string        `json:"id,omitempty" maxLength:"32" example:"g1"`
	Kind             string        `json:"kind" enum:"text,number,choice,pool"`
	Options          []PromptInput `json:"options,omitempty" nullable:"false" maxItems:"100" doc:"What to choose from, of kind choice"`
	CorrectOptionIDs []string      `json:"correctOptionIds,omitempty" nullable:"false" maxItems:"100" maxLength:"32" doc:"The right options, of kind choice and pool: any of them" example:"[\"A\"]"`
	AcceptedAnswers  []string      `json:"acceptedAnswers,omitempty" nullable:"false" maxItems:"100" maxLength:"1000" doc:"The right answers, of kind text"`
	Value            *float64      `json:"value,omitempty" doc:"The right number, of kind number"`
	Tolerance        float64       `json:"tolerance,omitempty" minimum:"0" doc:"How far from the value a number is still right"`
	Weight           int           `json:"weight,omitempty" minimum:"0" maximum:"1000" doc:"What the gap weighs among the others; 0 means 1"`
}

// QuestionPatch changes the fields that it names and no others. Options, prompts, gaps and the pool are replaced
// as a whole; an Explanation of null removes it.
type QuestionPatch struct {
	UpdatedAt          *time.Time       `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	ExternalID         *string          `json:"externalId,omitempty" maxLength:"200"`
	QType              *scoring.QType   `json:"qtype,omitempty"`
	Stem               json.RawMessage  `json:"stem,omitempty" shape:"document"`
	Options            *[]OptionInput   `json:"options,omitempty" nullable:"false" maxItems:"100" doc:"The options"`
	Prompts            *[]PromptInput   `json:"prompts,omitempty" nullable:"false" maxItems:"100" doc:"What is matched with the options"`
	Layout             *string          `json:"layout,omitempty" enum:"list,grid"`
	Gaps               *[]GapInput      `json:"gaps,omitempty" nullable:"false" maxItems:"100" doc:"The gaps of the stem"`
	Pool               *[]PromptInput   `json:"pool,omitempty" nullable:"false" maxItems:"100" doc:"What goes into the gaps of kind pool"`
	Reuse              *bool            `json:"reuse,omitempty"`
	Scoring            *QuestionScoring `json:"scoring,omitempty"`
	Weight             *float64         `json:"weight,omitempty"`
	Explanation        json.RawMessage  `json:"explanation,omitempty" shape:"document or null" doc:"null takes it away"`
	TaxonomyTermIDs    *[]ids.ID        `json:"taxonomyTermIds,omitempty" nullable:"false" maxItems:"100"`
	ContributesToScore *bool            `json:"contributesToScore,omitempty"`
}

func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}

func isNull(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || string(raw) == "null"
}
