package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/people/people"
)

func newRole(s *Shell) *cobra.Command {
	return group("role", "Compose roles, give them to users and take them away",
		newRoleList(s), newRoleShow(s), newRoleCapabilities(s), newRoleCreate(s), newRoleUpdate(s), newRoleDelete(s),
		newRoleGrant(s), newRoleRevoke(s))
}

func newRoleList(s *Shell) *cobra.Command {
	var page db.Page
	return pages(&cobra.Command{
		Use:   "list",
		Short: "List the roles of the tenant",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.tenantWide()
			return printedList(s, cmd, func(tx *db.Tx) (db.List[people.Role], error) {
				return people.ListRoles(cmd.Context(), tx, page)
			}, roleColumns...)
		},
	}, &page)
}

func newRoleShow(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "show ROLE",
		Short: "Show a role and its capabilities; ROLE is its key, name or id",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.tenantWide()
			role, err := read(cmd.Context(), s, func(tx *db.Tx) (people.Role, error) {
				return findRole(cmd.Context(), tx, args[0])
			})
			if err != nil {
				return err
			}
			return s.showRole(role)
		},
	}
}

func (s *Shell) showRole(role people.Role) error {
	return s.Show(role, func(screen *Screen) error {
		err := writeFields(screen, role, roleColumns)
		if err != nil || len(role.Capabilities) == 0 {
			return err
		}
		fmt.Fprintln(screen)
		return Table(screen, described(role.Capabilities), capabilityColumns...)
	})
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

// grantInput is what grant and revoke take, for the hash of an idempotency key.
type grantInput struct{ User, Role string }

func newRoleGrant(s *Shell) *cobra.Command {
	return s.changes(&cobra.Command{
		Use:     "grant EMAIL|ID ROLE",
		Short:   "Give a user a role; ROLE is its key, name or id",
		Example: "  assessctl role grant ada@example.org author --tenant northwind",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.tenantWide()
			return changed(s, cmd, grantInput{args[0], args[1]}, func(tx *db.Tx) (people.RoleGrant, error) {
				user, role, err := findGrant(cmd.Context(), tx, args[0], args[1])
				if err != nil {
					return people.RoleGrant{}, err
				}
				return people.GrantRole(cmd.Context(), tx, user.ID, role.ID)
			}, grantColumns...)
		},
	})
}

func newRoleRevoke(s *Shell) *cobra.Command {
	return s.changes(&cobra.Command{
		Use:   "revoke EMAIL|ID ROLE",
		Short: "Take a role from a user; ROLE is its key, name or id",
		Args:  cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.tenantWide()
			err := s.confirm(cmd.Context(), "Take the role %s from %s?", args[1], args[0])
			if err != nil {
				return err
			}
			return changed(s, cmd, grantInput{args[0], args[1]}, func(tx *db.Tx) (people.User, error) {
				return revokeRole(cmd.Context(), tx, args[0], args[1])
			}, userColumns...)
		},
	})
}

// revokeRole gives the user as it is afterwards.
func revokeRole(ctx context.Context, tx *db.Tx, userWord, roleWord string) (people.User, error) {
	user, role, err := findGrant(ctx, tx, userWord, roleWord)
	if err != nil {
		return user, err
	}
	err = people.RevokeRole(ctx, tx, user.ID, role.ID)
	if err != nil {
		return user, err
	}
	return people.GetUser(ctx, tx, user.ID)
}

func findGrant(ctx context.Context, tx *db.Tx, userWord, roleWord string) (people.User, people.Role, error) {
	user, err := findUser(ctx, tx, userWord)
	if err != nil {
		return user, people.Role{}, err
	}
	role, err := findRole(ctx, tx, roleWord)
	return user, role, err
}

// findRole names the word that was not found.
func findRole(ctx context.Context, tx *db.Tx, word string) (people.Role, error) {
	role, err := people.FindRole(ctx, tx, word)
	return role, unknown("role", word, err)
}

var capabilityColumns = columns[capability.Entry]("Capability, Description = Lets its holder")

var roleColumns = columns("Name, SystemKey = Key, Capabilities, ID*",
	Column[people.Role]{Header: "Capabilities", Cell: func(r people.Role) string { return strconv.Itoa(len(r.Capabilities)) }, Align: Right},
)

var grantColumns = columns[people.RoleGrant]("UserID, Role.Name = Role, GrantedAt")
