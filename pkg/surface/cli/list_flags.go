package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// stockFlags gives a list of questions, passages or evaluations the filters that all of
// them have.
func stockFlags(cmd *cobra.Command, status, search, sort *string, searched string) {
	flags := cmd.Flags()
	flags.Var(&choice{status, []string{"draft", "published", "archived"}}, "status", "draft, published or archived (default: all but archived)")
	flags.StringVar(search, "search", "", searched)
	flags.Var(&choice{sort, authoring.Sorts}, "sort", "-updatedAt, updatedAt, -createdAt or createdAt")
}

// termFlags are the terms that a list is filtered by, as people name them.
type termFlags struct{ any, all []string }

func (f *termFlags) bind(cmd *cobra.Command, nouns string, descendants *bool) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.any, "any-term", nil, "`TERM` (id or facet:slug); "+nouns+" with at least one of them; repeatable")
	flags.StringSliceVar(&f.all, "all-terms", nil, "`TERM` (id or facet:slug); "+nouns+" with every one of them; repeatable")
	flags.BoolVar(descendants, "include-descendants", false, "a term stands for everything below it, too")
}

// find gives the ids of the terms, those of --any-term first.
func (f termFlags) find(ctx context.Context, tx *db.Tx) ([]ids.ID, []ids.ID, error) {
	anyOf, err := termIDs(ctx, tx, f.any)
	if err != nil {
		return nil, nil, err
	}
	allOf, err := termIDs(ctx, tx, f.all)
	return anyOf, allOf, err
}

func termIDs(ctx context.Context, tx *db.Tx, names []string) ([]ids.ID, error) {
	var found []ids.ID
	for _, name := range names {
		id, err := termID(ctx, tx, strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		found = append(found, id)
	}
	return found, nil
}

// choice is a flag that takes one of some words.
type choice struct {
	value *string
	of    []string
}

// Set takes a word.
func (c *choice) Set(word string) error {
	if !slices.Contains(c.of, word) {
		return fmt.Errorf("expected one of %s", strings.Join(c.of, ", "))
	}
	*c.value = word
	return nil
}

// String gives the word that was taken.
func (c *choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

// Type names the values in the help.
func (c *choice) Type() string { return "string" }

// runLabelFlag narrows a list to a run; empty and absent differ.
func runLabelFlag(cmd *cobra.Command, label **string, help string) {
	optional(cmd, label, "run-label", help, cmd.Flags().String)
}

const listedRun = "only those of this run label; '' for those without one"
