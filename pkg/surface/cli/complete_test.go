package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// completions are the words that a shell would offer.
func (d *desk) completions(line string) []string {
	d.t.Helper()
	words := split(strings.ReplaceAll(line, "~", "''"))
	got := assessctl(append([]string{"__complete", words[0], "--config", d.settings, "--actor", "tester"}, words[1:]...)...)
	words = nil
	for line := range strings.Lines(got.out.String()) {
		if word, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); !strings.HasPrefix(word, ":") {
			words = append(words, word)
		}
	}
	return words
}

// Names come from the database, where the call would work.
func TestCompletionKnowsNames(t *testing.T) {
	t.Parallel()
	d := examDesk(t)
	d.must("group create 'Class 7b'" + north)
	for line, want := range map[string]string{
		"evaluation show ~":                      "geo-1",
		"evaluation show ge":                     "geo-1",
		"group show Cl":                          "Class 7b",
		"group add 'Class 7b' ~":                 "p7@example.org",
		"group add 'Class 7b' ada@example.org ~": "p7@example.org",
		"submission list --evaluation ~":         "geo-1",
		"report summary --evaluation-version ~":  "geo-1",
		"submission list --user p7":              "p7@example.org",
		"role grant ada@example.org ~":           "author",
	} {
		first, rest, _ := strings.Cut(line, " ")
		got := d.completions(first + north + " " + rest)
		if !slices.Contains(got, want) {
			t.Errorf("%s: got %v, want %s among them", line, got, want)
		}
	}
	if got := d.completions("evaluation list --tenant ~"); !slices.Contains(got, "northwind") {
		t.Errorf("--tenant: got %v", got)
	}
	if got := d.completions("evaluation list --tenant northwind --org ~"); !slices.Contains(got, "north") {
		t.Errorf("--org: got %v", got)
	}
	if got := d.completions("evaluation show --tenant nowhere --org north ~"); len(got) != 0 {
		t.Errorf("in a tenant that is not there: got %v", got)
	}
}

// Every word with completion is an argument or a flag of some command, and its noun can be completed.
func TestCompletedWordsAreNouns(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	s, _ := piped(FormatTable)
	eachCommand(newRoot(s), func(c *cobra.Command) {
		for _, word := range useWords(c.Use) {
			used[strings.ToLower(strings.Trim(word, "[]"))] = true
		}
		for name := range completed {
			used[name] = used[name] || c.Flags().Lookup(name) != nil || c.Name() == name
		}
		c.Flags().VisitAll(func(f *pflag.Flag) { used[f.Value.Type()] = true })
		for word := range meant {
			used[word] = used[word] || c.Flags().Lookup(word) != nil
		}
	})
	for word, noun := range meant {
		if !used[word] || completed[noun] == nil {
			t.Errorf("%s stands for %s, and is used %v", word, noun, used[word])
		}
	}
	for noun := range completed {
		if !used[noun] {
			t.Errorf("nobody asks for a %s", noun)
		}
	}
}
