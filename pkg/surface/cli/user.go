package cli

import (
	"context"
	"maps"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/people/people"
)

const metaHelp = "attribute of your own, as key=value; repeatable"

func newUser(s *Shell) *cobra.Command {
	return wide(group("user", "Create, find and change users", s.operations("user", newUserCreate(s), newUserUpdate(s))...))
}

func newUserCreate(s *Shell) *cobra.Command {
	var in people.UserInput
	cmd := newAct(s, "create [EMAIL]", "Create a user with org units and roles; without an address they need a name",
		func(ctx context.Context, tx *db.Tx, args []string) (people.User, error) {
			if len(args) > 0 {
				in.Email = args[0]
			}
			return people.CreateUser(ctx, tx, in)
		}, fields(userColumns))
	flags := cmd.Flags()
	flags.StringVar(&in.Name, "name", "", "name of the person")
	flags.StringSliceVar(&in.OrgUnits, "org-unit", nil, "slug or id of an org unit to join; repeatable (default: that of --org)")
	flags.StringSliceVar(&in.Roles, "role", nil, "key, name or id of a role to grant; repeatable")
	metaFlag(cmd, &in.Metadata, metaHelp)
	return cmd
}

func newUserUpdate(s *Shell) *cobra.Command {
	var patch people.UserPatch
	var meta map[string]string
	var drop []string
	cmd := newAct(s, "update EMAIL|ID", "Change name, e-mail address, attributes or org units of a user",
		found("user", findUser, func(ctx context.Context, tx *db.Tx, user people.User) (people.User, error) {
			if len(meta)+len(drop) > 0 {
				next := changedMetadata(user.Metadata, meta, drop)
				patch.Metadata, patch.UpdatedAt = &next, &user.UpdatedAt // the new set was made from this one
			}
			return people.UpdateUser(ctx, tx, user.ID, patch)
		}), fields(userColumns))
	flags := cmd.Flags()
	optional(cmd, &patch.Email, "email", "new e-mail address", flags.String)
	newText(cmd, &patch.Name, "name")
	optional(cmd, &patch.OrgUnits, "org-unit", "slug or id of an org unit: the whole new set; repeatable", flags.StringSlice)
	pairsFlag(cmd, "attribute to set, as key=value; repeatable", func(pairs map[string]string) { meta = pairs })
	flags.StringSliceVar(&drop, "drop-meta", nil, "key of an attribute to take away; repeatable")
	return cmd
}

// changedMetadata changes the keys that the flags name and keeps the rest.
func changedMetadata(old map[string]any, set map[string]string, drop []string) map[string]any {
	next := maps.Clone(old)
	maps.Copy(next, metadata(set))
	for _, key := range drop {
		delete(next, key)
	}
	return next
}

var userColumns = columns("Email = E-mail, Name, Org units, Roles, Status, ID*",
	Column[people.User]{Header: "Org units", Cell: func(u people.User) string {
		return words(u.OrgUnits, func(o people.OrgUnitRef) string { return o.Slug })
	}},
	Column[people.User]{Header: "Roles", Cell: func(u people.User) string {
		return words(u.Roles, func(r people.RoleRef) string { return r.Name })
	}},
	Column[people.User]{Header: "Status", Colour: func(u people.User) Colour { return goodIf(u.Status == "active") }},
)
