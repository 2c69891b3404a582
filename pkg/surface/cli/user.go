package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

func newUser(s *Shell) *cobra.Command {
	return group("user", "Create, find and change users", newUserCreate(s), newUserList(s), newUserShow(s), newUserUpdate(s),
		newUserDeactivate(s), newUserReactivate(s))
}

func newUserCreate(s *Shell) *cobra.Command {
	var in people.UserInput
	var meta map[string]string
	cmd := &cobra.Command{
		Use:     "create EMAIL",
		Short:   "Create a user with org units and roles",
		Example: "  assessctl user create ada@example.org --name 'Ada Byron' --org-unit north --role author --meta cohort=2031",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.tenantWide()
			in.Email, in.Metadata = args[0], metadata(meta)
			return changed(s, cmd, in, func(tx *db.Tx) (people.User, error) {
				return people.CreateUser(cmd.Context(), tx, in)
			}, userColumns...)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&in.Name, "name", "", "name of the person")
	flags.StringSliceVar(&in.OrgUnits, "org-unit", nil, "slug or id of an org unit to join; repeatable (default: that of --org)")
	flags.StringSliceVar(&in.Roles, "role", nil, "key, name or id of a role to grant; repeatable")
	flags.StringToStringVar(&meta, "meta", nil, "attribute of your own, as key=value; repeatable")
	return s.changes(cmd)
}

// metadata leaves out an empty map, so that it is stored like one that was not given.
func metadata(pairs map[string]string) map[string]any {
	if len(pairs) == 0 {
		return nil
	}
	out := make(map[string]any, len(pairs))
	for key, value := range pairs {
		out[key] = value
	}
	return out
}

func newUserList(s *Shell) *cobra.Command {
	var filter people.UserFilter
	var groupWord string
	cmd := pages(&cobra.Command{
		Use:     "list",
		Short:   "List or search the users of the tenant, in the order of their creation",
		Example: "  assessctl user list --search 'ada byr' --meta cohort=2031 --tenant northwind",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.tenantWide()
			return printedList(s, cmd, func(tx *db.Tx) (db.List[people.User], error) {
				if groupWord != "" {
					found, err := findGroup(cmd.Context(), tx, groupWord)
					if err != nil {
						return db.List[people.User]{}, err
					}
					filter.Group = found.ID
				}
				return people.ListUsers(cmd.Context(), tx, filter)
			}, userColumns...)
		},
	}, &filter.Page)
	flags := cmd.Flags()
	flags.StringVar(&filter.Search, "search", "", "beginnings of words of name or e-mail address")
	flags.StringVar(&filter.Status, "status", "", "invited, active or deactivated")
	flags.StringVar(&filter.OrgUnit, "org-unit", "", "slug or id of an org unit")
	flags.StringVar(&filter.Role, "role", "", "key, name or id of a role")
	flags.StringVar(&groupWord, "group", "", "name or id of a group")
	flags.StringArrayVar(&filter.Metadata, "meta", nil, "attribute as key=value; repeatable")
	return cmd
}

func newUserShow(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "show EMAIL|ID",
		Short: "Show a user",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.tenantWide()
			return printed(s, cmd, func(tx *db.Tx) (people.User, error) {
				return findUser(cmd.Context(), tx, args[0])
			}, userColumns...)
		},
	}
}

// findUser finds a user by e-mail address or id.
func findUser(ctx context.Context, tx *db.Tx, word string) (people.User, error) {
	if strings.Contains(word, "@") {
		user, err := people.UserByEmail(ctx, tx, word)
		return user, unknown("user", word, err)
	}
	id, err := ids.Parse("user", word)
	if err != nil {
		return people.User{}, Usage("%q is neither an e-mail address nor an id", word)
	}
	user, err := people.GetUser(ctx, tx, id)
	return user, unknown("user", word, err)
}

var userColumns = columns("Email = E-mail, Name, Org units, Roles, Status, ID*",
	Column[people.User]{Header: "Org units", Cell: func(u people.User) string {
		return words(u.OrgUnits, func(o people.OrgUnitRef) string { return o.Slug })
	}},
	Column[people.User]{Header: "Roles", Cell: func(u people.User) string {
		return words(u.Roles, func(r people.RoleRef) string { return r.Name })
	}},
	Column[people.User]{Header: "Status", Cell: func(u people.User) string { return u.Status }, Colour: func(u people.User) Colour {
		if u.Status == "active" {
			return Good
		}
		return Faint
	}},
)
