package cli

import (
	"context"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

func newGroupMembers(s *Shell) *cobra.Command {
	var page db.Page
	return pages(&cobra.Command{
		Use:   "members GROUP",
		Short: "List the members of a group, in the order in which they came",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return printedList(s, cmd, func(tx *db.Tx) (db.List[people.Member], error) {
				found, err := findGroup(cmd.Context(), tx, args[0])
				if err != nil {
					return db.List[people.Member]{}, err
				}
				return people.ListMembers(cmd.Context(), tx, found.ID, page)
			}, memberColumns...)
		},
	}, &page)
}

func newGroupAdd(s *Shell) *cobra.Command {
	return s.changes(&cobra.Command{
		Use:   "add GROUP EMAIL|ID...",
		Short: "Add users to a group that has no rule",
		Args:  cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			added, err := writeToGroup(s, cmd, args[0], args[1:], func(ctx context.Context, tx *db.Tx, g people.Group) (people.MembersAdded, error) {
				users, err := findUsers(ctx, tx, args[1:])
				if err != nil {
					return people.MembersAdded{}, err
				}
				return people.AddMembers(ctx, tx, g.ID, people.MembersInput{UserIDs: users})
			})
			if err != nil {
				return err
			}
			return PrintOne(s, added, addedColumns...)
		},
	})
}

func findUsers(ctx context.Context, tx *db.Tx, words []string) ([]ids.ID, error) {
	var users []ids.ID
	for _, word := range words {
		user, err := findUser(ctx, tx, word)
		if err != nil {
			return nil, err
		}
		users = append(users, user.ID)
	}
	return users, nil
}

func newGroupRemove(s *Shell) *cobra.Command {
	return s.changes(&cobra.Command{
		Use:   "remove GROUP EMAIL|ID",
		Short: "Take a user out of a group that has no rule",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := s.confirm(cmd.Context(), "Take %s out of %s?", args[1], args[0])
			if err != nil {
				return err
			}
			return s.changeGroup(cmd, args[0], args[1], func(ctx context.Context, tx *db.Tx, g people.Group) (people.GroupDetail, error) {
				user, err := findUser(ctx, tx, args[1])
				if err != nil {
					return people.GroupDetail{}, err
				}
				err = people.RemoveMember(ctx, tx, g.ID, user.ID)
				if err != nil {
					return people.GroupDetail{}, err
				}
				return people.GetGroup(ctx, tx, g.ID)
			})
		},
	})
}

func newGroupRotateToken(s *Shell) *cobra.Command {
	return s.changes(&cobra.Command{
		Use:         "rotate-token GROUP",
		Short:       "Make a new join token, which is shown once and ends the one before",
		Args:        cobra.ExactArgs(1),
		Annotations: map[string]string{printsSecret: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			token, err := writeToGroup(s, cmd, args[0], "rotate", func(ctx context.Context, tx *db.Tx, g people.Group) (people.JoinToken, error) {
				return people.RotateJoinToken(ctx, tx, g.ID)
			})
			if err != nil {
				return err
			}
			return PrintOne(s, token, Column[people.JoinToken]{Header: "Join token", Cell: func(t people.JoinToken) string { return t.JoinToken }})
		},
	})
}

func newGroupDropToken(s *Shell) *cobra.Command {
	return s.changes(&cobra.Command{
		Use:   "drop-token GROUP",
		Short: "End the join token of a group",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := s.confirm(cmd.Context(), "End the join token of %s?", args[0])
			if err != nil {
				return err
			}
			return s.changeGroup(cmd, args[0], "drop", func(ctx context.Context, tx *db.Tx, g people.Group) (people.GroupDetail, error) {
				err := people.DropJoinToken(ctx, tx, g.ID)
				if err != nil {
					return people.GroupDetail{}, err
				}
				return people.GetGroup(ctx, tx, g.ID)
			})
		},
	})
}

func newGroupPreview(s *Shell) *cobra.Command {
	var rule string
	cmd := &cobra.Command{
		Use:   "preview GROUP",
		Short: "Count who would enter and leave a group under a rule",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := parseRule(rule)
			if err != nil {
				return err
			}
			return printed(s, cmd, func(tx *db.Tx) (people.RulePreview, error) {
				found, err := findGroup(cmd.Context(), tx, args[0])
				if err != nil {
					return people.RulePreview{}, err
				}
				return people.PreviewRule(cmd.Context(), tx, found.ID, people.PreviewInput{MembershipRule: wanted})
			}, previewColumns...)
		},
	}
	cmd.Flags().StringVar(&rule, "rule", "", ruleHelp+" (default: the group's own)")
	return cmd
}

var memberColumns = columns[people.Member]("Email = E-mail, Name, AddedAt, UserID = Id*")

var addedColumns = columns[people.MembersAdded]("Added, Already = Members before")

var previewColumns = columns[people.RulePreview]("Members = Members now, Fitting = Under the rule, Enter, Leave")
