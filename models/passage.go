package models

import "github.com/uptrace/bun"

// Passage is a row of passages. Title is the title of the newest version.
type Passage struct {
	bun.BaseModel `bun:"table:passages,alias:p"`
	Authored

	Title string `bun:"title"`
}
