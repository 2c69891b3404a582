package cli

import (
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
