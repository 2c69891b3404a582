package db

import (
	"context"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"assess/pkg/kernel/errs"
)

// The bounds of a page (decisions, section 1).
const (
	DefaultLimit = 25
	MaxLimit     = 200
)

// Page selects one page of a list: page from 1, limit 1 to 200. Zero means the default.
type Page struct {
	Page  int `query:"page" json:"-" minimum:"1" default:"1" doc:"Page, from 1"`
	Limit int `query:"limit" json:"-" minimum:"1" maximum:"200" default:"25" doc:"Rows a page"`
}

// None is the result of an operation that has none.
type None struct{}

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

// Window gives the window of the page in a list of total rows.
func (p Page) Window(total int) Window {
	w := Window{Skip: p.Offset(), Take: max(0, min(p.Limit, total-p.Offset()))}
	if behind := total - w.Skip - w.Take; w.Take > 0 && behind < w.Skip {
		return Window{Skip: behind, Take: w.Take, FromEnd: true}
	}
	return w
}

// ReadPage counts the rows that q selects and reads the rows of the page, starting at the nearer end of
// the list. The order gives each column, with or without " desc" after it, and tells any two rows apart.
func ReadPage[R any](ctx context.Context, q *bun.SelectQuery, page Page, rows *[]R, order ...string) (int, error) {
	counted, err := q.Count(ctx)
	if err != nil {
		return 0, err
	}
	total := int(counted)
	w := page.Window(total)
	if w.Take == 0 {
		return total, nil
	}
	if w.FromEnd {
		order = turned(order)
	}
	err = q.Order(order...).Limit(int64(w.Take)).Offset(int64(w.Skip)).Scan(ctx, rows)
	if w.FromEnd {
		slices.Reverse(*rows)
	}
	return total, err
}

// turned gives the order of a list that is read from its end.
func turned(order []string) []string {
	back := make([]string, len(order))
	for i, column := range order {
		ascending, descends := strings.CutSuffix(column, " desc")
		back[i] = ascending
		if !descends {
			back[i] += " desc"
		}
	}
	return back
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
