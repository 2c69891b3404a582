package cli

import (
	"encoding/json"

	"github.com/spf13/cobra"

	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
)

func newView(s *Shell) *cobra.Command {
	return group("view", "Keep saved views of questions and evaluations", newViewList(s), newViewShow(s), newViewCreate(s), newViewDelete(s))
}

// ofKind gives a command the flag that says which inventory it is about.
func ofKind(cmd *cobra.Command, kind *string) *cobra.Command {
	cmd.Flags().StringVar(kind, "kind", "questions", "questions or evaluations")
	return cmd
}

func newViewList(s *Shell) *cobra.Command {
	var kind string
	var page db.Page
	return ofKind(pages(&cobra.Command{
		Use:   "list",
		Short: "List the shared views",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			k, err := inventoryKind(kind)
			if err != nil {
				return err
			}
			return printedList(s, cmd, func(tx *db.Tx) (db.List[inventory.View], error) {
				return inventory.ListViews(cmd.Context(), tx, k, page)
			}, viewColumns...)
		},
	}, &page), &kind)
}

func newViewShow(s *Shell) *cobra.Command {
	var kind string
	return ofKind(&cobra.Command{
		Use:   "show ID",
		Short: "Show a view",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := inventoryKind(kind)
			if err != nil {
				return err
			}
			id, err := recordID("view", args[0])
			if err != nil {
				return err
			}
			return printed(s, cmd, func(tx *db.Tx) (inventory.View, error) {
				return inventory.GetView(cmd.Context(), tx, k, id)
			}, viewColumns...)
		},
	}, &kind)
}

func newViewCreate(s *Shell) *cobra.Command {
	var kind, filter string
	cmd := ofKind(&cobra.Command{
		Use:     "create NAME",
		Short:   "Save a shared view",
		Long:    "Save a view that the org unit shares. Personal views belong to users, who make them over HTTP.",
		Example: `  assessctl view create 'Drafts' --filter '{"status.draft": true}' --tenant northwind --org north`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := inventoryKind(kind)
			if err != nil {
				return err
			}
			if !json.Valid([]byte(filter)) {
				return Usage("--filter is not JSON")
			}
			in := inventory.ViewInput{Name: args[0], Visibility: "shared", Filter: inventory.FilterInput(filter)}
			return changed(s, cmd, in, func(tx *db.Tx) (inventory.View, error) {
				return inventory.CreateView(cmd.Context(), tx, k, in)
			}, viewColumns...)
		},
	}, &kind)
	cmd.Flags().StringVar(&filter, "filter", "{}", "filter of the view, in JSON")
	return s.changes(cmd)
}

func newViewDelete(s *Shell) *cobra.Command {
	var kind string
	return s.changes(ofKind(&cobra.Command{
		Use:   "delete ID",
		Short: "Delete a shared view",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := inventoryKind(kind)
			if err != nil {
				return err
			}
			id, err := recordID("view", args[0])
			if err != nil {
				return err
			}
			err = s.confirm(cmd.Context(), "Delete the view %s?", id)
			if err != nil {
				return err
			}
			return changed(s, cmd, id, func(tx *db.Tx) (removed, error) {
				return removed{id, true}, inventory.DeleteView(cmd.Context(), tx, k, id)
			}, removedColumn)
		},
	}, &kind))
}

var viewColumns = columns("Name, Visibility, Filter, ID",
	Column[inventory.View]{Header: "Filter", Cell: func(v inventory.View) string {
		// A filter of plain values always has a JSON form.
		filter, _ := json.Marshal(v.Filter)
		return string(filter)
	}},
)

var removedColumn = Column[removed]{Header: "Deleted", Cell: func(r removed) string { return r.ID.String() }}
