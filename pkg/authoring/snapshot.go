package authoring

import (
	"assess/pkg/content"
	"assess/pkg/ids"
	"assess/pkg/scoring"
)

// Snapshot is the immutable content of a published evaluation version: everything that
// delivery, scoring and reporting need, so that nothing later reads authoring tables
// (specification, sections 2.1 and 9.2). It is stored once per distinct content, under the
// SHA-256 of its canonical form.
type Snapshot struct {
	EvaluationID        ids.ID            `json:"evaluationId"`
	EvaluationVersionID ids.ID            `json:"evaluationVersionId"`
	Number              int               `json:"number"`
	Title               string            `json:"title"`
	Settings            Settings          `json:"settings"`
	Sections            []SnapshotSection `json:"sections" nullable:"false"`
	// Questions is keyed by question version id.
	Questions                 map[string]SnapshotQuestion `json:"questions"`
	EvaluationTaxonomyTermIDs []ids.ID                    `json:"evaluationTaxonomyTermIds" nullable:"false"`
}

// SnapshotSection is a section with its items in order.
type SnapshotSection struct {
	ID    ids.ID         `json:"id"`
	Title string         `json:"title"`
	Items []SnapshotItem `json:"items" nullable:"false"`
}

// SnapshotItem is one place in the evaluation. Key is what its answer is scored with: the
// question's key with the item's own weight, where the evaluation sets one.
type SnapshotItem struct {
	ItemID            ids.ID      `json:"itemId"`
	Position          int         `json:"position"`
	QuestionID        ids.ID      `json:"questionId"`
	QuestionVersionID ids.ID      `json:"questionVersionId"`
	Key               scoring.Key `json:"key"`
}

// SnapshotQuestion is a question version as it was published.
type SnapshotQuestion struct {
	QuestionID      ids.ID              `json:"questionId"`
	Number          int                 `json:"number"`
	QType           scoring.QType       `json:"qtype"`
	Stem            content.Document    `json:"stem"`
	Options         []SnapshotOption    `json:"options" nullable:"false"`
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
