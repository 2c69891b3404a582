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
}

// Settings are the settings of an evaluation version (specification, section 2.3;
// decisions, section 3).
type Settings struct {
	TimeLimitSeconds   *int     `json:"timeLimitSeconds,omitempty" minimum:"1" doc:"Time for the whole evaluation, in seconds"`
	Navigation         string   `json:"navigation,omitempty" enum:"linear,free" doc:"Default free"`
	ShuffleItems       bool     `json:"shuffleItems,omitempty"`
	ShuffleOptions     bool     `json:"shuffleOptions,omitempty"`
	FeedbackMode       string   `json:"feedback_mode,omitempty" enum:"none,overall,tags,items" doc:"What a candidate learns after submitting. Default overall"`
	PassMarkPercent    *float64 `json:"pass_mark_percent,omitempty" minimum:"0" maximum:"100"`
	ReviewPolicy       string   `json:"review_policy,omitempty" enum:"self_approve,four_eyes" doc:"Default self_approve"`
	MaxAttemptsPerUser *int     `json:"max_attempts_per_user,omitempty" minimum:"1" doc:"Default: no bound"`
	CooloffSeconds     int      `json:"cooloff_seconds,omitempty" minimum:"0" doc:"Time that must pass between two attempts of one person"`
	ScoringConfig      Scoring  `json:"scoringConfig,omitzero"`
}

// Scoring is how answers become scores and scores an outcome.
type Scoring struct {
	Decimals        *int    `json:"decimals,omitempty" minimum:"0" maximum:"6" doc:"Decimals that totals are rounded to; default: no rounding"`
	NegativeMarking float64 `json:"negativeMarking,omitempty" minimum:"0" maximum:"1" doc:"Share of the weight that a wrong answer takes off"`
}
