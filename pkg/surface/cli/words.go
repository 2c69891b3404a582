package cli

import (
	"maps"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// takes checks how many words a call has by the use line of its command: "create EVALUATION
// TARGET-TYPE [TARGET...]" takes two or more. A flag ends the words.
func takes(use string) cobra.PositionalArgs {
	least, most, more := 0, 0, false
	for _, word := range useWords(use) {
		most++
		if !strings.HasPrefix(word, "[") {
			least++
		}
		more = more || strings.Contains(word, "...")
	}
	switch {
	case more:
		return cobra.MinimumNArgs(least)
	case least < most:
		return cobra.RangeArgs(least, most)
	}
	return cobra.ExactArgs(most)
}

func useWords(use string) []string {
	words := strings.Fields(use)[1:]
	for i, word := range words {
		if strings.Contains(word, "--") || word == "|" {
			return words[:i]
		}
	}
	return words
}

// checkIDs refuses a word in the place of an ID, or of a SUBMISSION-ID, that is not one.
func checkIDs(cmd *cobra.Command, args []string) error {
	for i, word := range useWords(cmd.Use) {
		noun, isID := strings.CutSuffix(word, "-ID")
		if word == "ID" {
			noun, isID = cmd.Parent().Name(), true
		}
		if !isID || noun == "EXTERNAL" || strings.Contains(word, "|") {
			continue
		}
		noun = strings.ToLower(strings.ReplaceAll(noun, "-", " "))
		_, err := recordID(noun, args[i])
		if err != nil {
			return err
		}
	}
	return nil
}

// said is what a call says about itself, except its idempotency key and the flags of all commands.
func said(cmd *cobra.Command, args []string) any {
	flags := map[string]string{}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != idempotencyKey && cmd.InheritedFlags().Lookup(f.Name) == nil {
			flags[f.Name] = f.Value.String()
		}
	})
	return struct {
		Words []string
		Flags map[string]string
	}{args, flags}
}

// Marks that a command can have.
const (
	// tenantWide marks a command, or a group of them, whose records belong to the whole tenant:
	// it goes without --org, or with none at all.
	tenantWide = "tenant-wide"
	// question is the question that a command asks before it does something for good.
	question = "question"
	// printsSecret marks a command whose result holds a secret, which is not stored in clear.
	printsSecret = "prints-secret"
)

func marked(cmd *cobra.Command, mark, value string) *cobra.Command {
	cmd.Annotations = maps.Clone(cmd.Annotations)
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	cmd.Annotations[mark] = value
	return cmd
}

func wide(cmd *cobra.Command) *cobra.Command       { return marked(cmd, tenantWide, "yes") }
func everywhere(cmd *cobra.Command) *cobra.Command { return marked(cmd, tenantWide, "only") }
func secret(cmd *cobra.Command) *cobra.Command     { return marked(cmd, printsSecret, "yes") }

// asking lets a command ask first; the words of the call are %[1]s, %[2]s.
func asking(cmd *cobra.Command, text string) *cobra.Command { return marked(cmd, question, text) }

// askFirst asks the question that a command is marked with.
func (s *Shell) askFirst(cmd *cobra.Command, args []string) error {
	text := cmd.Annotations[question]
	if text == "" {
		return nil
	}
	words := make([]any, len(args))
	for i := range args {
		words[i] = args[i]
	}
	return s.confirm(cmd.Context(), text, words...)
}

// settleScope lets a marked command run without --org, and makes a command that works only on the whole tenant
// do so, even if ASSESS_ORG is set.
func (s *Shell) settleScope(cmd *cobra.Command) error {
	for c := cmd; c != nil; c = c.Parent() {
		switch c.Annotations[tenantWide] {
		case "yes":
			s.AllOrgs = s.AllOrgs || s.Org == ""
		case "only":
			if s.flags.Changed("org") {
				return Usage("%s works on the whole tenant: leave --org out", cmd.CommandPath())
			}
			s.AllOrgs, s.Org = true, ""
		}
	}
	return nil
}
