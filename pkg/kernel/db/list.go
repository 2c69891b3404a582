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

// Window is where a page lies in a list of so many rows, counted from the end that is nearer, so that the last
// page costs what the first costs.
type Window struct {
	// Skip is how many rows to pass over, and Take how many to read; 0 past the end.
	Skip, Take int
	// FromEnd says that the order of the list is to be turned round.
	FromEnd bool
}

// Window gives that of the page in a list of total rows.
func (p Page) Window(total int) Window {
	w := Window{Skip: p.Offset(), Take: max(0, min(p.Limit, total-p.Offset()))}
	if behind := total - w.Skip - w.Take; w.Take > 0 && behind < w.Skip {
		return Window{Skip: behind, Take: w.Take, FromEnd: true}
	}
	return w
}

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
