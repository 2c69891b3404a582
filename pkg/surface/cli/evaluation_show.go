package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/author/authoring"
	"assess/pkg/author/pack"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func newEvaluationShow(s *Shell) *cobra.Command {
	return newShow(s, "show ID|EXTERNAL-ID", "Show an evaluation with the sections and items of its newest version",
		found("evaluation", findEvaluation, getNamed), drawn(drawNamedEvaluation))
}

// namedEvaluation is an evaluation, with its items in words for people who may read questions.
type namedEvaluation struct {
	pack.Evaluation
	names map[ids.ID]string
}

func getNamed(ctx context.Context, tx *db.Tx, id ids.ID) (namedEvaluation, error) {
	e, err := pack.GetEvaluation(ctx, tx, id)
	if err != nil || !tx.Can(capability.QuestionsRead) {
		return namedEvaluation{Evaluation: e}, err
	}
	names, err := authoring.NamesOf(ctx, tx, newestOf(e.Evaluation).Sections)
	return namedEvaluation{e, names}, err
}

func newestOf(e authoring.Evaluation) *authoring.EvaluationVersion {
	if e.Draft != nil {
		return e.Draft
	}
	return e.Published
}

func newEvaluationPublish(s *Shell) *cobra.Command {
	cmd := newAct(s, "publish ID|EXTERNAL-ID", "Publish the draft of an evaluation, or say all that keeps it from being published",
		found("evaluation", findEvaluation, func(ctx context.Context, tx *db.Tx, id ids.ID) (authoring.EvaluationPublication, error) {
			return authoring.PublishEvaluationDraft(ctx, tx, authoring.PublishInput{ID: id, DryRun: s.dryRun})
		}), func(s *Shell, e authoring.EvaluationPublication) error {
			return s.showPublication(e, e.Publication, e.Problems, func(screen *Screen) error { return drawEvaluation(screen, e.Evaluation, nil) })
		})
	return cmd
}

// drawNamedEvaluation says at the end which pack an evaluation came with.
func drawNamedEvaluation(screen *Screen, e namedEvaluation) error {
	err := drawEvaluation(screen, e.Evaluation.Evaluation, e.names)
	if err == nil && e.Pack != nil {
		fmt.Fprintf(screen, "\nFrom the pack %s, revision %d (%s), installed %s\n", clean(e.Pack.LibraryName), e.Pack.RevisionNumber, e.Pack.State, moment(e.Pack.InstalledAt))
	}
	return err
}

func drawEvaluation(screen *Screen, e authoring.Evaluation, names map[ids.ID]string) error {
	screen.title(e.Title, e.Status, e.ID)
	newest := newestOf(e)
	fmt.Fprintf(screen, "Version %d, %s\n", newest.Number, newest.Status)
	for i, section := range newest.Sections {
		title := sectionTitle(section.Title, i)
		if section.TimeLimitSeconds != nil {
			title += fmt.Sprintf(" (%d s)", *section.TimeLimitSeconds)
		}
		screen.heading(title)
		err := Table(screen, section.Items, itemColumns(names)...)
		if err != nil {
			return err
		}
	}
	return nil
}

// title begins the display of one question, passage or evaluation.
func (s *Screen) title(name, status string, id ids.ID) {
	fmt.Fprintf(s, "%s %s\n%s\n", s.Paint(Strong, clean(name)), s.Paint(statusColour(status), status), s.Paint(Faint, id.String()))
}

func sectionTitle(title string, i int) string {
	if title == "" {
		return fmt.Sprintf("Section %d", i+1)
	}
	return title
}

func itemColumns(names map[ids.ID]string) []Column[authoring.Item] {
	said := func(id ids.ID) string {
		if name := strings.Join(strings.Fields(names[id]), " "); name != "" {
			return shorten(name)
		}
		return id.String()
	}
	return []Column[authoring.Item]{
		{Header: "Kind", Cell: kindOf},
		{Header: "Shows", Cell: func(i authoring.Item) string {
			switch kindOf(i) {
			case "draw":
				return fmt.Sprintf("%d of %s", i.Draw.Count, words(i.Draw.TaxonomyTermIDs, said))
			case "passage":
				return said(i.PassageID)
			}
			return said(i.QuestionID)
		}},
		{Header: "Weight", Cell: func(i authoring.Item) string {
			if i.Weight == nil {
				return none
			}
			return strconv.FormatFloat(*i.Weight, 'g', -1, 64)
		}},
		{Header: "Id", Spare: true, Cell: func(i authoring.Item) string {
			switch kindOf(i) {
			case "draw":
				return i.ID.String()
			case "passage":
				return i.PassageID.String()
			}
			return i.QuestionID.String()
		}},
	}
}

func kindOf(i authoring.Item) string {
	switch {
	case i.Draw != nil:
		return "draw"
	case i.PassageID != ids.None:
		return "passage"
	}
	return "question"
}
