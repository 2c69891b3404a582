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
	return newList(s, "members GROUP", "List the members of a group, in the order in which they came", &page,
		found("group", findGroupID, func(ctx context.Context, tx *db.Tx, id ids.ID) (db.List[people.Member], error) {
			return people.ListMembers(ctx, tx, id, page)
		}), columns[people.Member]("Email = E-mail, Name, AddedAt, UserID = Id*"))
}

func newGroupAdd(s *Shell) *cobra.Command {
	return newAct(s, "add GROUP EMAIL|ID...", "Add users to a group that has no rule",
		func(ctx context.Context, tx *db.Tx, args []string) (people.MembersAdded, error) {
			group, err := findGroupID(ctx, tx, args[0])
			if err != nil {
				return people.MembersAdded{}, err
			}
			var in people.MembersInput
			for _, word := range args[1:] {
				user, err := findUserID(ctx, tx, word)
				if err != nil {
					return people.MembersAdded{}, err
				}
				in.UserIDs = append(in.UserIDs, user)
			}
			return people.AddMembers(ctx, tx, group, in)
		}, fields(columns[people.MembersAdded]("Added, Already = Members before")))
}

func newGroupRemove(s *Shell) *cobra.Command {
	return asking(newAct(s, "remove GROUP EMAIL|ID", "Take a user out of a group that has no rule",
		func(ctx context.Context, tx *db.Tx, args []string) (people.GroupDetail, error) {
			group, err := findGroupID(ctx, tx, args[0])
			if err != nil {
				return people.GroupDetail{}, err
			}
			user, err := findUserID(ctx, tx, args[1])
			if err == nil {
				err = people.RemoveMember(ctx, tx, group, user)
			}
			if err != nil {
				return people.GroupDetail{}, err
			}
			return people.GetGroup(ctx, tx, group)
		}, fields(groupDetailColumns)), "Take %[2]s out of %[1]s?")
}

func newGroupDropToken(s *Shell) *cobra.Command {
	return asking(newAct(s, "drop-token GROUP", "End the join token of a group",
		found("group", findGroupID, func(ctx context.Context, tx *db.Tx, id ids.ID) (people.GroupDetail, error) {
			err := people.DropJoinToken(ctx, tx, id)
			if err != nil {
				return people.GroupDetail{}, err
			}
			return people.GetGroup(ctx, tx, id)
		}), fields(groupDetailColumns)), "End the join token of %[1]s?")
}
