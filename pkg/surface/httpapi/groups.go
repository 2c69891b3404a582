package httpapi

import (
	"context"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

type listGroupsInput struct {
	PageQuery
	Name   string `query:"name" maxLength:"200" doc:"How the name begins, whatever its case"`
	Kind   string `query:"kind" enum:"dynamic,manual" doc:"Whether a rule makes the members; default: both"`
	UserID ids.ID `query:"user_id" doc:"Groups that this user is in"`
}

func listGroups(ctx context.Context, tx *db.Tx, in *listGroupsInput) (db.List[people.Group], error) {
	filter := people.GroupFilter{Page: in.page(), Name: in.Name, Member: in.UserID}
	if in.Kind != "" {
		dynamic := in.Kind == "dynamic"
		filter.Dynamic = &dynamic
	}
	return people.ListGroups(ctx, tx, filter)
}

type createGroupInput struct{ Body people.GroupInput }

func createGroup(ctx context.Context, tx *db.Tx, in *createGroupInput) (people.GroupDetail, error) {
	return people.CreateGroup(ctx, tx, in.Body)
}

func getGroup(ctx context.Context, tx *db.Tx, in *ByID) (people.GroupDetail, error) {
	return people.GetGroup(ctx, tx, in.ID)
}

type updateGroupInput struct {
	ByID
	Body people.GroupPatch
}

func updateGroup(ctx context.Context, tx *db.Tx, in *updateGroupInput) (people.GroupDetail, error) {
	return people.UpdateGroup(ctx, tx, in.ID, in.Body)
}

func deleteGroup(ctx context.Context, tx *db.Tx, in *ByID) (none, error) {
	return none{}, people.DeleteGroup(ctx, tx, in.ID)
}

type previewGroupInput struct {
	ByID
	Body people.PreviewInput
}

func previewGroup(ctx context.Context, tx *db.Tx, in *previewGroupInput) (people.RulePreview, error) {
	return people.PreviewRule(ctx, tx, in.ID, in.Body)
}

type listMembersInput struct {
	ByID
	PageQuery
}

func listMembers(ctx context.Context, tx *db.Tx, in *listMembersInput) (db.List[people.Member], error) {
	return people.ListMembers(ctx, tx, in.ID, in.page())
}

type addMembersInput struct {
	ByID
	Body people.MembersInput
}

func addMembers(ctx context.Context, tx *db.Tx, in *addMembersInput) (people.MembersAdded, error) {
	return people.AddMembers(ctx, tx, in.ID, in.Body)
}

type removeMemberInput struct {
	ByID
	UserID ids.ID `path:"userId"`
}

func removeMember(ctx context.Context, tx *db.Tx, in *removeMemberInput) (none, error) {
	return none{}, people.RemoveMember(ctx, tx, in.ID, in.UserID)
}

func rotateJoinToken(ctx context.Context, tx *db.Tx, in *ByID) (people.JoinToken, error) {
	return people.RotateJoinToken(ctx, tx, in.ID)
}

func dropJoinToken(ctx context.Context, tx *db.Tx, in *ByID) (none, error) {
	return none{}, people.DropJoinToken(ctx, tx, in.ID)
}

type joinGroupInput struct {
	Token string `path:"token" minLength:"43" maxLength:"43" pattern:"^[A-Za-z0-9_-]+$" doc:"The group's join token"`
}

func joinGroup(ctx context.Context, tx *db.Tx, in *joinGroupInput) (people.Joined, error) {
	return people.JoinGroup(ctx, tx, in.Token)
}
