package authoring

import (
	"encoding/json"
	"time"

	"assess/models"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Passage is a text that questions are about, with the version that is being written and
// the one that questions and evaluations pin; at least one of them exists. Title is the
// title of the newest version. Locale is set when the content was resolved to one
// language: it is the one that the newest version is shown in.
type Passage struct {
	ID         ids.ID          `json:"id"`
	ExternalID string          `json:"externalId,omitempty"`
	Title      string          `json:"title"`
	Status     string          `json:"status" enum:"draft,published,archived"`
	Locale     string          `json:"locale,omitempty" doc:"With lang: the language that was found for it" example:"fr"`
	Draft      *PassageVersion `json:"draft,omitempty"`
	Published  *PassageVersion `json:"published,omitempty"`
	Problems   []errs.Field    `json:"problems" nullable:"false" doc:"What keeps the draft from being published"`
	CreatedAt  time.Time       `json:"createdAt"`
	UpdatedAt  time.Time       `json:"updatedAt"`
}

// PassageVersion is one version of a passage. Number counts from 1. ContentHash names the
// content document. The assets are the ones that publishing pinned.
type PassageVersion struct {
	ID      ids.ID        `json:"id"`
	Number  int           `json:"number"`
	Status  string        `json:"status" enum:"draft,published"`
	Title   string        `json:"title"`
	Content content.Shown `json:"content"`
	Frozen
	UpdatedAt   time.Time  `json:"updatedAt"`
	PublishedAt *time.Time `json:"publishedAt,omitempty"`
}

// PassageSummary is a passage in a list. Text is the beginning of its newest version, in
// the requested language, in the fallback order, else in its default locale.
type PassageSummary struct {
	ID         ids.ID    `json:"id"`
	ExternalID string    `json:"externalId,omitempty"`
	Title      string    `json:"title"`
	Status     string    `json:"status" enum:"draft,published,archived"`
	Number     int       `json:"number"`
	HasDraft   bool      `json:"hasDraft"`
	Questions  int       `json:"questions" doc:"How many questions are about it"`
	Locale     string    `json:"locale" doc:"The language of text"`
	Text       string    `json:"text" doc:"The first 200 characters"`
	CreatedAt  time.Time `json:"createdAt"`
	UpdatedAt  time.Time `json:"updatedAt"`
}

// PassageFilter chooses passages; the zero value chooses all that are not archived, newest
// change first.
type PassageFilter struct {
	Status string `query:"status" enum:"draft,published,archived" doc:"Without it, all that are not archived"`
	Search string `query:"q" maxLength:"200" doc:"Full-text query in any language: every word, the last one by its beginning"`
	Sort   string `query:"sort" enum:"-updatedAt,updatedAt,-createdAt,createdAt" default:"-updatedAt"`
	LangQuery
	db.Page
}

// LangQuery names the language to show.
type LangQuery struct {
	Lang string `query:"lang" json:"-" format:"bcp47" maxLength:"35" doc:"Resolve content to this language (BCP-47); without it all languages are given"`
}

// PassageInput describes a passage. Content is a content document; for compatibility with
// older clients it may be the payload of a single locale or plain text, which are taken for
// English (specification, section 2.8).
type PassageInput struct {
	ExternalID string          `json:"externalId,omitempty" maxLength:"200" doc:"The author's own id, unique in the org unit"`
	Title      string          `json:"title" maxLength:"300" example:"The water cycle"`
	Content    json.RawMessage `json:"content" shape:"passage" doc:"Older clients may send one payload, or plain text: it becomes the English one"`
}

// PassagePatch changes the fields that it names and no others.
type PassagePatch struct {
	UpdatedAt  *time.Time      `json:"updatedAt,omitempty" doc:"The state that the change was made from"`
	ExternalID *string         `json:"externalId,omitempty" maxLength:"200"`
	Title      *string         `json:"title,omitempty" maxLength:"300"`
	Content    json.RawMessage `json:"content,omitempty" shape:"passage" doc:"As for a new passage"`
}

// in shows the passage in one language; an empty lang shows all of them.
func (p Passage) in(lang string) Passage {
	for _, v := range []*PassageVersion{p.Published, p.Draft} {
		if v != nil && lang != "" {
			v.Content = v.Content.Document().In(lang)
			p.Locale = v.Content.Locale
		}
	}
	return p
}

func passageOf(row *models.Passage, versions map[ids.ID]*models.PassageVersion, blocking []errs.Field) (Passage, error) {
	draft, published, err := versionsShown(row.Row(), versions, passageVersionOf)
	return Passage{ID: row.ID, ExternalID: text(row.ExternalID), Title: row.Title, Status: row.Status, Draft: draft, Published: published,
		Problems: blocking, CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC()}, err
}

func passageVersionOf(row *models.PassageVersion) (PassageVersion, error) {
	document, err := documentOf(row.AuthoredBody)
	return PassageVersion{ID: row.ID, Number: row.Number, Status: row.Status, Title: row.Title, Content: document.In(""),
		Frozen: frozenOf(row.AuthoredBody), UpdatedAt: row.UpdatedAt.UTC(), PublishedAt: db.UTC(row.PublishedAt)}, err
}
