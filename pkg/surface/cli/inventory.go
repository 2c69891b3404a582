package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/plural"
)

func newInventory(s *Shell) *cobra.Command {
	return group("inventory", "Change many questions or evaluations at once", newBulk(s))
}

// bulkFlags are the flags of `inventory bulk`.
type bulkFlags struct {
	kind             *inventory.Kind
	action, file     string
	set, remove, add []string
}

const bulkLong = `Change many questions or evaluations: archive, restore, or taxonomyReplace.

Ids stand in the call, or one on a line in a file (-f; - reads standard input). Ten
thousand go in one transaction, more in several; what is done already is not done again,
so an interrupted call may be repeated. For taxonomyReplace give the whole set of terms
(--terms, empty for none), or what to take away (--remove) and what to add (--add).

Exit code 6 says that some ids could not be changed.`

func newBulk(s *Shell) *cobra.Command {
	var f bulkFlags
	cmd := &cobra.Command{
		Use:   "bulk --kind KIND --action ACTION [ID...]",
		Short: "Archive, restore or retag many questions or evaluations",
		Long:  bulkLong,
		Args:  cobra.ArbitraryArgs,
		RunE:  func(cmd *cobra.Command, args []string) error { return s.bulk(cmd, f, args) },
	}
	flags := cmd.Flags()
	kindFlag(cmd, &f.kind)
	flags.StringVar(&f.action, "action", "", "archive, restore or taxonomyReplace")
	flags.StringVarP(&f.file, "file", "f", "", "file of ids, one on a line; - reads standard input")
	flags.StringSliceVar(&f.set, "terms", nil, "ids of the terms that replace all others; empty takes all away")
	flags.StringSliceVar(&f.remove, "remove", nil, "ids of terms to take away")
	flags.StringSliceVar(&f.add, "add", nil, "ids of terms to add")
	return s.changes(cmd)
}

func (s *Shell) bulk(cmd *cobra.Command, f bulkFlags, args []string) error {
	in, err := s.bulkInput(cmd, f, args)
	if err != nil {
		return err
	}
	if in.Action != inventory.RestoreAction {
		kind := cmd.Flag("kind").Value.String()
		err := s.confirm(cmd.Context(), "%s: change %s?", in.Action, plural.Of(len(in.IDs), strings.TrimSuffix(kind, "s"), kind))
		if err != nil {
			return err
		}
	}
	out, err := s.bulkInParts(cmd, f.kind, in)
	if err != nil {
		return err
	}
	return s.printBulk(out)
}

func (s *Shell) bulkInput(cmd *cobra.Command, f bulkFlags, args []string) (inventory.BulkInput, error) {
	in := inventory.BulkInput{Action: f.action, DryRun: s.dryRun}
	words := args
	if f.file != "" {
		lines, err := s.lines(f.file)
		if err != nil {
			return in, err
		}
		words = append(words, lines...)
	}
	if len(words) == 0 {
		return in, Usage("name ids, or a file of ids with -f")
	}
	var set []ids.ID
	for _, part := range []struct {
		into  *[]ids.ID
		words []string
	}{{&in.IDs, words}, {&set, f.set}, {&in.RemoveTermIDs, f.remove}, {&in.AddTermIDs, f.add}} {
		for _, word := range part.words {
			id, err := ids.Parse("record", word)
			if err != nil {
				return in, Usage("%q is not an id", word)
			}
			*part.into = append(*part.into, id)
		}
	}
	if cmd.Flags().Changed("terms") {
		in.TaxonomyTermIDs = &set
	}
	return in, nil
}

// lines reads the words of a file, one on a line.
func (s *Shell) lines(file string) ([]string, error) {
	from := s.Input
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, Usage("%w", err)
		}
		defer f.Close()
		from = f
	}
	var words []string
	scanner := bufio.NewScanner(io.LimitReader(from, longestImport))
	for scanner.Scan() {
		if word := strings.TrimSpace(scanner.Text()); word != "" {
			words = append(words, word)
		}
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return words, nil
}

// bulkPart is how many ids go in one transaction.
const bulkPart = 10_000

// bulkInParts runs one transaction for each ten thousand ids and joins the answers.
func (s *Shell) bulkInParts(cmd *cobra.Command, k *inventory.Kind, in inventory.BulkInput) (inventory.BulkOutput, error) {
	all := inventory.BulkOutput{DryRun: in.DryRun}
	progress := s.Progress("Changing")
	defer progress.Done()
	rest, key := in.IDs, s.key
	for n := 1; len(rest) > 0; n++ {
		if key != "" && n > 1 {
			s.key = fmt.Sprintf("%s-%d", key, n)
		}
		progress.Report(int64(len(in.IDs)-len(rest)), int64(len(in.IDs)))
		part := in
		part.IDs, rest = rest[:min(bulkPart, len(rest))], rest[min(bulkPart, len(rest)):]
		out, err := write(s, cmd, part, func(tx *db.Tx) (inventory.BulkOutput, error) {
			return inventory.Bulk(cmd.Context(), tx, k, part)
		})
		if err != nil {
			return all, err
		}
		all.Join(out)
	}
	return all, nil
}

func (s *Shell) printBulk(out inventory.BulkOutput) error {
	err := PrintPage(s, out, out.Results, bulkColumns...)
	if err != nil {
		return err
	}
	sum := out.Summary
	s.Note("%d in all: %d changed, %d as before, %d failed.", sum.Total, sum.Changed, sum.Succeeded-sum.Changed, sum.Failed)
	if sum.Failed > 0 {
		return Partly("%d of %d could not be changed", sum.Failed, sum.Total)
	}
	return nil
}

var bulkColumns = columns("ID, Code = Result, Message*",
	Column[inventory.BulkResult]{Header: "Result", Colour: func(r inventory.BulkResult) Colour {
		if !r.OK {
			return Bad
		}
		if r.Changed {
			return Good
		}
		return Faint
	}},
)
