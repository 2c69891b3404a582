package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"assess/config"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/people/people"
)

func newRole(s *Shell) *cobra.Command {
	itself := func(_ context.Context, _ *db.Tx, role people.Role) (people.Role, error) { return role, nil }
	return wide(group("role", "Compose roles, give them to users and take them away", s.operations("role",
		newShow(s, "show ROLE", "Show a role and its capabilities; ROLE is its key, name or id", found("role", findRole, itself), drawn(drawRole)))...))
}

// findRole names the word that was not found, and the role that may have been meant.
func findRole(ctx context.Context, tx *db.Tx, word string) (people.Role, error) {
	role, err := people.FindRole(ctx, tx, word)
	if !errors.Is(err, errs.NotFound) {
		return role, err
	}
	known, listing := people.ListRoles(ctx, tx, db.Page{Limit: db.MaxLimit})
	if listing != nil {
		return role, listing
	}
	var names []string
	for _, r := range known.Items {
		names = append(names, cmp.Or(r.SystemKey, r.Name))
	}
	return role, errs.New(errs.NotFound, "There is no role %q%s", word, cmp.Or(config.Meant(word, names), "."))
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

var grantColumns = columns[people.RoleGrant]("UserID, Role.Name = Role, GrantedAt")
