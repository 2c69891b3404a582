package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assess/pkg/kernel/spelling"
)

// pathFlags name files and folders, which go by their bytes.
var pathFlags = []string{"against", "config", "database-url", "file", "html", "identifiers", "ledger", "out", "receipt"}

// spell gives the words of a call the one spelling that names have everywhere, except names of files.
func spell(c *cobra.Command) {
	run := c.RunE
	if run == nil {
		return
	}
	c.RunE = func(cmd *cobra.Command, args []string) error {
		var err error
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if err == nil && !slices.Contains(pathFlags, f.Name) {
				err = spellFlag(f)
			}
		})
		spelt := slices.Clone(args)
		_, places, _ := strings.Cut(cmd.Use, " ")
		words := strings.Fields(places)
		for i := range spelt {
			if len(words) > 0 && isPath(words[min(i, len(words)-1)]) {
				continue
			}
			if err == nil {
				spelt[i], err = spellWord(spelt[i], strings.Trim(places, "[]. "))
			}
		}
		if err != nil {
			return err
		}
		return run(cmd, spelt)
	}
}

func isPath(word string) bool {
	return slices.ContainsFunc([]string{"FILE", "FOLDER", "DIR", "PATH"}, func(kind string) bool { return strings.Contains(word, kind) })
}

func spellFlag(f *pflag.Flag) error {
	value := f.Value
	if one, is := value.(*noticed); is {
		value = one.Value
	}
	several, is := value.(pflag.SliceValue)
	switch {
	case is && strings.HasPrefix(f.Value.Type(), "string"):
		all := several.GetSlice()
		for i, word := range all {
			var err error
			all[i], err = spellWord(word, "--"+f.Name)
			if err != nil {
				return err
			}
		}
		return several.Replace(all)
	case f.Value.Type() != "string":
		return nil
	}
	word, err := spellWord(f.Value.String(), "--"+f.Name)
	if err != nil || word == f.Value.String() {
		return err
	}
	return f.Value.Set(word)
}

func spellWord(word, what string) (string, error) {
	name := spelling.Name(word)
	if strings.TrimSpace(name) == "" && strings.TrimSpace(word) != "" {
		return "", Usage("%s: it holds nothing that can be seen", what)
	}
	return name, nil
}
