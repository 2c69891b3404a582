package cli

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
)

// pages gives a command the flags of a list.
func pages(cmd *cobra.Command, page *db.Page) *cobra.Command {
	cmd.Flags().IntVar(&page.Page, "page", 1, "which page, from 1")
	cmd.Flags().IntVar(&page.Limit, "limit", db.DefaultLimit, "rows of a page, 1 to 200")
	return cmd
}

// paged is the part of a result that is a page of a list.
type paged[T any] struct {
	items *[]T
	limit *int
	total int
}

func pagedOf[T any](l *db.List[T]) paged[T] { return paged[T]{&l.Items, &l.Limit, l.Total} }

// newPaged makes a command that reads a page of a list, or all of it. list says which part of the
// result that is.
func newPaged[P, T any](s *Shell, from reader, use, short string, page *db.Page, do work[P], list func(*P) paged[T], print printer[P]) *cobra.Command {
	var all bool
	cmd := pages(newRead(s, from, use, short, func(ctx context.Context, tx *db.Tx, args []string) (P, error) {
		return readPages(all, page, func() (P, error) { return do(ctx, tx, args) }, list)
	}, print), page)
	allFlag(cmd, &all)
	return cmd
}

// allFlag gives a command of a list the flag --all.
func allFlag(cmd *cobra.Command, all *bool) {
	cmd.Flags().BoolVar(all, "all", false, "all rows instead of a page")
	cmd.MarkFlagsMutuallyExclusive("all", "page")
	cmd.MarkFlagsMutuallyExclusive("all", "limit")
}

// readPages reads a page, or page after page to the end of the list; then the result is one page of them all.
func readPages[P, T any](all bool, page *db.Page, read func() (P, error), list func(*P) paged[T]) (P, error) {
	if !all {
		return read()
	}
	*page = db.Page{Page: 1, Limit: db.MaxLimit}
	result, err := read()
	whole := list(&result)
	for err == nil && len(*whole.items) < whole.total {
		var next P
		page.Page++
		next, err = read()
		more := *list(&next).items
		if len(more) == 0 {
			break
		}
		*whole.items = append(*whole.items, more...)
	}
	*whole.limit = max(len(*whole.items), 1)
	return result, err
}

// printList prints one page of a list and says when there are more.
func printList[T any](s *Shell, list db.List[T], columns ...Column[T]) error {
	err := PrintPage(s, list, list.Items, columns...)
	if err == nil && s.Format == FormatTable {
		s.notePage(list.Page, list.Limit, len(list.Items), list.Total)
	}
	return err
}

func (s *Shell) notePage(page, limit, shown, total int) {
	if shown < total {
		s.Note("Page %d of %d, %d in all.", page, (total+limit-1)/limit, total)
	}
}

func itemsOf[T any](list db.List[T]) []T { return list.Items }

// moment writes a time for people; the header of its column says UTC.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

// words joins a property of several things in one cell.
func words[T any](things []T, word func(T) string) string {
	var out []string
	for _, t := range things {
		out = append(out, word(t))
	}
	return strings.Join(out, ", ")
}
