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
	// usage gives the output of `usage`.
	usage func(ctx context.Context, tx *db.Tx, id ids.ID) (references, error)
}

var (
	questionShelf   = shelf{inventory.Questions, "question", findQuestion, questionReferences}
	passageShelf    = shelf{inventory.Passages, "passage", findPassage, passageReferences}
	evaluationShelf = shelf{inventory.Evaluations, "evaluation", findEvaluation, evaluationReferences}
)

// lifecycle gives the commands that take one thing of a shelf out of use and back.
func lifecycle(s *Shell, of shelf) []*cobra.Command {
	moves := func(do func(context.Context, *db.Tx, *inventory.Kind, ids.ID) (inventory.Lifecycle, error)) work[inventory.Lifecycle] {
		return found(of.noun, of.find, func(ctx context.Context, tx *db.Tx, id ids.ID) (inventory.Lifecycle, error) {
			return do(ctx, tx, of.kind, id)
		})
	}
	archived := "Archive a " + of.noun
	if of.kind == inventory.Evaluations {
		archived = "Archive an evaluation and close its active sessions"
	}
	return []*cobra.Command{
		asking(newAct(s, "archive ID|EXTERNAL-ID", archived, moves(inventory.Archive), fields(lifecycleColumns)), "Archive the "+of.noun+" %[1]s?"),
		newAct(s, "restore ID|EXTERNAL-ID", "Give an archived "+of.noun+" back the status that it had", moves(inventory.Restore), fields(lifecycleColumns)),
		newDelete(s, of),
		newShow(s, "usage ID|EXTERNAL-ID", "Say what refers to the "+of.noun, found(of.noun, of.find, of.usage), drawnAs(
			func(r references) any { return r.usage },
			func(screen *Screen, r references) error { return Table(screen, r.lines, referenceColumns...) })),
	}
}

var lifecycleColumns = columns[inventory.Lifecycle]("ID, Status, Changed, ClosedSessions")

func newDelete(s *Shell, of shelf) *cobra.Command {
	cmd := newRemove(s, "delete ID|EXTERNAL-ID", "Delete "+articled(of.noun)+" that nothing refers to, or archive it", "Delete the "+of.noun+" %[1]s?",
		found(of.noun, of.find, deleted(func(ctx context.Context, tx *db.Tx, id ids.ID) error { return inventory.Delete(ctx, tx, of.kind, id) })))
	cmd.Long = "Delete " + articled(of.noun) + " that nothing refers to. What is in use is archived instead; exit code 5\n" +
		"says so, and usage names what refers to it."
	remove := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return s.explainUse(remove(cmd, args)) }
	return cmd
}

// explainUse adds the counts to the message that people read; JSON has them as details.
func (s *Shell) explainUse(err error) error {
	if err == nil {
		return nil
	}
	e := errs.Of(err)
	if s.Format == FormatJSON || !slices.Contains([]errs.Code{errs.QuestionInUse, errs.PassageInUse, errs.EvaluationInUse}, e.Code) {
		return err
	}
	for _, line := range sortedCounts(e.Details) {
		s.Note("  %s", line)
	}
	return err
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
