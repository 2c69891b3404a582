package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/ids"
)

func newEvaluation(s *Shell) *cobra.Command {
	g := group("evaluation", "List, show, preview and publish evaluations, take them out of use and back",
		s.operations("evaluation", newEvaluationShow(s), newEvaluationPreview(s), newEvaluationPublish(s))...)
	g.AddCommand(versions(s, evaluationHistory)...)
	g.AddCommand(lifecycle(s, evaluationShelf)...)
	return g
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
