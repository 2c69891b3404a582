package op

import (
	"context"
	"time"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/idp"
	"assess/pkg/people/people"
	"assess/pkg/people/policy"
)

// Roles are the operations on roles.
func Roles() []Line {
	readers, managers := needs(capability.RolesManage, capability.UsersRead), needs(capability.RolesManage)
	return []Line{
		read("GET /capabilities", "listCapabilities", "role capabilities", readers, "List all capabilities", people.ListCapabilities),
		read("GET /roles", "listRoles", "role list", readers, "List the roles of the tenant", people.ListRoles),
		write("POST /roles", "createRole", "role create NAME", managers, "Create a role", people.CreateRole).creates(),
		write("PATCH /roles/{id}", "updateRole", "role update ROLE", managers, "Change a role", ofOne(people.UpdateRole)),
		write("DELETE /roles/{id}", "deleteRole", "role delete ROLE", managers, "Delete a role that nobody has", gone(people.DeleteRole)).asks("Delete the role %[1]s?"),
	}
}

// OrgUnits are the operations on org units. They are made and renamed at a terminal only.
func OrgUnits() []Line {
	return []Line{read("GET /org-units", "listOrgUnits", "org list", needs(capability.UsersRead), "List the org units of the tenant", people.ListOrgUnits)}
}

// Users are the operations on users. The commands that create and change one are by hand: an address is an argument that may be
// left out, and attributes are changed one by one.
func Users() []Line {
	sees, managers := needs(capability.UsersRead), needs(capability.UsersManage)
	return []Line{
		read("GET /users", "listUsers", "user list", sees, "List or search users, in the order of their creation", people.ListUsers),
		write("POST /users", "createUser", "", managers, "Create a user", people.CreateUser).creates(),
		read("GET /users/{id}", "getUser", "user show USER", sees, "Read a user", one(people.GetUser)),
		write("PATCH /users/{id}", "updateUser", "", managers, "Change a user", ofOne(people.UpdateUser)),
		write("POST /users/{id}/deactivate", "deactivateUser", "user deactivate USER", managers, "Keep a user from signing in; tokens and links stop within a second", one(people.DeactivateUser)).asks("Deactivate %[1]s?"),
		write("POST /users/{id}/reactivate", "reactivateUser", "user reactivate USER", managers, "Let a user sign in again", one(people.ReactivateUser)),
	}
}

// Policies say how long records are kept, and what each level demands of each action. The commands that set one are by hand: over
// HTTP all are set at once, at a terminal one after the other.
func Policies() []Line {
	reads, manages := needs(capability.PoliciesManage, capability.ComplianceRead), needs(capability.PoliciesManage)
	return []Line{
		read("GET /retention-policies", "getRetentionPolicies", "policy retention show", reads, "Read how long records are kept; a domain without a policy is kept without end", alone(policy.GetRetention)),
		write("PUT /retention-policies", "setRetentionPolicies", "", manages, "Say how long records are kept; holds for what comes from then on; to keep less needs a step-up proof", policy.SetRetention).proven(),
		read("GET /retention-policies/versions", "listRetentionVersions", "policy retention versions", reads, "List all versions of the retention policies, newest first", policy.ListRetentionVersions),
		read("GET /verification-policies", "getVerificationPolicies", "policy verification show", reads, "Read what each level demands of each action", alone(policy.GetVerification)),
		write("PUT /verification-policies", "setVerificationPolicies", "", manages, "Say what each level demands of each action", policy.SetVerification),
	}
}

// Grants give roles to users and take them away.
func Grants() []Line {
	managers := needs(capability.UsersManage)
	return []Line{
		write("POST /users/{id}/roles", "grantRole", "role grant USER ROLE", managers, "Give a user a role", grantRole),
		write("DELETE /users/{id}/roles/{roleId}", "revokeRole", "role revoke USER ROLE", managers, "Take a role from a user", revoke).asks("Take the role %[2]s from %[1]s?"),
	}
}

type grant struct {
	UserID ids.ID `path:"id" json:"-" noun:"user"`
	RoleID ids.ID `json:"roleId" noun:"role"`
}

func grantRole(ctx context.Context, tx *db.Tx, input grant) (people.RoleGrant, error) {
	return people.GrantRole(ctx, tx, input.UserID, input.RoleID)
}

type granted struct {
	UserID ids.ID `path:"id" noun:"user"`
	RoleID ids.ID `path:"roleId" noun:"role"`
}

func revoke(ctx context.Context, tx *db.Tx, input granted) (db.None, error) {
	return db.None{}, people.RevokeRole(ctx, tx, input.UserID, input.RoleID)
}

