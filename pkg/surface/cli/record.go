package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// printed reads something and prints it.
func printed[T any](s *Shell, cmd *cobra.Command, get func(*db.Tx) (T, error), columns ...Column[T]) error {
	found, err := read(cmd.Context(), s, get)
	if err != nil {
		return err
	}
	return PrintOne(s, found, columns...)
}

// printedList reads one page of a list and prints it.
func printedList[T any](s *Shell, cmd *cobra.Command, get func(*db.Tx) (db.List[T], error), columns ...Column[T]) error {
	list, err := read(cmd.Context(), s, get)
	if err != nil {
		return err
	}
	return printList(s, list, columns...)
}

// changed changes something as write does, and prints what became of it.
func changed[T any](s *Shell, cmd *cobra.Command, in any, change func(*db.Tx) (T, error), columns ...Column[T]) error {
	result, err := write(s, cmd, in, change)
	if err != nil {
		return err
	}
	return PrintOne(s, result, columns...)
}

// show makes a command that prints one record by its id.
func show[T any](s *Shell, what string, get func(context.Context, *db.Tx, ids.ID) (T, error), columns ...Column[T]) *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show one " + what,
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := recordID(what, args[0])
			if err != nil {
				return err
			}
			found, err := read(cmd.Context(), s, func(tx *db.Tx) (T, error) { return get(cmd.Context(), tx, id) })
			if err != nil {
				return unknown(what, args[0], err)
			}
			return PrintOne(s, found, columns...)
		},
	}
}

// updateOne changes one record by its id and prints it.
func updateOne[P, T any](s *Shell, cmd *cobra.Command, what, word string, patch P,
	change func(context.Context, *db.Tx, ids.ID, P) (T, error), columns ...Column[T]) error {
	id, err := recordID(what, word)
	if err != nil {
		return err
	}
	in := struct {
		ID    ids.ID
		Patch P
	}{id, patch}
	changed, err := write(s, cmd, in, func(tx *db.Tx) (T, error) { return change(cmd.Context(), tx, id, patch) })
	if err != nil {
		return unknown(what, word, err)
	}
	return PrintOne(s, changed, columns...)
}

func recordID(what, word string) (ids.ID, error) {
	id, err := ids.Parse(what, word)
	if err != nil {
		return ids.None, Usage("%q is no id: say which %s", word, what)
	}
	return id, nil
}

// textFlags gives a command flags of text; textGiven reads them.
func textFlags(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		cmd.Flags().String(name, "", "new "+name)
	}
}

// textGiven is nil for a flag that was left out: what it means stays as it is.
func textGiven(cmd *cobra.Command, flag string) *string {
	if !cmd.Flags().Changed(flag) {
		return nil
	}
	value := cmd.Flag(flag).Value.String()
	return &value
}

func optionalMoment(t *time.Time) string {
	if t == nil {
		return none
	}
	return moment(*t)
}
