package authoring

import (
	"strings"

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
	Prompts         []Prompt            `json:"prompts,omitempty" nullable:"false"`
	Layout          string              `json:"layout,omitempty" enum:"list,grid"`
	Pairs           []scoring.Pair      `json:"pairs,omitempty" nullable:"false" doc:"The right pairs of a prompt and an option"`
	Gaps            []Gap               `json:"gaps,omitempty" nullable:"false"`
	Pool            []Prompt            `json:"pool,omitempty" nullable:"false"`
	Reuse           bool                `json:"reuse,omitempty"`
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
	Area      *Area            `json:"area,omitempty" doc:"The part of the first image of the stem that the option is about"`
}

// ShownSnapshotQuestion is a question of a snapshot in the same way.
type ShownSnapshotQuestion struct {
	QuestionID      ids.ID              `json:"questionId"`
	Number          int                 `json:"number"`
	QType           scoring.QType       `json:"qtype"`
	Stem            content.Shown       `json:"stem"`
	Options         []ShownOption       `json:"options" nullable:"false"`
	Order           []string            `json:"order,omitempty" nullable:"false" doc:"The right order of the options"`
	Prompts         []ShownPrompt       `json:"prompts,omitempty" nullable:"false"`
	Layout          string              `json:"layout,omitempty" enum:"list,grid"`
	Pairs           []scoring.Pair      `json:"pairs,omitempty" nullable:"false" doc:"The right pairs of a prompt and an option"`
	Gaps            []ShownGap          `json:"gaps,omitempty" nullable:"false"`
	Pool            []ShownPrompt       `json:"pool,omitempty" nullable:"false"`
	Reuse           bool                `json:"reuse,omitempty"`
	Explanation     *content.Shown      `json:"explanation,omitempty"`
	TaxonomyTermIDs []ids.ID            `json:"taxonomyTermIds" nullable:"false"`
	StructuredTags  map[string][]string `json:"structuredTags"`
	ContentHash     string              `json:"contentHash"`
}

func (v QuestionVersion) snapshot(question ids.ID, terms map[ids.ID]taxonomy.Name) SnapshotQuestion {
	q := SnapshotQuestion{QuestionID: question, Number: v.Number, QType: v.QType, Stem: v.Stem, Options: []SnapshotOption{},
		Explanation: v.Explanation, TaxonomyTermIDs: survivors(v.TaxonomyTermIDs, terms), StructuredTags: structuredTags(v.TaxonomyTermIDs, terms),
		ContentHash: v.ContentHash, Order: v.Scoring.Order,
		Prompts: v.Prompts, Layout: v.Layout, Pairs: v.Scoring.Pairs, Gaps: v.Gaps, Pool: v.Pool, Reuse: v.Reuse}
	for _, o := range v.Options {
		q.Options = append(q.Options, SnapshotOption(o))
	}
	return q
}

// InPairs puts pairs in words, one line per prompt: "Italy – Rome, Milan". An id that the question does not have is
// written as it is.
func (q SnapshotQuestion) InPairs(pairs []scoring.Pair, say func(content.Document) string) string {
	options, chosen := map[string]string{}, map[string][]string{}
	for _, o := range q.Options {
		options[o.ID] = say(o.Content)
	}
	for _, p := range pairs {
		words, known := options[p[1]]
		if !known {
			words = p[1]
		}
		chosen[p[0]] = append(chosen[p[0]], words)
	}
	var lines []string
	for _, p := range q.Prompts {
		if len(chosen[p.ID]) > 0 {
			lines = append(lines, say(p.Content)+" – "+strings.Join(chosen[p.ID], ", "))
		}
	}
	return strings.Join(lines, "\n")
}

// Documents are the documents that a candidate sees while answering.
func (q SnapshotQuestion) Documents() []content.Document {
	all := []content.Document{q.Stem}
	for _, o := range q.Options {
		all = append(all, o.Content)
	}
	for _, p := range q.Prompts {
		all = append(all, p.Content)
	}
	return append(all, gapDocuments(q.Gaps, q.Pool)...)
}

func (q SnapshotQuestion) in(lang string) ShownSnapshotQuestion {
	shown := ShownSnapshotQuestion{QuestionID: q.QuestionID, Number: q.Number, QType: q.QType, Stem: q.Stem.In(lang),
		Options: make([]ShownOption, 0, len(q.Options)), TaxonomyTermIDs: q.TaxonomyTermIDs, StructuredTags: q.StructuredTags,
		ContentHash: q.ContentHash, Order: q.Order,
		Prompts: shownPrompts(q.Prompts, lang), Layout: q.Layout, Pairs: q.Pairs,
		Gaps: shownGaps(q.Gaps, lang), Pool: shownPrompts(q.Pool, lang), Reuse: q.Reuse}
	for _, o := range q.Options {
		shown.Options = append(shown.Options, ShownOption{o.ID, o.Content.In(lang), o.IsCorrect, o.Weight, o.Area})
	}
	if q.Explanation != nil {
		explanation := q.Explanation.In(lang)
		shown.Explanation = &explanation
	}
	return shown
}
