package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/exam/programme"
	"assess/pkg/kernel/db"
)

func newEngagement(s *Shell) *cobra.Command {
	return group("engagement", "Create, change and list engagements",
		newEngagementList(s), newEngagementShow(s), newEngagementCreate(s), newEngagementUpdate(s))
}

func newEngagementList(s *Shell) *cobra.Command {
	var filter programme.EngagementFilter
	cmd := pages(&cobra.Command{
		Use:   "list",
		Short: "List engagements, newest change first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return printedList(s, cmd, func(tx *db.Tx) (db.List[programme.Engagement], error) {
				return programme.ListEngagements(cmd.Context(), tx, filter)
			}, engagementColumns...)
		},
	}, &filter.Page)
	cmd.Flags().StringVar(&filter.Status, "status", "", "open or closed")
	cmd.Flags().StringVar(&filter.ExternalID, "external-id", "", "only the engagement of this external id")
	idFlag(cmd, &filter.SubjectID, "subject", "only engagements about the subject of this id")
	return cmd
}

func newEngagementShow(s *Shell) *cobra.Command {
	return show(s, "engagement", programme.GetEngagement, engagementColumns...)
}

func newEngagementCreate(s *Shell) *cobra.Command {
	var in programme.EngagementInput
	cmd := &cobra.Command{
		Use:     "create NAME",
		Short:   "Create an engagement",
		Example: "  assessctl engagement create 'Audit 2031' --external-id audit-2031 --from 2031-03-01 --to 2031-04-01",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			in.Name = args[0]
			return changed(s, cmd, in, func(tx *db.Tx) (programme.Engagement, error) {
				return programme.CreateEngagement(cmd.Context(), tx, in)
			}, engagementColumns...)
		},
	}
	cmd.Flags().StringVar(&in.ExternalID, "external-id", "", "your own id, unique in the org unit")
	optionalIDFlag(cmd, &in.SubjectID, "subject", "id of the subject that it is about")
	periodFlags(cmd, &in.StartsAt, &in.EndsAt)
	return s.changes(cmd)
}

func newEngagementUpdate(s *Shell) *cobra.Command {
	var patch programme.EngagementPatch
	cmd := &cobra.Command{
		Use:   "update ID",
		Short: "Change an engagement",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			patch.ExternalID, patch.Name, patch.Status = textGiven(cmd, "external-id"), textGiven(cmd, "name"), textGiven(cmd, "status")
			return updateOne(s, cmd, "engagement", args[0], patch, programme.UpdateEngagement, engagementColumns...)
		},
	}
	textFlags(cmd, "external-id", "name", "status")
	optionalIDFlag(cmd, &patch.SubjectID, "subject", "id of the subject that it is about")
	cmd.Flags().StringSliceVar(&patch.Clear, "clear", nil, "empty a field: subjectId, startsAt or endsAt; repeatable")
	periodFlags(cmd, &patch.StartsAt, &patch.EndsAt)
	return s.changes(cmd)
}

var engagementColumns = columns[programme.Engagement]("ExternalID, Name, Status, StartsAt, EndsAt, SubjectID*, ID*")
