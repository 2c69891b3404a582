package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/authoring"
	"assess/pkg/db"
	"assess/pkg/ids"
)

func newEvaluation(s *Session) *cobra.Command {
	g := group("evaluation", "List, show, preview and publish evaluations, take them out of use and back",
		newEvaluationList(s), newEvaluationShow(s), newEvaluationPreview(s), newEvaluationPublish(s))
	g.AddCommand(lifecycle(s, evaluationShelf)...)
	return g
}

func newEvaluationList(s *Session) *cobra.Command {
	var filter authoring.EvaluationFilter
	cmd := pages(&cobra.Command{
		Use:   "list",
		Short: "List evaluations with their published versions",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := read(cmd.Context(), s, func(tx *db.Tx) (db.List[authoring.EvaluationSummary], error) {
				return authoring.ListEvaluations(cmd.Context(), tx, filter)
			})
			if err != nil {
				return err
			}
			return printList(s, list, evaluationColumns...)
		},
	}, &filter.Page)
	flags := cmd.Flags()
	flags.StringVar(&filter.Status, "status", "", "draft, published or archived (default: all but archived)")
	flags.StringVar(&filter.Search, "search", "", "words of the title or the external id")
	flags.Var(&idList{&filter.TermsAny}, "any-term", "id of a term; evaluations with at least one of them; repeatable")
	flags.Var(&idList{&filter.TermsAll}, "all-terms", "id of a term; evaluations with every one of them; repeatable")
	flags.BoolVar(&filter.IncludeDescendants, "include-descendants", false, "a term stands for everything below it, too")
	flags.StringVar(&filter.Sort, "sort", "", "-updatedAt, updatedAt, -createdAt or createdAt")
	return cmd
}

var evaluationColumns = []Column[authoring.EvaluationSummary]{
	{Header: "External id", Cell: func(e authoring.EvaluationSummary) string { return e.ExternalID }},
	{Header: "Title", Cell: func(e authoring.EvaluationSummary) string { return e.Title }},
	{Header: "Status", Cell: func(e authoring.EvaluationSummary) string { return e.Status },
		Colour: func(e authoring.EvaluationSummary) Colour { return statusColour(e.Status) }},
	{Header: "Published version", Cell: func(e authoring.EvaluationSummary) string { return orNone(e.PublishedVersionID) },
		Spare: true},
}

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
