package db

import "assess/pkg/kernel/errs"

// The bounds of a page (decisions, section 1).
const (
	DefaultLimit = 25
	MaxLimit     = 200
)

// Page asks for one page of a list: page from 1, limit 1 to 200. Zero means the default.
type Page struct {
	Page  int
	Limit int
}

// Check fills in the defaults; validation_failed for values out of range.
func (p Page) Check() (Page, error) {
	if p.Page == 0 {
		p.Page = 1
	}
	if p.Limit == 0 {
		p.Limit = DefaultLimit
	}
	var bad []errs.Field
	if p.Page < 1 {
		bad = append(bad, errs.Field{Path: "page", Code: "out_of_range", Message: "pages count from 1"})
	}
	if p.Limit < 1 || p.Limit > MaxLimit {
		bad = append(bad, errs.Field{Path: "limit", Code: "out_of_range", Message: "the limit is 1 to 200"})
	}
	return p, errs.Invalid(bad...)
}

// Offset is the number of rows before the page.
func (p Page) Offset() int { return (p.Page - 1) * p.Limit }

// List is one page of a list and the number of rows of the whole list.
type List[T any] struct {
	Items []T `json:"items" nullable:"false"`
	Page  int `json:"page"`
	Limit int `json:"limit"`
	Total int `json:"total"`
}

// NewList makes a List whose items are never null.
func NewList[T any](items []T, p Page, total int) List[T] {
	if items == nil {
		items = []T{}
	}
	return List[T]{Items: items, Page: p.Page, Limit: p.Limit, Total: total}
}
