package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/exam/programme"
)

func newEngagement(s *Shell) *cobra.Command {
	return group("engagement", "Create, change, list and delete engagements", s.operations("engagement", newEngagementList(s),
		newShow(s, "show ID", "Show one engagement", byID("engagement", programme.GetEngagement), fields(engagementColumns)),
		newEngagementCreate(s), newEngagementUpdate(s))...)
}

func newEngagementList(s *Shell) *cobra.Command {
	var filter programme.EngagementFilter
	cmd := newList(s, "list", "List engagements, newest change first", &filter.Page, with(&filter, programme.ListEngagements), engagementColumns)
	cmd.Flags().StringVar(&filter.Status, "status", "", "open or closed")
	cmd.Flags().StringVar(&filter.ExternalID, "external-id", "", "only the engagement of this external id")
	idFlag(cmd, &filter.SubjectID, "subject", "only engagements about the subject of this id")
	return cmd
}

func newEngagementCreate(s *Shell) *cobra.Command {
	var in programme.EngagementInput
	cmd := newAct(s, "create NAME", "Create an engagement", with(&in, programme.CreateEngagement, &in.Name), fields(engagementColumns))
	cmd.Flags().StringVar(&in.ExternalID, "external-id", "", "your own id, unique in the org unit")
	optionalIDFlag(cmd, &in.SubjectID, "subject", "id of the subject that it is about")
	periodFlags(cmd, &in.StartsAt, &in.EndsAt)
	return cmd
}

func newEngagementUpdate(s *Shell) *cobra.Command {
	var patch programme.EngagementPatch
	cmd := newAct(s, "update ID", "Change an engagement",
		change("engagement", &patch, programme.UpdateEngagement), fields(engagementColumns))
	newText(cmd, &patch.ExternalID, "external-id")
	newText(cmd, &patch.Name, "name")
	newText(cmd, &patch.Status, "status")
	optionalIDFlag(cmd, &patch.SubjectID, "subject", "id of the subject that it is about")
	cmd.Flags().StringSliceVar(&patch.Clear, "clear", nil, "empty a field: subjectId, startsAt or endsAt; repeatable")
	periodFlags(cmd, &patch.StartsAt, &patch.EndsAt)
	return cmd
}

var engagementColumns = columns[programme.Engagement]("ExternalID, Name, Status, StartsAt, EndsAt, SubjectID*, ID*")
