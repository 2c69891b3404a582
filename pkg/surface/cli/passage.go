package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func newPassage(s *Shell) *cobra.Command {
	g := group("passage", "List, show and publish passages, take them out of use and back",
		s.operations("passage", newPassageShow(s), newPassagePublish(s))...)
	g.AddCommand(versions(s, passageHistory)...)
	g.AddCommand(lifecycle(s, passageShelf)...)
	return g
}

// readPassage is a passage and the questions about it.
type readPassage struct {
	passage   authoring.Passage
	questions []authoring.QuestionSummary
}

func newPassageShow(s *Shell) *cobra.Command {
	var lang string
	cmd := newShow(s, "show ID|EXTERNAL-ID", "Show a passage with the text of its newest version and the questions about it",
		found("passage", findPassage, func(ctx context.Context, tx *db.Tx, id ids.ID) (readPassage, error) {
			about, err := authoring.GetPassageQuestions(ctx, tx, id)
			if err != nil {
				return readPassage{}, err
			}
			p, err := authoring.GetPassage(ctx, tx, authoring.GetPassageInput{ID: id, LangQuery: authoring.LangQuery{Lang: lang}})
			return readPassage{p, about.Questions}, err
		}), drawnAs(func(p readPassage) any { return p.passage }, drawReadPassage))
	langFlag(cmd, &lang)
	return cmd
}

func drawReadPassage(screen *Screen, p readPassage) error {
	err := drawPassage(screen, p.passage)
	if err != nil || len(p.questions) == 0 {
		return err
	}
	screen.heading("Questions")
	return Table(screen, p.questions, questionColumns...)
}

func newPassagePublish(s *Shell) *cobra.Command {
	cmd := newAct(s, "publish ID|EXTERNAL-ID", "Publish the draft of a passage, or say all that keeps it from being published",
		found("passage", findPassage, func(ctx context.Context, tx *db.Tx, id ids.ID) (authoring.PassagePublication, error) {
			return authoring.PublishPassageDraft(ctx, tx, authoring.PublishInput{ID: id, DryRun: s.dryRun})
		}), func(s *Shell, p authoring.PassagePublication) error {
			return s.showPublication(p, p.Publication, p.Problems, func(screen *Screen) error { return drawPassage(screen, p.Passage) })
		})
	return cmd
}

func drawPassage(screen *Screen, p authoring.Passage) error {
	newest := p.Draft
	if newest == nil {
		newest = p.Published
	}
	screen.title(p.Title, p.Status, p.ID)
	fmt.Fprintf(screen, "Version %d, %s, in %s\n\n", newest.Number, newest.Status, languages(newest.Content))
	screen.text(newest.Content)
	return nil
}

// text writes the plain text of content.
func (s *Screen) text(c content.Shown) { fmt.Fprint(s, s.indented(plain(c), 0)) }

var passageColumns = columns("ExternalID, Title, Status, Number = Version, Questions, Text*, ID*",
	Column[authoring.PassageSummary]{Header: "Status", Cell: func(p authoring.PassageSummary) string { return stage(p.Status, p.HasDraft) },
		Colour: func(p authoring.PassageSummary) Colour { return statusColour(p.Status) }},
)
