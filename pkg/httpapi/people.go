package httpapi

import (
	"context"

	"assess/pkg/capability"
	"assess/pkg/db"
	"assess/pkg/ids"
	"assess/pkg/people"
)

func listCapabilities(_ context.Context, tx *db.Tx, _ *nothing) (db.List[capability.Entry], error) {
	return people.ListCapabilities(tx)
}

func listRoles(ctx context.Context, tx *db.Tx, in *PageQuery) (db.List[people.Role], error) {
	return people.ListRoles(ctx, tx, in.page())
}

type createRoleInput struct{ Body people.RoleInput }

func createRole(ctx context.Context, tx *db.Tx, in *createRoleInput) (people.Role, error) {
	return people.CreateRole(ctx, tx, in.Body)
}

type updateRoleInput struct {
	ByID
	Body people.RolePatch
}

func updateRole(ctx context.Context, tx *db.Tx, in *updateRoleInput) (people.Role, error) {
	return people.UpdateRole(ctx, tx, in.ID, in.Body)
}

func deleteRole(ctx context.Context, tx *db.Tx, in *ByID) (none, error) {
	return none{}, people.DeleteRole(ctx, tx, in.ID)
}

func listOrgUnits(ctx context.Context, tx *db.Tx, in *PageQuery) (db.List[people.OrgUnit], error) {
	return people.ListOrgUnits(ctx, tx, in.page())
}

func listUsers(ctx context.Context, tx *db.Tx, in *PageQuery) (db.List[people.User], error) {
	return people.ListUsers(ctx, tx, in.page())
}

type createUserInput struct{ Body people.UserInput }

func createUser(ctx context.Context, tx *db.Tx, in *createUserInput) (people.User, error) {
	return people.CreateUser(ctx, tx, in.Body)
}

func getUser(ctx context.Context, tx *db.Tx, in *ByID) (people.User, error) {
	return people.GetUser(ctx, tx, in.ID)
}

type grantRoleInput struct {
	ByID
	Body struct {
		RoleID ids.ID `json:"roleId"`
	}
}

func grantRole(ctx context.Context, tx *db.Tx, in *grantRoleInput) (people.RoleGrant, error) {
	return people.GrantRole(ctx, tx, in.ID, in.Body.RoleID)
}

type revokeRoleInput struct {
	ByID
	RoleID ids.ID `path:"roleId"`
}

func revokeRole(ctx context.Context, tx *db.Tx, in *revokeRoleInput) (none, error) {
	return none{}, people.RevokeRole(ctx, tx, in.ID, in.RoleID)
}