// Accounts say who users are at identity providers.
func Accounts() []Line {
	managers := needs(capability.UsersManage)
	return []Line{
		read("GET /users/{id}/accounts", "listAccounts", "user accounts USER", needs(capability.UsersRead), "List who a user is at identity providers", ofOne(people.ListAccounts)),
		write("POST /users/{id}/accounts", "linkAccount", "user link USER", managers, "Say who a user is at an identity provider; whoever signs in there so is this user", ofOne(people.LinkAccount)).creates(),
		write("DELETE /users/{id}/accounts/{accountId}", "unlinkAccount", "user unlink USER ACCOUNT", managers, "End that a user signs in with an account, and sign them out", unlink).asks("Unlink the account %[2]s of %[1]s?"),
	}
}

type account struct {
	UserID    ids.ID `path:"id" noun:"user"`
	AccountID ids.ID `path:"accountId" noun:"account"`
}

func unlink(ctx context.Context, tx *db.Tx, input account) (db.None, error) {
	return db.None{}, people.UnlinkAccount(ctx, tx, input.UserID, input.AccountID)
}

// Providers are the operations on identity providers.
func Providers() []Line {
	sees, manages := needs(capability.IntegrationsRead, capability.IntegrationsManage), needs(capability.IntegrationsManage)
	return []Line{
		read("GET /identity-providers", "listIdentityProviders", "idp list", sees, "List the identity providers of the tenant", idp.List),
		write("POST /identity-providers", "createIdentityProvider", "idp create SLUG", manages, "Add an identity provider that people sign in with", idp.Create).creates(),
		read("GET /identity-providers/{id}", "getIdentityProvider", "idp show IDP", sees, "Read an identity provider", one(idp.Get)),
		write("PATCH /identity-providers/{id}", "updateIdentityProvider", "idp update IDP", manages, "Change an identity provider", ofOne(idp.Update)),
		write("POST /identity-providers/{id}/disable", "disableIdentityProvider", "idp disable IDP", manages, "Keep everybody from signing in with an identity provider", one(idp.Disable)).asks("Keep everybody from signing in with %[1]s?"),
	}
}

// Groups are the operations on groups of users.
func Groups() []Line {
	sees, manages := needs(capability.GroupsView, capability.GroupsManage), needs(capability.GroupsManage)
	return []Line{
		read("GET /groups", "listGroups", "group list", sees, "List groups", people.ListGroups),
		write("POST /groups", "createGroup", "group create NAME", manages, "Create a group; a rule makes it dynamic", people.CreateGroup).creates(),
		read("GET /groups/{id}", "getGroup", "group show GROUP", sees, "Read a group", one(people.GetGroup)),
		write("PATCH /groups/{id}", "updateGroup", "group update GROUP", manages, "Change a group; a new rule holds at once", ofOne(people.UpdateGroup)),
		write("DELETE /groups/{id}", "deleteGroup", "group delete GROUP", manages, "Delete a group that nothing is assigned to", gone(people.DeleteGroup)).asks("Delete the group %[1]s and the memberships in it?"),
		read("POST /groups/{id}/preview", "previewGroup", "group preview GROUP", manages, "Count who would enter and leave a group under a rule", ofOne(people.PreviewRule)),
		read("GET /groups/{id}/members", "listMembers", "group members GROUP", sees, "List the members of a group; names and addresses need users.read", ofOne(people.ListMembers)),
		write("POST /groups/{id}/members", "addMembers", "group add GROUP USER...", manages, "Add up to 10,000 users to a group that has no rule", ofOne(people.AddMembers)),
		write("DELETE /groups/{id}/members/{userId}", "removeMember", "group remove GROUP USER", manages, "Take a user out of a group that has no rule", removeMember).asks("Take %[2]s out of %[1]s?"),
		write("POST /groups/{id}/join-token", "rotateJoinToken", "group rotate-token GROUP", manages, "Make a new join token, which is shown once and ends the one before", one(people.RotateJoinToken)).secret(),
		write("DELETE /groups/{id}/join-token", "dropJoinToken", "group drop-token GROUP", manages, "End the join token of a group", gone(people.DropJoinToken)).asks("End the join token of %[1]s?"),
		write("POST /groups/join/{token}", "joinGroup", "", needs(capability.GroupsJoin), "Join a group by its token", join).creates().secret().limited(10, time.Minute),
	}
}

type member struct {
	GroupID ids.ID `path:"id" noun:"group"`
	UserID  ids.ID `path:"userId" noun:"user"`
}

func removeMember(ctx context.Context, tx *db.Tx, input member) (db.None, error) {
	return db.None{}, people.RemoveMember(ctx, tx, input.GroupID, input.UserID)
}

type joinInput struct {
	Token string `path:"token" minLength:"43" maxLength:"43" pattern:"^[A-Za-z0-9_-]+$" doc:"The group's join token"`
}

func join(ctx context.Context, tx *db.Tx, input joinInput) (people.Joined, error) {
	return people.JoinGroup(ctx, tx, input.Token)
}
