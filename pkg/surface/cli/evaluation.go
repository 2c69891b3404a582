package cli

import (
	"context"

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
	cmd := newList(s, "list", "List evaluations with their published versions", &filter.Page,
		func(ctx context.Context, tx *db.Tx, _ []string) (db.List[authoring.EvaluationSummary], error) {
			var err error
			filter.TermsAny, filter.TermsAll, err = terms.find(ctx, tx)
			if err != nil {
				return db.List[authoring.EvaluationSummary]{}, err
			}
			return authoring.ListEvaluations(ctx, tx, filter)
		}, evaluationColumns)
	stockFlags(cmd, &filter.Status, &filter.Search, &filter.Sort, "words of the title, or the external id")
	terms.bind(cmd, "evaluations", &filter.IncludeDescendants)
	return cmd
}

var evaluationColumns = columns("ExternalID, Title, Status, PublishedVersionID = Published version*",
	Column[authoring.EvaluationSummary]{Header: "Status", Colour: func(e authoring.EvaluationSummary) Colour { return statusColour(e.Status) }},
)

func statusColour(status string) Colour { return goodIf(status == "published") }

func orNone(id *ids.ID) string {
	if id == nil {
		return none
	}
	return id.String()
}
