package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/author/authoring"
	"assess/pkg/kernel/ids"
)

func newQuestion(s *Shell) *cobra.Command {
	g := group("question", "List, show and publish questions, take them out of use and back",
		s.operations("question", newQuestionShow(s), newQuestionPublish(s), newQuestionConvert(s))...)
	g.AddCommand(versions(s, questionHistory)...)
	g.AddCommand(lifecycle(s, questionShelf)...)
	return g
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

// orID gives the external id of a record, or its id if it has none.
func orID(externalID string, id ids.ID) string {
	if externalID == "" {
		return id.String()
	}
	return externalID
}
