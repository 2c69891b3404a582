package cli

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func newView(s *Shell) *cobra.Command {
	return group("view", "Keep saved views of questions and evaluations", newViewList(s), newViewShow(s), newViewCreate(s), newViewDelete(s))
}

// kindFlag gives a command the flag that says which inventory it is about.
func kindFlag(cmd *cobra.Command, to **inventory.Kind) *cobra.Command {
	kinds := map[string]*inventory.Kind{"questions": inventory.Questions, "evaluations": inventory.Evaluations}
	*to = inventory.Questions
	cmd.Flags().Var(&parsed{kind: "string", words: []string{"questions"}, set: func(word string) error {
		kind, known := kinds[word]
		if !known {
			return errors.New("expected questions or evaluations")
		}
		*to = kind
		return nil
	}}, "kind", "questions or evaluations")
	return cmd
}

func newViewList(s *Shell) *cobra.Command {
	var kind *inventory.Kind
	var page db.Page
	return kindFlag(newList(s, "list", "List the shared views", &page,
		func(ctx context.Context, tx *db.Tx, _ []string) (db.List[inventory.View], error) {
			return inventory.ListViews(ctx, tx, kind, page)
		}, viewColumns), &kind)
}

func newViewShow(s *Shell) *cobra.Command {
	var kind *inventory.Kind
	return kindFlag(newShow(s, "show ID", "Show a view", byID("view", func(ctx context.Context, tx *db.Tx, id ids.ID) (inventory.View, error) {
		return inventory.GetView(ctx, tx, kind, id)
	}), fields(viewColumns)), &kind)
}

func newViewCreate(s *Shell) *cobra.Command {
	var kind *inventory.Kind
	var filter string
	cmd := kindFlag(newAct(s, "create NAME", "Save a shared view", func(ctx context.Context, tx *db.Tx, args []string) (inventory.View, error) {
		if !json.Valid([]byte(filter)) {
			return inventory.View{}, Usage("--filter is not JSON")
		}
		in := inventory.ViewInput{Name: args[0], Visibility: "shared", Filter: inventory.FilterInput(filter)}
		return inventory.CreateView(ctx, tx, kind, in)
	}, fields(viewColumns)), &kind)
	cmd.Long = "Save a view that the org unit shares. Personal views belong to users, who make them over HTTP."
	cmd.Flags().StringVar(&filter, "filter", "{}", "filter of the view, in JSON")
	return cmd
}

func newViewDelete(s *Shell) *cobra.Command {
	var kind *inventory.Kind
	return kindFlag(newRemove(s, "delete ID", "Delete a shared view", "Delete the view %[1]s?",
		byID("view", deleted(func(ctx context.Context, tx *db.Tx, id ids.ID) error { return inventory.DeleteView(ctx, tx, kind, id) }))), &kind)
}

var viewColumns = columns("Name, Visibility, Filter, ID",
	Column[inventory.View]{Header: "Filter", Cell: func(v inventory.View) string {
		// A filter of plain values always has a JSON form.
		filter, _ := json.Marshal(v.Filter)
		return string(filter)
	}},
)
