package cli

import (
	"context"

	"github.com/spf13/cobra"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/scoring"
)

func newQuestion(s *Shell) *cobra.Command {
	g := group("question", "List, show and publish questions, take them out of use and back",
		newQuestionList(s), newQuestionShow(s), newQuestionPublish(s), newQuestionConvert(s))
	g.AddCommand(versions(s, questionHistory)...)
	g.AddCommand(lifecycle(s, questionShelf)...)
	return g
}

// questionWords is what a list of questions is asked for in words that are yet to be found.
type questionWords struct {
	terms   termFlags
	passage string
}

func newQuestionList(s *Shell) *cobra.Command {
	var filter authoring.QuestionFilter
	var asked questionWords
	cmd := newList(s, "list", "List questions", &filter.Page,
		func(ctx context.Context, tx *db.Tx, _ []string) (db.List[authoring.QuestionSummary], error) {
			err := asked.find(ctx, tx, &filter)
			if err != nil {
				return db.List[authoring.QuestionSummary]{}, err
			}
			return authoring.ListQuestions(ctx, tx, filter)
		}, questionColumns)
	stockFlags(cmd, &filter.Status, &filter.Search, &filter.Sort, "words of the text in any language, or the external id")
	asked.terms.bind(cmd, "questions", &filter.IncludeDescendants)
	flags := cmd.Flags()
	flags.Var(&choice{(*string)(&filter.QType), scoring.QTypes()}, "qtype", scoring.InWords(scoring.QTypes()))
	optional(cmd, &filter.ContributesToScore, "contributes", "questions that count for the score; --contributes=false: survey items", flags.Bool)
	flags.StringVar(&asked.passage, "passage", "", "id or external id of a passage; the questions about it")
	return cmd
}

func (w questionWords) find(ctx context.Context, tx *db.Tx, filter *authoring.QuestionFilter) error {
	var err error
	filter.TermsAny, filter.TermsAll, err = w.terms.find(ctx, tx)
	if err != nil {
		return err
	}
	return ifNamed(ctx, tx, w.passage, findPassage, &filter.PassageID)
}

var questionColumns = columns("ExternalID, QType = Type, Text, ContributesToScore = Scored, Status, Number = Version, ID*",
	Column[authoring.QuestionSummary]{Header: "Status", Cell: func(q authoring.QuestionSummary) string { return stage(q.Status, q.HasDraft) },
		Colour: func(q authoring.QuestionSummary) Colour { return statusColour(q.Status) }},
)

// stage tells a published thing with a newer draft from one without.
func stage(status string, hasDraft bool) string {
	if status == "published" && hasDraft {
		return "published, draft"
	}
	return status
}

// orID gives the id of what has no external id.
func orID(externalID string, id ids.ID) string {
	if externalID == "" {
		return id.String()
	}
	return externalID
}
