package authoring

import (
	"time"

	"assess/pkg/kernel/content"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// ShownQuestion is a question as it is read: with whole content documents, or resolved to
// one language. Locale is set then: the language that the newest version is shown in.
type ShownQuestion struct {
	ID         ids.ID                `json:"id"`
	ExternalID string                `json:"externalId,omitempty"`
	Status     string                `json:"status" enum:"draft,published,archived"`
	Locale     string                `json:"locale,omitempty" doc:"With lang: the language that was found for the stem" example:"fr"`
	Draft      *ShownQuestionVersion `json:"draft,omitempty"`
	Published  *ShownQuestionVersion `json:"published,omitempty"`
	Problems   []errs.Field          `json:"problems" nullable:"false" doc:"What keeps the draft from being published"`
	CreatedAt  time.Time             `json:"createdAt"`
	UpdatedAt  time.Time             `json:"updatedAt"`
}

// ShownQuestionVersion is a version in the same way. Each part that lacks the language
// falls back independently, and says so in its own locale.
type ShownQuestionVersion struct {
	ID                 ids.ID          `json:"id"`
	Number             int             `json:"number"`
	Status             string          `json:"status" enum:"draft,published"`
	QType              scoring.QType   `json:"qtype"`
	Locale             string          `json:"locale,omitempty"`
	Stem               content.Shown   `json:"stem"`
	Options            []ShownOption   `json:"options" nullable:"false"`
	Prompts            []ShownPrompt   `json:"prompts,omitempty" nullable:"false"`
	Layout             string          `json:"layout,omitempty" enum:"list,grid"`
	Gaps               []ShownGap      `json:"gaps,omitempty" nullable:"false"`
	Pool               []ShownPrompt   `json:"pool,omitempty" nullable:"false"`
	Reuse              bool            `json:"reuse,omitempty"`
	Explanation        *content.Shown  `json:"explanation,omitempty"`
	Scoring            QuestionScoring `json:"scoring"`
	Weight             float64         `json:"weight"`
	ContributesToScore bool            `json:"contributesToScore"`
	TaxonomyTermIDs    []ids.ID        `json:"taxonomyTermIds" nullable:"false"`
	PassageVersionID   *ids.ID         `json:"passageVersionId,omitempty"`
	Frozen
	UpdatedAt   time.Time  `json:"updatedAt"`
	PublishedAt *time.Time `json:"publishedAt,omitempty"`
}

// ShownOption is an option in the same way.
type ShownOption struct {
	ID        string        `json:"id"`
	Content   content.Shown `json:"content"`
	IsCorrect bool          `json:"isCorrect"`
	Weight    *float64      `json:"weight,omitempty"`
	Area      *Area         `json:"area,omitempty" doc:"The part of the first image of the stem that the option is about"`
}

// ShownPrompt is a prompt in the same way.
type ShownPrompt struct {
	ID      string        `json:"id"`
	Content content.Shown `json:"content"`
}

func shownPrompts(prompts []Prompt, lang string) []ShownPrompt {
	var all []ShownPrompt
	for _, p := range prompts {
		all = append(all, ShownPrompt{p.ID, p.Content.In(lang)})
	}
	return all
}

// ShownGap is a gap in the same way.
type ShownGap struct {
	ID               string        `json:"id"`
	Kind             string        `json:"kind" enum:"text,number,choice,pool"`
	Options          []ShownPrompt `json:"options,omitempty" nullable:"false"`
	CorrectOptionIDs []string      `json:"correctOptionIds,omitempty" nullable:"false"`
	AcceptedAnswers  []string      `json:"acceptedAnswers,omitempty" nullable:"false"`
	Value            *float64      `json:"value,omitempty"`
	Tolerance        float64       `json:"tolerance,omitempty"`
	Weight           int           `json:"weight,omitempty"`
}

func shownGaps(gaps []Gap, lang string) []ShownGap {
	var all []ShownGap
	for _, g := range gaps {
		all = append(all, ShownGap{g.ID, g.Kind, shownPrompts(g.Options, lang), g.CorrectOptionIDs, g.AcceptedAnswers, g.Value, g.Tolerance, g.Weight})
	}
	return all
}

// In shows the question in one language, in the fallback order of the specification,
// section 4.6; an empty lang shows all languages.
func (q Question) In(lang string) ShownQuestion {
	shown := ShownQuestion{ID: q.ID, ExternalID: q.ExternalID, Status: q.Status, Problems: q.Problems, CreatedAt: q.CreatedAt, UpdatedAt: q.UpdatedAt}
	if q.Published != nil {
		shown.Published = q.Published.in(lang)
		shown.Locale = shown.Published.Locale
	}
	if q.Draft != nil {
		shown.Draft = q.Draft.in(lang)
		shown.Locale = shown.Draft.Locale
	}
	return shown
}

func (v QuestionVersion) in(lang string) *ShownQuestionVersion {
	shown := ShownQuestionVersion{ID: v.ID, Number: v.Number, Status: v.Status, QType: v.QType,
		Stem: v.Stem.In(lang), Options: make([]ShownOption, 0, len(v.Options)), Scoring: v.Scoring, Weight: v.Weight,
		ContributesToScore: v.ContributesToScore, TaxonomyTermIDs: v.TaxonomyTermIDs, PassageVersionID: v.PassageVersionID,
		Prompts: shownPrompts(v.Prompts, lang), Layout: v.Layout, Gaps: shownGaps(v.Gaps, lang), Pool: shownPrompts(v.Pool, lang), Reuse: v.Reuse, Frozen: v.Frozen, UpdatedAt: v.UpdatedAt, PublishedAt: v.PublishedAt}
	shown.Locale = shown.Stem.Locale
	for _, o := range v.Options {
		shown.Options = append(shown.Options, ShownOption{ID: o.ID, Content: o.Content.In(lang), IsCorrect: o.IsCorrect, Weight: o.Weight, Area: o.Area})
	}
	if v.Explanation != nil {
		explanation := v.Explanation.In(lang)
		shown.Explanation = &explanation
	}
	return &shown
}
