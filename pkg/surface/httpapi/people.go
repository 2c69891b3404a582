package httpapi

import (
	"context"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

func listOrgUnits(ctx context.Context, tx *db.Tx, in *PageQuery) (db.List[people.OrgUnit], error) {
	return people.ListOrgUnits(ctx, tx, in.page())
}

type listUsersInput struct {
	PageQuery
	Search   string   `query:"q" maxLength:"200" doc:"Beginnings of words of name or e-mail address, all of which must be there; case and accents do not count" example:"ada exa"`
	Status   string   `query:"status" enum:"invited,active,deactivated"`
	OrgUnit  string   `query:"orgUnit" maxLength:"63" doc:"Slug or id"`
	Role     string   `query:"role" maxLength:"200" doc:"Key of a system role, name or id"`
	Group    ids.ID   `query:"group" doc:"Id of a group in the caller's scope"`
	Metadata []string `query:"meta,explode" maxItems:"5" maxLength:"200" doc:"key=value, repeatable: the key has this text, number or boolean, or a list with it" example:"[\"cohort=2031\"]"`
}

func listUsers(ctx context.Context, tx *db.Tx, in *listUsersInput) (db.List[people.User], error) {
	return people.ListUsers(ctx, tx, people.UserFilter{Page: in.page(), Search: in.Search, Status: in.Status,
		OrgUnit: in.OrgUnit, Role: in.Role, Group: in.Group, Metadata: in.Metadata})
}

func getMe(ctx context.Context, tx *db.Tx, _ *nothing) (people.Self, error) {
	return people.Me(ctx, tx)
}

type createUserInput struct{ Body people.UserInput }

func createUser(ctx context.Context, tx *db.Tx, in *createUserInput) (people.User, error) {
	return people.CreateUser(ctx, tx, in.Body)
}

func getUser(ctx context.Context, tx *db.Tx, in *ByID) (people.User, error) {
	return people.GetUser(ctx, tx, in.ID)
}

type updateUserInput struct {
	ByID
	Body people.UserPatch
}

func updateUser(ctx context.Context, tx *db.Tx, in *updateUserInput) (people.User, error) {
	return people.UpdateUser(ctx, tx, in.ID, in.Body)
}

func deactivateUser(ctx context.Context, tx *db.Tx, in *ByID) (people.User, error) {
	return people.DeactivateUser(ctx, tx, in.ID)
}

func reactivateUser(ctx context.Context, tx *db.Tx, in *ByID) (people.User, error) {
	return people.ReactivateUser(ctx, tx, in.ID)
}
