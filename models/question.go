package models

import "github.com/uptrace/bun"

// The states of a question, a passage or an evaluation. Draft means that nothing was
// published yet.
const (
	AuthoringDraft     = "draft"
	AuthoringPublished = "published"
	AuthoringArchived  = "archived"
)

// Question is a row of questions. QType and ContributesToScore are from the newest
// version; they are repeated here so that lists find them in an index.
type Question struct {
	bun.BaseModel `bun:"table:questions,alias:q"`
	Authored

	QType              string `bun:"qtype"`
	ContributesToScore bool   `bun:"contributes_to_score"`
}
