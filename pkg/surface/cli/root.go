package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assess/config"
	"assess/pkg/exam/evidence"
	"assess/pkg/kernel/build"
)

const rootLong = `assessctl runs an assessment service from the command line.

It works on the database directly, through the same operations and in the same scope as
the HTTP interface: --tenant with --org or --all-orgs says where, --actor says who.
Settings come from a file (--config), the environment (ASSESS_DATABASE_URL and others)
and flags, the later ones winning; assessctl config show says what holds, and why.

Data goes to standard output, everything else to standard error. Exit codes: 0 done,
1 failed, 2 usage, 3 not found, 4 blocked by a hold, 5 conflict, 6 partly done,
130 interrupted.`

const running = "Run the service:"

// commands are all of them, in the order of the work.
func commands(s *Shell) []struct {
	title    string
	commands []*cobra.Command
} {
	return []struct {
		title    string
		commands []*cobra.Command
	}{
		{running, []*cobra.Command{newDemo(s), newDoctor(s), newMigrate(s), newDistribute(s), newConfig(s), newCompletion(s), newMan(s), newVersion(s), newLogin(s), newLogout(s)}},
		{"Say who may do what, and where:", []*cobra.Command{newTenant(s), newOrg(s), newUser(s), newGroup(s), newRole(s), newIDP(s), newLTI(s), newToken(s), newKey(s)}},
		{"Write content:", []*cobra.Command{newQuestion(s), newPassage(s), newEvaluation(s), newTaxonomy(s), newInventory(s), newView(s),
			newMedia(s), newPack(s), newLocale(s), newSkill(s), newSkillMap(s), newImport(s), newExport(s)}},
		{"Hold exams, and decide about them:", []*cobra.Command{newSubject(s), newEngagement(s), newRequirement(s), newPolicy(s), newAssignment(s),
			newSession(s), newSubmission(s), newRemediation(s), newEvidence(s), newFinding(s), newCase(s, evidence.Claims), newCase(s, evidence.Disputes)}},
		{"Read figures:", []*cobra.Command{newReport(s), newExceptions(s), newProjection(s), newPercentiles(s)}},
		{"Work together with other systems:", []*cobra.Command{newWebhook(s)}},
		{"Prove and erase:", []*cobra.Command{newLedger(s), newCompliance(s)}},
	}
}

// newRoot makes the tree of all commands.
func newRoot(s *Shell) *cobra.Command {
	root := group("assessctl", "Run an assessment service from the command line")
	for _, part := range commands(s) {
		root.AddGroup(&cobra.Group{ID: part.title, Title: part.title})
		for _, c := range part.commands {
			c.GroupID = part.title
			root.AddCommand(c)
		}
	}
	root.SetHelpCommandGroupID(running)
	root.Long = rootLong
	root.Version = build.This().Version
	root.SilenceErrors, root.SilenceUsage = true, true
	root.DisableAutoGenTag = true
	root.CompletionOptions.DisableDefaultCmd = true
	s.bind(root)
	addExamples(root)
	s.complete(root)
	eachCommand(root, func(c *cobra.Command) {
		if c.Args == nil {
			c.Args = takes(c.Use)
		}
	})
	return root
}

// group makes a command that only holds others: called without one of them, it shows its help.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	g := &cobra.Command{
		Use:   use,
		Short: short,
		Args:  noSuchCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },

		SuggestionsMinimumDistance: 2,
	}
	g.AddCommand(commands...)
	return g
}

// alsoWorks marks a command that holds others and does something by itself.
const alsoWorks = "also works"

// isGroup says whether a command only holds others.
func isGroup(c *cobra.Command) bool { return c.HasSubCommands() && c.Annotations[alsoWorks] == "" }

func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	message := fmt.Sprintf("unknown command %q for %q", args[0], cmd.CommandPath())
	if similar := cmd.SuggestionsFor(args[0]); len(similar) > 0 {
		message += "; did you mean " + strings.Join(similar, " or ") + "?"
	}
	return Usage("%s", message)
}

// execute runs one call and presents its failure.
func execute(ctx context.Context, s *Shell, root *cobra.Command, args []string) int {
	defer s.close()
	started := false
	eachCommand(root, func(c *cobra.Command) {
		spell(c)
		notice(c, &started)
		refuseExtras(c)
	})
	root.SetFlagErrorFunc(suggestFlag)
	root.SetArgs(append([]string{}, args...))
	root.SetIn(s.Input)
	root.SetOut(s.Screen)
	root.SetErr(s.Notes)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitDone
	}
	if !started {
		err = Usage("%w", err)
	}
	s.explain(cmd, err, ctx.Err() != nil)
	return exitCode(err, ctx.Err() != nil)
}

// suggestFlag adds the flag that was meant to the complaint about one that there is not.
func suggestFlag(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return fmt.Errorf("%w%s", err, config.Meant("--"+unknown.GetSpecifiedName(), names))
}

// notice records that a command began. Cobra gives its own complaints no type, but all
// of them come before that.
func notice(c *cobra.Command, started *bool) {
	run := c.RunE
	if run == nil {
		return
	}
	c.RunE = func(cmd *cobra.Command, args []string) error {
		*started = true
		return run(cmd, args)
	}
}

// refuseExtras names a word that a command has no place for. Cobra would call it an unknown
// command, even if it should have been the value of a flag.
func refuseExtras(c *cobra.Command) {
	args := c.Args
	if args == nil || c.HasSubCommands() {
		return
	}
	c.Args = func(cmd *cobra.Command, given []string) error {
		err := args(cmd, given)
		if err != nil && len(given) > 0 && args(cmd, nil) == nil && args(cmd, given[:1]) != nil {
			return Usage("%s takes flags alone: %q is none", cmd.CommandPath(), given[0])
		}
		return err
	}
}

func eachCommand(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, sub := range c.Commands() {
		eachCommand(sub, do)
	}
}
