package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// A command is made of its use line, a sentence, the work that it does in its transaction and how
// the result is printed. newList, newShow, newAct and newRemove make it; with, byID, found and
// change make work of an operation of the domain; fields, tableOf and drawn print. Flags, an example
// and longer words are set on the command afterwards.

// work is the part of a command in its transaction. args are the words of the call that its use line names.
type work[T any] func(ctx context.Context, tx *db.Tx, args []string) (T, error)

// newShow makes a command that reads something.
func newShow[T any](s *Shell, use, short string, do work[T], print printer[T]) *cobra.Command {
	return newRead(s, (*db.Store).Read, use, short, do, print)
}

// newRead makes one that reads by another kind of transaction: a report at one snapshot, a
// rehearsal, or one that writes down who looked.
func newRead[T any](s *Shell, by reader, use, short string, do work[T], print printer[T]) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, RunE: func(cmd *cobra.Command, args []string) error {
		err := checkIDs(cmd, args)
		if err != nil {
			return err
		}
		found, err := readBy(cmd.Context(), s, by, func(tx *db.Tx) (T, error) { return do(cmd.Context(), tx, args) })
		if err != nil {
			return err
		}
		return print(s, found)
	}}
}

// newList makes a command that reads a page of a list, or all of it.
func newList[T any](s *Shell, use, short string, page *db.Page, do work[db.List[T]], columns []Column[T]) *cobra.Command {
	return newPaged(s, (*db.Store).Read, use, short, page, do, pagedOf[T],
		func(s *Shell, list db.List[T]) error { return printList(s, list, columns...) })
}

// newAct makes a command that changes something; a repeated idempotency key must come with the
// same words and flags.
func newAct[T any](s *Shell, use, short string, do work[T], print printer[T]) *cobra.Command {
	return s.changes(&cobra.Command{Use: use, Short: short, RunE: func(cmd *cobra.Command, args []string) error {
		err := checkIDs(cmd, args)
		if err == nil {
			err = s.askFirst(cmd, args)
		}
		if err != nil {
			return err
		}
		done, err := write(s, cmd, said(cmd, args), func(tx *db.Tx) (T, error) { return do(cmd.Context(), tx, args) })
		if err != nil {
			return err
		}
		return print(s, done)
	}})
}

// removed is the result of a deletion.
type removed struct {
	ID      ids.ID `json:"id"`
	Deleted bool   `json:"deleted"`
}

// newRemove makes a command that asks first and then deletes one record.
func newRemove(s *Shell, use, short, question string, do work[removed]) *cobra.Command {
	return asking(newAct(s, use, short, do, fields(removedColumns)), question)
}

var removedColumns = columns[removed]("ID = Deleted")

// deleted makes a deletion say which record is gone.
func deleted(do func(context.Context, *db.Tx, ids.ID) error) func(context.Context, *db.Tx, ids.ID) (removed, error) {
	return func(ctx context.Context, tx *db.Tx, id ids.ID) (removed, error) {
		return removed{id, true}, do(ctx, tx, id)
	}
}

// with calls an operation with in as the flags have set it; the words of the call go into to.
func with[I, T any](in *I, do func(context.Context, *db.Tx, I) (T, error), to ...*string) work[T] {
	return func(ctx context.Context, tx *db.Tx, args []string) (T, error) {
		for i := range to {
			*to[i] = args[i]
		}
		return do(ctx, tx, *in)
	}
}

// alone calls an operation that needs no input.
func alone[T any](do func(context.Context, *db.Tx) (T, error)) work[T] {
	return func(ctx context.Context, tx *db.Tx, _ []string) (T, error) { return do(ctx, tx) }
}

// found calls an operation with the record that the first word names.
func found[R, T any](noun string, find func(context.Context, *db.Tx, string) (R, error), do func(context.Context, *db.Tx, R) (T, error)) work[T] {
	return func(ctx context.Context, tx *db.Tx, args []string) (T, error) {
		var result T
		record, err := find(ctx, tx, args[0])
		if err == nil {
			result, err = do(ctx, tx, record)
		}
		return result, unknown(noun, args[0], err)
	}
}

// byID calls an operation with the id that the first word is.
func byID[T any](noun string, do func(context.Context, *db.Tx, ids.ID) (T, error)) work[T] {
	return found(noun, func(_ context.Context, _ *db.Tx, word string) (ids.ID, error) { return recordID(noun, word) }, do)
}

// change calls an operation with the first word as an id, and with patch as the flags have set it.
func change[P, T any](noun string, patch *P, do func(context.Context, *db.Tx, ids.ID, P) (T, error)) work[T] {
	return byID(noun, func(ctx context.Context, tx *db.Tx, id ids.ID) (T, error) { return do(ctx, tx, id, *patch) })
}

// printer shows the result of a command.
type printer[T any] func(*Shell, T) error

// fields prints one thing, for people a line a field.
func fields[T any](columns []Column[T]) printer[T] {
	return func(s *Shell, value T) error { return PrintOne(s, value, columns...) }
}

// tableOf prints a page of things.
func tableOf[P, T any](of func(P) []T, columns []Column[T]) printer[P] {
	return func(s *Shell, page P) error { return PrintPage(s, page, of(page), columns...) }
}

// drawn prints a result that people see as more than a table.
func drawn[T any](draw func(*Screen, T) error) printer[T] {
	return func(s *Shell, value T) error {
		return s.Show(value, func(screen *Screen) error { return draw(screen, value) })
	}
}

// drawnAs is drawn for a result that other formats show only in part.
func drawnAs[T any](part func(T) any, draw func(*Screen, T) error) printer[T] {
	return func(s *Shell, value T) error {
		return s.Show(part(value), func(screen *Screen) error { return draw(screen, value) })
	}
}

func optionalMoment(t *time.Time) string {
	if t == nil {
		return none
	}
	return moment(*t)
}
