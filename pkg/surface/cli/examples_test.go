package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestEveryCommandHasAnExample(t *testing.T) {
	t.Parallel()
	s, _ := piped(FormatTable)
	eachCommand(newRoot(s), func(c *cobra.Command) {
		if !isGroup(c) && c.Example == "" {
			t.Errorf("examples.txt has no call of %s", c.CommandPath())
		}
	})
}

// Each example is a call that its command takes: flags that exist, with values that they take, and as many
// arguments as it wants.
func TestExamplesAreCalls(t *testing.T) {
	t.Parallel()
	lines := slices.Collect(strings.Lines(examplesText))
	if !slices.IsSortedFunc(lines, func(a, b string) int {
		return strings.Compare(a[strings.Index(a, "assessctl "):], b[strings.Index(b, "assessctl "):])
	}) {
		t.Error("examples.txt is not in the order of the alphabet")
	}
	names := regexp.MustCompile(`\$[A-Z_]+`)
	for _, line := range lines {
		line = strings.TrimSpace(line)
		s, _ := piped(FormatTable)
		root := newRoot(s)
		c, rest := called(root, names.ReplaceAllString(line, "01a1fbc1-578d-7a4f-89c6-163d741ecbbd"))
		if isGroup(c) {
			t.Errorf("%s: no such command", line)
			continue
		}
		err := c.ParseFlags(split(rest))
		if err == nil {
			err = c.ValidateRequiredFlags()
		}
		if err == nil {
			err = c.ValidateFlagGroups()
		}
		if err == nil {
			err = c.ValidateArgs(c.Flags().Args())
		}
		if err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}
