package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/exam/programme"
)

func newSubject(s *Shell) *cobra.Command {
	return group("subject", "Create, change, list and delete subjects", s.operations("subject")...)
}

func newEngagement(s *Shell) *cobra.Command {
	return group("engagement", "Create, change, list and delete engagements", s.operations("engagement")...)
}

func newRequirement(s *Shell) *cobra.Command {
	return group("requirement", "Create, change, list and delete programme requirements", s.operations("requirement")...)
}

var (
	subjectColumns     = columns[programme.Subject]("ExternalID, Name, Kind, UpdatedAt, ID*")
	engagementColumns  = columns[programme.Engagement]("ExternalID, Name, Status, StartsAt, EndsAt, SubjectID*, ID*")
	requirementColumns = columns[programme.Requirement]("ExternalID, Programme, Name, Status, EvaluationID*, ID*")
)
