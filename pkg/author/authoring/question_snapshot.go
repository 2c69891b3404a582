package authoring

import (
	"assess/pkg/author/taxonomy"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

// SnapshotQuestion is a question version as it was published.
type SnapshotQuestion struct {
	QuestionID      ids.ID              `json:"questionId"`
	Number          int                 `json:"number"`
	QType           scoring.QType       `json:"qtype"`
	Stem            content.Document    `json:"stem"`
	Options         []SnapshotOption    `json:"options" nullable:"false"`
	Order           []string            `json:"order,omitempty" nullable:"false" doc:"The right order of the options"`
	Explanation     *content.Document   `json:"explanation,omitempty"`
	TaxonomyTermIDs []ids.ID            `json:"taxonomyTermIds" nullable:"false"`
	StructuredTags  map[string][]string `json:"structuredTags"`
	ContentHash     string              `json:"contentHash"`
}

// SnapshotOption is an option of a choice question.
type SnapshotOption struct {
	ID        string           `json:"id"`
	Content   content.Document `json:"content"`
	IsCorrect bool             `json:"isCorrect"`
	Weight    *float64         `json:"weight,omitempty"`
}

// ShownSnapshotQuestion is a question of a snapshot in the same way.
type ShownSnapshotQuestion struct {
	QuestionID      ids.ID              `json:"questionId"`
	Number          int                 `json:"number"`
	QType           scoring.QType       `json:"qtype"`
	Stem            content.Shown       `json:"stem"`
	Options         []ShownOption       `json:"options" nullable:"false"`
	Order           []string            `json:"order,omitempty" nullable:"false" doc:"The right order of the options"`
	Explanation     *content.Shown      `json:"explanation,omitempty"`
	TaxonomyTermIDs []ids.ID            `json:"taxonomyTermIds" nullable:"false"`
	StructuredTags  map[string][]string `json:"structuredTags"`
	ContentHash     string              `json:"contentHash"`
}

func (v QuestionVersion) snapshot(question ids.ID, terms map[ids.ID]taxonomy.Name) SnapshotQuestion {
	q := SnapshotQuestion{QuestionID: question, Number: v.Number, QType: v.QType, Stem: v.Stem, Options: []SnapshotOption{},
		Explanation: v.Explanation, TaxonomyTermIDs: survivors(v.TaxonomyTermIDs, terms), StructuredTags: structuredTags(v.TaxonomyTermIDs, terms),
		ContentHash: v.ContentHash, Order: v.Scoring.Order}
	for _, o := range v.Options {
		q.Options = append(q.Options, SnapshotOption(o))
	}
	return q
}

func (q SnapshotQuestion) in(lang string) ShownSnapshotQuestion {
	shown := ShownSnapshotQuestion{QuestionID: q.QuestionID, Number: q.Number, QType: q.QType, Stem: q.Stem.In(lang),
		Options: make([]ShownOption, 0, len(q.Options)), TaxonomyTermIDs: q.TaxonomyTermIDs, StructuredTags: q.StructuredTags,
		ContentHash: q.ContentHash, Order: q.Order}
	for _, o := range q.Options {
		shown.Options = append(shown.Options, ShownOption{o.ID, o.Content.In(lang), o.IsCorrect, o.Weight})
	}
	if q.Explanation != nil {
		explanation := q.Explanation.In(lang)
		shown.Explanation = &explanation
	}
	return shown
}
