package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"assess/pkg/author/authoring"
	"assess/pkg/author/pack"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func newEvaluationShow(s *Shell) *cobra.Command {
	return newShow(s, "show ID|EXTERNAL-ID", "Show an evaluation with the sections and items of its newest version",
		found("evaluation", findEvaluation, pack.GetEvaluation), drawn(drawPackedEvaluation))
}

func newEvaluationPublish(s *Shell) *cobra.Command {
	cmd := newAct(s, "publish ID|EXTERNAL-ID", "Publish the draft of an evaluation, or say all that keeps it from being published",
		found("evaluation", findEvaluation, func(ctx context.Context, tx *db.Tx, id ids.ID) (authoring.EvaluationPublication, error) {
			return authoring.PublishEvaluationDraft(ctx, tx, authoring.PublishInput{ID: id, DryRun: s.dryRun})
		}), func(s *Shell, e authoring.EvaluationPublication) error {
			return s.showPublication(e, e.Publication, e.Problems, func(screen *Screen) error { return drawEvaluation(screen, e.Evaluation) })
		})
	return cmd
}

// drawPackedEvaluation says at the end which pack an evaluation came with.
func drawPackedEvaluation(screen *Screen, e pack.Evaluation) error {
	err := drawEvaluation(screen, e.Evaluation)
	if err == nil && e.Pack != nil {
		fmt.Fprintf(screen, "\nFrom the pack %s, revision %d (%s), installed %s\n", clean(e.Pack.LibraryName), e.Pack.RevisionNumber, e.Pack.State, moment(e.Pack.InstalledAt))
	}
	return err
}

func drawEvaluation(screen *Screen, e authoring.Evaluation) error {
	screen.title(e.Title, e.Status, e.ID)
	newest := e.Draft
	if newest == nil {
		newest = e.Published
	}
	fmt.Fprintf(screen, "Version %d, %s\n", newest.Number, newest.Status)
	for i, section := range newest.Sections {
		title := sectionTitle(section.Title, i)
		if section.TimeLimitSeconds != nil {
			title += fmt.Sprintf(" (%d s)", *section.TimeLimitSeconds)
		}
		screen.heading(title)
		err := Table(screen, section.Items, itemColumns...)
		if err != nil {
			return err
		}
	}
	return nil
}

// title begins what is shown of one question, passage or evaluation.
func (s *Screen) title(name, status string, id ids.ID) {
	fmt.Fprintf(s, "%s %s\n%s\n", s.Paint(Strong, clean(name)), s.Paint(statusColour(status), status), s.Paint(Faint, id.String()))
}

func sectionTitle(title string, i int) string {
	if title == "" {
		return fmt.Sprintf("Section %d", i+1)
	}
	return title
}

var itemColumns = []Column[authoring.Item]{
	{Header: "Kind", Cell: func(i authoring.Item) string { return kindOf(i) }},
	{Header: "Shows", Cell: func(i authoring.Item) string {
		switch kindOf(i) {
		case "draw":
			return fmt.Sprintf("%d of %s", i.Draw.Count, words(i.Draw.TaxonomyTermIDs, ids.ID.String))
		case "passage":
			return i.PassageID.String()
		}
		return i.QuestionID.String()
	}},
	{Header: "Weight", Cell: func(i authoring.Item) string {
		if i.Weight == nil {
			return none
		}
		return strconv.FormatFloat(*i.Weight, 'g', -1, 64)
	}},
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
