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
	itself := func(_ context.Context, _ *db.Tx, role people.Role) (people.Role, error) { return role, nil }
	return wide(group("role", "Compose roles, give them to users and take them away", s.operations("role",
		newShow(s, "show ROLE", "Show a role and its capabilities; ROLE is its key, name or id", found("role", findRole, itself), drawn(drawRole)))...))
}

// findRole names the word that was not found, and the role that may have been meant.
func drawRole(screen *Screen, role people.Role) error {
	err := writeFields(screen, role, roleColumns)
	if err != nil || len(role.Capabilities) == 0 {
		return err
	}
	fmt.Fprintln(screen)
	return Table(screen, described(role.Capabilities), capabilityColumns...)
}

// described keeps the order of the catalogue, where related capabilities are next to each other.
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
