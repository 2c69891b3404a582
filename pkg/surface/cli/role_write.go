package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/people/people"
)

func newRoleCreate(s *Shell) *cobra.Command {
	var in people.RoleInput
	var holds []string
	cmd := &cobra.Command{
		Use:     "create NAME",
		Short:   "Compose a role of the tenant's own; capabilities lists what it can hold",
		Example: "  assessctl role create Invigilator --capability sessions.proctor --capability groups.view --tenant northwind",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.tenantWide()
			in.Name, in.Capabilities = args[0], capabilities(holds)
			role, err := write(s, cmd, in, func(tx *db.Tx) (people.Role, error) {
				return people.CreateRole(cmd.Context(), tx, in)
			})
			if err != nil {
				return err
			}
			return s.showRole(role)
		},
	}
	cmd.Flags().StringVar(&in.Description, "description", "", "what it is for")
	cmd.Flags().StringSliceVar(&holds, "capability", nil, "what its holders may do; repeatable")
	return s.changes(cmd)
}

// roleChanges is what update takes, for the hash of an idempotency key too.
type roleChanges struct {
	Role  string
	Patch people.RolePatch
}

func newRoleUpdate(s *Shell) *cobra.Command {
	var name, description string
	var holds []string
	cmd := &cobra.Command{
		Use:   "update ROLE",
		Short: "Change name, description or capabilities of a role of the tenant's own; holds within a second",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.tenantWide()
			in := roleChanges{args[0], people.RolePatch{Name: ifSet(cmd, "name", &name), Description: ifSet(cmd, "description", &description)}}
			if cmd.Flags().Changed("capability") {
				wanted := capabilities(holds)
				in.Patch.Capabilities = &wanted
			}
			role, err := write(s, cmd, in, func(tx *db.Tx) (people.Role, error) {
				found, err := findRole(cmd.Context(), tx, in.Role)
				if err != nil {
					return found, err
				}
				return people.UpdateRole(cmd.Context(), tx, found.ID, in.Patch)
			})
			if err != nil {
				return err
			}
			return s.showRole(role)
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "new name")
	cmd.Flags().StringVar(&description, "description", "", "new description")
	cmd.Flags().StringSliceVar(&holds, "capability", nil, "what its holders may do: the whole new set; repeatable")
	return s.changes(cmd)
}

func newRoleDelete(s *Shell) *cobra.Command {
	return s.changes(&cobra.Command{
		Use:   "delete ROLE",
		Short: "Delete a role of the tenant's own that nobody has",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.tenantWide()
			err := s.confirm(cmd.Context(), "Delete the role %s?", args[0])
			if err != nil {
				return err
			}
			return changed(s, cmd, args, func(tx *db.Tx) (removed, error) {
				role, err := findRole(cmd.Context(), tx, args[0])
				if err != nil {
					return removed{}, err
				}
				return removed{role.ID, true}, people.DeleteRole(cmd.Context(), tx, role.ID)
			}, removedColumn)
		},
	})
}

func newRoleCapabilities(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "capabilities",
		Short: "List everything that a role can hold",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.tenantWide()
			list, err := read(cmd.Context(), s, people.ListCapabilities)
			if err != nil {
				return err
			}
			return PrintPage(s, list, list.Items, capabilityColumns...)
		},
	}
}

// capabilities gives an empty list, never none: a role may hold nothing.
func capabilities(words []string) []capability.Capability {
	out := []capability.Capability{}
	for _, word := range words {
		out = append(out, capability.Capability(word))
	}
	return out
}
