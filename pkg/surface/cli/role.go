package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

func newRole(s *Shell) *cobra.Command {
	itself := func(_ context.Context, _ *db.Tx, role people.Role) (people.Role, error) { return role, nil }
	return wide(group("role", "Compose roles, give them to users and take them away", newRoleList(s),
		newShow(s, "show ROLE", "Show a role and its capabilities; ROLE is its key, name or id", found("role", people.FindRole, itself), drawn(drawRole)),
		newRoleCapabilities(s), newRoleCreate(s), newRoleUpdate(s),
		newRemove(s, "delete ROLE", "Delete a role of the tenant's own that nobody has", "Delete the role %[1]s?",
			found("role", findRoleID, deleted(people.DeleteRole))),
		newRoleGrant(s), newRoleRevoke(s)))
}

func newRoleList(s *Shell) *cobra.Command {
	var page db.Page
	return newList(s, "list", "List the roles of the tenant", &page, with(&page, people.ListRoles), roleColumns)
}

func newRoleCapabilities(s *Shell) *cobra.Command {
	list := func(ctx context.Context, tx *db.Tx, _ []string) (db.List[capability.Entry], error) {
		return people.ListCapabilities(ctx, tx, db.Page{Limit: db.MaxLimit})
	}
	return newShow(s, "capabilities", "List everything that a role can hold", list, tableOf(itemsOf, capabilityColumns))
}

func newRoleCreate(s *Shell) *cobra.Command {
	var in people.RoleInput
	var holds []string
	cmd := newAct(s, "create NAME", "Compose a role of the tenant's own; capabilities lists what it can hold",
		func(ctx context.Context, tx *db.Tx, args []string) (people.Role, error) {
			in.Name, in.Capabilities = args[0], capabilities(holds)
			return people.CreateRole(ctx, tx, in)
		}, drawn(drawRole))
	cmd.Flags().StringVar(&in.Description, "description", "", "what it is for")
	cmd.Flags().StringSliceVar(&holds, "capability", nil, "what its holders may do; repeatable")
	return cmd
}

func newRoleUpdate(s *Shell) *cobra.Command {
	var patch people.RolePatch
	var holds []string
	var wanted []capability.Capability
	cmd := newAct(s, "update ROLE", "Change name, description or capabilities of a role of the tenant's own; holds within a second",
		found("role", findRoleID, func(ctx context.Context, tx *db.Tx, id ids.ID) (people.Role, error) {
			return people.UpdateRole(ctx, tx, id, patch)
		}), drawn(drawRole))
	newText(cmd, &patch.Name, "name")
	newText(cmd, &patch.Description, "description")
	cmd.Flags().StringSliceVar(&holds, "capability", nil, "what its holders may do: the whole new set; repeatable")
	whenGiven(cmd, "capability", func() {
		wanted = capabilities(holds)
		patch.Capabilities = &wanted
	})
	return cmd
}

// capabilities gives an empty list, never none: a role may hold nothing.
func capabilities(words []string) []capability.Capability {
	out := []capability.Capability{}
	for _, word := range words {
		out = append(out, capability.Capability(word))
	}
	return out
}

func newRoleGrant(s *Shell) *cobra.Command {
	cmd := newAct(s, "grant EMAIL|ID ROLE", "Give a user a role; ROLE is its key, name or id",
		func(ctx context.Context, tx *db.Tx, args []string) (people.RoleGrant, error) {
			user, role, err := findGrant(ctx, tx, args)
			if err != nil {
				return people.RoleGrant{}, err
			}
			return people.GrantRole(ctx, tx, user, role)
		}, fields(columns[people.RoleGrant]("UserID, Role.Name = Role, GrantedAt")))
	return cmd
}

// newRoleRevoke shows the user as it is afterwards.
func newRoleRevoke(s *Shell) *cobra.Command {
	return asking(newAct(s, "revoke EMAIL|ID ROLE", "Take a role from a user; ROLE is its key, name or id",
		func(ctx context.Context, tx *db.Tx, args []string) (people.User, error) {
			user, role, err := findGrant(ctx, tx, args)
			if err == nil {
				err = people.RevokeRole(ctx, tx, user, role)
			}
			if err != nil {
				return people.User{}, err
			}
			return people.GetUser(ctx, tx, user)
		}, fields(userColumns)), "Take the role %[2]s from %[1]s?")
}

func findGrant(ctx context.Context, tx *db.Tx, words []string) (user, role ids.ID, err error) {
	user, err = findUserID(ctx, tx, words[0])
	if err == nil {
		role, err = findRoleID(ctx, tx, words[1])
	}
	return user, role, err
}

// findRoleID names the word that was not found.
func findRoleID(ctx context.Context, tx *db.Tx, word string) (ids.ID, error) {
	role, err := people.FindRole(ctx, tx, word)
	return role.ID, unknown("role", word, err)
}

func drawRole(screen *Screen, role people.Role) error {
	err := writeFields(screen, role, roleColumns)
	if err != nil || len(role.Capabilities) == 0 {
		return err
	}
	fmt.Fprintln(screen)
	return Table(screen, described(role.Capabilities), capabilityColumns...)
}

// described keeps the order of the catalogue, where kindred capabilities stand together.
func described(holds []capability.Capability) []capability.Entry {
	set := capability.NewSet(holds...)
	var out []capability.Entry
	for _, e := range capability.All {
		if set.Has(e.Capability) {
			out = append(out, e)
		}
	}
	return out
}

var capabilityColumns = columns[capability.Entry]("Capability, Description = Lets its holder")

var roleColumns = columns("Name, SystemKey = Key, Capabilities, ID*",
	Column[people.Role]{Header: "Capabilities", Cell: func(r people.Role) string { return strconv.Itoa(len(r.Capabilities)) }, Align: Right},
)
