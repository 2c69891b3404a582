package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

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
