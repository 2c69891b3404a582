package cli

import (
	_ "embed"
	"strings"

	"github.com/spf13/cobra"
)

// examplesText has at least one call of each command that does something, in the order of the alphabet.
// Where a call works (--tenant, --org) comes from the environment in most of them.
//
//go:embed examples.txt
var examplesText string

// addExamples shows each call in the help of its command.
func addExamples(root *cobra.Command) {
	for line := range strings.Lines(examplesText) {
		line = strings.TrimSpace(line)
		c, _ := called(root, line)
		if c.Example != "" {
			c.Example += "\n"
		}
		c.Example += "  " + line
	}
}

// called finds the command of a call, and its arguments. Anything that a shell would do around the call is not
// part of it.
func called(root *cobra.Command, line string) (*cobra.Command, string) {
	_, rest, _ := strings.Cut(line, root.Name()+" ")
	for _, end := range []string{" > ", " && ", ")"} {
		if before, _, found := strings.Cut(rest, end); found && strings.Count(before, "'")%2 == 0 {
			rest = before
		}
	}
	c := root
	for {
		word, after, _ := strings.Cut(rest, " ")
		next := child(c, word)
		if next == nil {
			return c, rest
		}
		c, rest = next, after
	}
}

func child(c *cobra.Command, name string) *cobra.Command {
	for _, sub := range c.Commands() {
		if sub.Name() == name {
			return sub
		}
	}
	return nil
}
