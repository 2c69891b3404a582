package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"assess/pkg/exam/inventory"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// shelf is one of the inventories as the command line speaks of it.
type shelf struct {
	kind *inventory.Kind
	noun string
	// find takes an id or an external id.
	find func(ctx context.Context, tx *db.Tx, word string) (ids.ID, error)
	// usage gives what `usage` prints.
	usage func(ctx context.Context, tx *db.Tx, id ids.ID) (any, []reference, error)
}

var (
	questionShelf   = shelf{inventory.Questions, "question", findQuestion, questionReferences}
	passageShelf    = shelf{inventory.Passages, "passage", findPassage, passageReferences}
	evaluationShelf = shelf{inventory.Evaluations, "evaluation", findEvaluation, evaluationReferences}
)

// lifecycle gives the commands that take one thing of a shelf out of use and back.
func lifecycle(s *Shell, of shelf) []*cobra.Command {
	return []*cobra.Command{newArchive(s, of), newRestore(s, of), newDelete(s, of), newUsage(s, of)}
}

func newArchive(s *Shell, of shelf) *cobra.Command {
	cmd := &cobra.Command{Use: "archive ID|EXTERNAL-ID", Short: "Archive a " + of.noun, Args: cobra.ExactArgs(1)}
	if of.kind == inventory.Evaluations {
		cmd.Short = "Archive an evaluation and close its active sessions"
	}
	return s.moves(cmd, of, "Archive", inventory.Archive)
}

func newRestore(s *Shell, of shelf) *cobra.Command {
	cmd := &cobra.Command{Use: "restore ID|EXTERNAL-ID", Short: "Give an archived " + of.noun + " back the status that it had", Args: cobra.ExactArgs(1)}
	return s.moves(cmd, of, "", inventory.Restore)
}

// moves runs a change of status; ask is the verb of the question before it, if any.
func (s *Shell) moves(cmd *cobra.Command, of shelf, ask string, do func(context.Context, *db.Tx, *inventory.Kind, ids.ID) (inventory.Lifecycle, error)) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if ask != "" {
			err := s.confirm(cmd.Context(), "%s the %s %s?", ask, of.noun, args[0])
			if err != nil {
				return err
			}
		}
		return changed(s, cmd, args, func(tx *db.Tx) (inventory.Lifecycle, error) {
			id, err := of.find(cmd.Context(), tx, args[0])
			if err != nil {
				return inventory.Lifecycle{}, err
			}
			return do(cmd.Context(), tx, of.kind, id)
		}, lifecycleColumns...)
	}
	return s.changes(cmd)
}

var lifecycleColumns = columns[inventory.Lifecycle]("ID, Status, Changed, ClosedSessions")

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// removed is the result of a deletion.
type removed struct {
	ID      ids.ID `json:"id"`
	Deleted bool   `json:"deleted"`
}

func newDelete(s *Shell, of shelf) *cobra.Command {
	return s.changes(&cobra.Command{
		Use:   "delete ID|EXTERNAL-ID",
		Short: "Delete a " + of.noun + " that nothing refers to, or archive it",
		Long: "Delete a " + of.noun + " that nothing refers to. What is in use is archived instead; exit code 5\n" +
			"says so, and usage names what refers to it.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := s.confirm(cmd.Context(), "Delete the %s %s?", of.noun, args[0])
			if err != nil {
				return err
			}
			gone, err := write(s, cmd, args, func(tx *db.Tx) (removed, error) {
				id, err := of.find(cmd.Context(), tx, args[0])
				if err != nil {
					return removed{}, err
				}
				return removed{id, true}, inventory.Delete(cmd.Context(), tx, of.kind, id)
			})
			if err != nil {
				return s.explainUse(err)
			}
			return PrintOne(s, gone, removedColumn)
		},
	})
}

// explainUse adds the counts to the message that people read; JSON has them as details.
func (s *Shell) explainUse(err error) error {
	e := errs.Of(err)
	if s.Format == FormatJSON || !slices.Contains([]errs.Code{errs.QuestionInUse, errs.PassageInUse, errs.EvaluationInUse}, e.Code) {
		return err
	}
	for _, line := range sortedCounts(e.Details) {
		s.Note("  %s", line)
	}
	return err
}
