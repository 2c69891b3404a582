package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func newEvaluation(s *Shell) *cobra.Command {
	g := group("evaluation", "List, show, preview and publish evaluations, take them out of use and back",
		newEvaluationList(s), newEvaluationShow(s), newEvaluationPreview(s), newEvaluationPublish(s))
	g.AddCommand(versions(s, evaluationHistory)...)
	g.AddCommand(lifecycle(s, evaluationShelf)...)
	return g
}

func newEvaluationList(s *Shell) *cobra.Command {
	var filter authoring.EvaluationFilter
	var terms termFlags
	cmd := pages(&cobra.Command{
		Use:   "list",
		Short: "List evaluations with their published versions",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return printedList(s, cmd, func(tx *db.Tx) (db.List[authoring.EvaluationSummary], error) {
				var err error
				filter.TermsAny, filter.TermsAll, err = terms.find(cmd.Context(), tx)
				if err != nil {
					return db.List[authoring.EvaluationSummary]{}, err
				}
				return authoring.ListEvaluations(cmd.Context(), tx, filter)
			}, evaluationColumns...)
		},
	}, &filter.Page)
	stockFlags(cmd, &filter.Status, &filter.Search, &filter.Sort, "words of the title, or the external id")
	terms.bind(cmd, "evaluations", &filter.IncludeDescendants)
	return cmd
}

var evaluationColumns = columns("ExternalID, Title, Status, Published version",
	Column[authoring.EvaluationSummary]{Header: "Status", Cell: func(e authoring.EvaluationSummary) string { return e.Status },
		Colour: func(e authoring.EvaluationSummary) Colour { return statusColour(e.Status) }},
	Column[authoring.EvaluationSummary]{Header: "Published version", Cell: func(e authoring.EvaluationSummary) string { return orNone(e.PublishedVersionID) },
		Spare: true},
)

func statusColour(status string) Colour {
	if status == "published" {
		return Good
	}
	return Faint
}

func orNone(id *ids.ID) string {
	if id == nil {
		return none
	}
	return id.String()
}
