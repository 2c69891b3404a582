package models

import "github.com/uptrace/bun"

// Evaluation is a row of evaluations. Title is the title of the newest version.
type Evaluation struct {
	bun.BaseModel `bun:"table:evaluations,alias:e"`
	Authored

	Title string `bun:"title"`
}
