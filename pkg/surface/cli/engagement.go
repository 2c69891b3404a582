package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/exam/programme"
	"assess/pkg/kernel/db"
)

func newEngagement(s *Session) *cobra.Command {
	return group("engagement", "Create, change and list engagements",
		newEngagementList(s), newEngagementShow(s), newEngagementCreate(s), newEngagementUpdate(s))
}

func newEngagementList(s *Session) *cobra.Command {
	var filter programme.EngagementFilter
	var subject string
	cmd := pages(&cobra.Command{
		Use:   "list",
		Short: "List engagements, newest change first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			about, err := optionalID("subject", subject)
			if err != nil {
				return err
			}
			if about != nil {
				filter.SubjectID = *about
			}
			list, err := read(cmd.Context(), s, func(tx *db.Tx) (db.List[programme.Engagement], error) {
				return programme.ListEngagements(cmd.Context(), tx, filter)
			})
			if err != nil {
				return err
			}
			return printList(s, list, engagementColumns...)
		},
	}, &filter.Page)
	cmd.Flags().StringVar(&filter.Status, "status", "", "open or closed")
	cmd.Flags().StringVar(&filter.ExternalID, "external-id", "", "only the engagement of this external id")
	cmd.Flags().StringVar(&subject, "subject", "", "only engagements about the subject of this id")
	return cmd
}

func newEngagementShow(s *Session) *cobra.Command {
	return show(s, "engagement", programme.GetEngagement, engagementColumns...)
}

func newEngagementCreate(s *Session) *cobra.Command {
	var in programme.EngagementInput
	var subject, from, to string
	cmd := &cobra.Command{
		Use:     "create NAME",
		Short:   "Create an engagement",
		Example: "  assessctl engagement create 'Audit 2031' --external-id audit-2031 --from 2031-03-01 --to 2031-04-01",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			in.Name = args[0]
			in.StartsAt, in.EndsAt, err = period(from, to)
			if err != nil {
				return err
			}
			in.SubjectID, err = optionalID("subject", subject)
			if err != nil {
				return err
			}
			made, err := write(s, cmd, in, func(tx *db.Tx) (programme.Engagement, error) {
				return programme.CreateEngagement(cmd.Context(), tx, in)
			})
			if err != nil {
				return err
			}
			return PrintOne(s, made, engagementColumns...)
		},
	}
	cmd.Flags().StringVar(&in.ExternalID, "external-id", "", "your own id, unique in the org unit")
	cmd.Flags().StringVar(&subject, "subject", "", "id of the subject that it is about")
	periodFlags(cmd, &from, &to)
	return s.changes(cmd)
}

func newEngagementUpdate(s *Session) *cobra.Command {
	var patch programme.EngagementPatch
	var subject, from, to string
	cmd := &cobra.Command{
		Use:   "update ID",
		Short: "Change an engagement",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			patch.ExternalID, patch.Name, patch.Status = textGiven(cmd, "external-id"), textGiven(cmd, "name"), textGiven(cmd, "status")
			patch.StartsAt, patch.EndsAt, err = period(from, to)
			if err != nil {
				return err
			}
			patch.SubjectID, err = optionalID("subject", subject)
			if err != nil {
				return err
			}
			return updateOne(s, cmd, "engagement", args[0], patch, programme.UpdateEngagement, engagementColumns...)
		},
	}
	textFlags(cmd, "external-id", "name", "status")
	cmd.Flags().StringVar(&subject, "subject", "", "id of the subject that it is about")
	cmd.Flags().StringSliceVar(&patch.Clear, "clear", nil, "empty a field: subjectId, startsAt or endsAt; repeatable")
	periodFlags(cmd, &from, &to)
	return s.changes(cmd)
}

var engagementColumns = columns[programme.Engagement]("ExternalID, Name, Status, StartsAt, EndsAt, SubjectID*, ID*")
