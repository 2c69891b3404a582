package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/content"
	"assess/pkg/kernel/db"
)

func newPassage(s *Shell) *cobra.Command {
	g := group("passage", "List, show and publish passages, take them out of use and back",
		newPassageList(s), newPassageShow(s), newPassagePublish(s))
	g.AddCommand(versions(s, passageHistory)...)
	g.AddCommand(lifecycle(s, passageShelf)...)
	return g
}

func newPassageList(s *Shell) *cobra.Command {
	var filter authoring.PassageFilter
	cmd := pages(&cobra.Command{
		Use:   "list",
		Short: "List passages and how many questions are about each",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return printedList(s, cmd, func(tx *db.Tx) (db.List[authoring.PassageSummary], error) {
				return authoring.ListPassages(cmd.Context(), tx, filter)
			}, passageColumns...)
		},
	}, &filter.Page)
	stockFlags(cmd, &filter.Status, &filter.Search, &filter.Sort, "words of the title or the text in any language, or the external id")
	cmd.Flags().StringVar(&filter.Lang, "lang", "", "language of the texts (default: the default one of each)")
	return cmd
}

func newPassageShow(s *Shell) *cobra.Command {
	var lang string
	cmd := &cobra.Command{
		Use:   "show ID|EXTERNAL-ID",
		Short: "Show a passage with the text of its newest version and the questions about it",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var about authoring.PassageQuestions
			p, err := read(cmd.Context(), s, func(tx *db.Tx) (authoring.Passage, error) {
				id, err := findPassage(cmd.Context(), tx, args[0])
				if err != nil {
					return authoring.Passage{}, err
				}
				about, err = authoring.GetPassageQuestions(cmd.Context(), tx, id)
				if err != nil {
					return authoring.Passage{}, err
				}
				return authoring.GetPassage(cmd.Context(), tx, authoring.GetPassageInput{ID: id, Lang: lang})
			})
			if err != nil {
				return unknown("passage", args[0], err)
			}
			return s.Show(p, func(screen *Screen) error {
				drawPassage(screen, p)
				if len(about.Questions) == 0 {
					return nil
				}
				screen.heading("Questions")
				return Table(screen, about.Questions, questionColumns...)
			})
		},
	}
	cmd.Flags().StringVar(&lang, "lang", "", "language of the content (default: all in JSON, the default one for people)")
	return cmd
}

func newPassagePublish(s *Shell) *cobra.Command {
	return s.changes(&cobra.Command{
		Use:     "publish ID|EXTERNAL-ID",
		Short:   "Publish the draft of a passage, or say all that keeps it from being published",
		Example: "  assessctl passage publish paris --org north --dry-run",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := write(s, cmd, args, func(tx *db.Tx) (authoring.PassagePublication, error) {
				id, err := findPassage(cmd.Context(), tx, args[0])
				if err != nil {
					return authoring.PassagePublication{}, err
				}
				return authoring.PublishPassageDraft(cmd.Context(), tx, authoring.PublishInput{ID: id, DryRun: s.dryRun})
			})
			if err != nil {
				return unknown("passage", args[0], err)
			}
			return s.showPublication(p, p.Publication, p.Problems, func(screen *Screen) error {
				drawPassage(screen, p.Passage)
				return nil
			})
		},
	})
}

func drawPassage(screen *Screen, p authoring.Passage) {
	newest := p.Draft
	if newest == nil {
		newest = p.Published
	}
	screen.title(p.Title, p.Status, p.ID)
	fmt.Fprintf(screen, "Version %d, %s, in %s\n\n", newest.Number, newest.Status, languages(newest.Content))
	screen.text(newest.Content)
}

// text writes the plain text of content.
func (s *Screen) text(c content.Shown) { fmt.Fprint(s, s.indented(plain(c), 0)) }

var passageColumns = columns("ExternalID, Title, Status, Number = Version, Questions, Text*, ID*",
	Column[authoring.PassageSummary]{Header: "Status", Cell: func(p authoring.PassageSummary) string { return stage(p.Status, p.HasDraft) },
		Colour: func(p authoring.PassageSummary) Colour { return statusColour(p.Status) }},
)
