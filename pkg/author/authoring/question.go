package authoring

import (
	"encoding/json"
	"fmt"
	"time"

	"assess/models"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// Question is a question with the version that is being written and the one that new
// evaluations pin; at least one of them exists.
type Question struct {
	ID         ids.ID           `json:"id"`
	ExternalID string           `json:"externalId,omitempty"`
	Status     string           `json:"status" enum:"draft,published,archived"`
	Draft      *QuestionVersion `json:"draft,omitempty"`
	Published  *QuestionVersion `json:"published,omitempty"`
	Problems   []errs.Field     `json:"problems" nullable:"false" doc:"What keeps the draft from being published"`
	CreatedAt  time.Time        `json:"createdAt"`
	UpdatedAt  time.Time        `json:"updatedAt"`
}

// QuestionVersion is one version of a question. Number counts from 1. ContentHash names the
// QuestionBody.
type QuestionVersion struct {
	ID     ids.ID        `json:"id"`
	Number int           `json:"number"`
	Status string        `json:"status" enum:"draft,published"`
	QType  scoring.QType `json:"qtype"`
	QuestionBody
	TaxonomyTermIDs  []ids.ID `json:"taxonomyTermIds" nullable:"false"`
	PassageVersionID *ids.ID  `json:"passageVersionId,omitempty" doc:"The version of the passage that publishing pinned"`
	Frozen
	UpdatedAt   time.Time  `json:"updatedAt"`
	PublishedAt *time.Time `json:"publishedAt,omitempty"`
}

// QuestionBody is the content of a version and how it is scored: the part that is hashed.
type QuestionBody struct {
	Stem               content.Document  `json:"stem"`
	Options            []Option          `json:"options" nullable:"false"`
	Prompts            []Prompt          `json:"prompts,omitempty" nullable:"false"`
	Layout             string            `json:"layout,omitempty" enum:"list,grid"`
	Gaps               []Gap             `json:"gaps,omitempty" nullable:"false"`
	Pool               []Prompt          `json:"pool,omitempty" nullable:"false"`
	Reuse              bool              `json:"reuse,omitempty"`
	Explanation        *content.Document `json:"explanation,omitempty"`
	Scoring            QuestionScoring   `json:"scoring"`
	Weight             float64           `json:"weight" doc:"The score of full credit"`
	ContributesToScore bool              `json:"contributesToScore"`
}

// Option is one option. Its id is stable over versions. Weight is kept for exports; the
// methods of scoring use the weight of the question.
type Option struct {
	ID        string           `json:"id"`
	Content   content.Document `json:"content"`
	IsCorrect bool             `json:"isCorrect"`
	Weight    *float64         `json:"weight,omitempty"`
	Area      *Area            `json:"area,omitempty" doc:"The part of the first image of the stem that the option is about"`
}

// Prompt is a text that options are matched with. Its id is stable over versions, too.
type Prompt struct {
	ID      string           `json:"id"`
	Content content.Document `json:"content"`
}

// Gap is a gap of the stem, which marks its place, with its right answers. Its kind says which fields it has: a text has
// AcceptedAnswers, a number Value and Tolerance, a choice Options and CorrectOptionIDs; a pool has CorrectOptionIDs out of the
// pool of the question. Its id is stable over versions, too.
type Gap struct {
	ID               string   `json:"id"`
	Kind             string   `json:"kind" enum:"text,number,choice,pool"`
	Options          []Prompt `json:"options,omitempty" nullable:"false"`
	CorrectOptionIDs []string `json:"correctOptionIds,omitempty" nullable:"false" doc:"The right options: any of them"`
	AcceptedAnswers  []string `json:"acceptedAnswers,omitempty" nullable:"false"`
	Value            *float64 `json:"value,omitempty"`
	Tolerance        float64  `json:"tolerance,omitempty"`
	Weight           int      `json:"weight,omitempty" doc:"What the gap weighs among the others; absent: 1"`
}

// QuestionScoring says how an answer becomes a score. The type of a question says which
// fields it has (scoring.Types); for the limits of selections 0 means none.
type QuestionScoring struct {
	Method          string   `json:"method,omitempty" doc:"Default all_or_nothing; partial gives part of the weight"`
	MinSelections   int      `json:"minSelections,omitempty" minimum:"0" doc:"The fewest options to select"`
	MaxSelections   int      `json:"maxSelections,omitempty" minimum:"0" doc:"The most options to select; 0 means all"`
	AcceptedAnswers []string `json:"acceptedAnswers,omitempty" nullable:"false" maxItems:"100" maxLength:"1000" doc:"The right answers, 1 to 100; white space, case and the shapes of quotes and dashes do not count" example:"[\"Lake Constance\"]"`
	Value           *float64 `json:"value,omitempty" doc:"The right number" example:"9.81"`
	Tolerance       float64  `json:"tolerance,omitempty" minimum:"0" doc:"How far from the value an answer is still right" example:"0.01"`
	Order           []string `json:"order,omitempty" nullable:"false" maxItems:"100" maxLength:"32" doc:"The ids of all options in their right order" example:"[\"B\",\"A\"]"`

	Pairs        []scoring.Pair `json:"pairs,omitempty" nullable:"false" maxItems:"1000" doc:"The right pairs, each a prompt's id and an option's" example:"[[\"p1\",\"B\"]]"`
	MaxPerPrompt int            `json:"maxPerPrompt,omitempty" minimum:"0" doc:"How many options a prompt takes at most. Default 1"`
	MaxPerOption int            `json:"maxPerOption,omitempty" minimum:"0" doc:"For how many prompts an option can be chosen; 0 means all"`
}

// key is the key that answers to the version are scored with.
func (v QuestionVersion) key() scoring.Key {
	k := scoring.Key{QType: v.QType, Weight: v.Weight, Method: v.Scoring.Method,
		MinSelections: v.Scoring.MinSelections, MaxSelections: v.Scoring.MaxSelections,
		Accepted: v.Scoring.AcceptedAnswers, Tolerance: v.Scoring.Tolerance, Order: v.Scoring.Order,
		Pairs: v.Scoring.Pairs, MaxPerPrompt: v.Scoring.MaxPerPrompt, MaxPerOption: v.Scoring.MaxPerOption, Gaps: gapKeys(v.Gaps), Reuse: v.Reuse,
		ContributesToScore: v.ContributesToScore}
	set(&k.Value, v.Scoring.Value)
	k.Unkeyed = v.QType.Type().Has(scoring.PartValue) && v.Scoring.Value == nil // 0 would be right otherwise
	for _, p := range v.Prompts {
		k.Prompts = append(k.Prompts, p.ID)
	}
	for _, o := range v.Pool {
		k.Pool = append(k.Pool, o.ID)
	}
	for _, o := range v.Options {
		k.Options = append(k.Options, scoring.OptionKey{ID: o.ID, Correct: o.IsCorrect})
	}
	return k
}

func questionOf(row *models.Question, versions map[ids.ID]*models.QuestionVersion, blocking []errs.Field) (Question, error) {
	draft, published, err := versionsShown(row.Row(), versions, questionVersionOf)
	return Question{ID: row.ID, ExternalID: text(row.ExternalID), Status: row.Status, Draft: draft, Published: published, Problems: blocking,
		CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC()}, err
}

func questionVersionOf(row *models.QuestionVersion) (QuestionVersion, error) {
	v := QuestionVersion{ID: row.ID, Number: row.Number, Status: row.Status, QType: scoring.QType(row.QType),
		TaxonomyTermIDs: row.TermIDs, PassageVersionID: row.Pins.PassageVersionID, Frozen: frozenOf(row.AuthoredBody),
		UpdatedAt: row.UpdatedAt.UTC(), PublishedAt: db.UTC(row.PublishedAt)}
	err := json.Unmarshal(row.Body, &v.QuestionBody)
	if err != nil {
		return QuestionVersion{}, fmt.Errorf("read body of question version %s: %w", row.ID, err)
	}
	if v.TaxonomyTermIDs == nil {
		v.TaxonomyTermIDs = []ids.ID{}
	}
	return v, nil
}
