package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/people/people"
)

func newOrg(s *Shell) *cobra.Command {
	return group("org", "Create and list org units", newOrgCreate(s), newOrgList(s))
}

func newOrgCreate(s *Shell) *cobra.Command {
	var in people.OrgUnitInput
	cmd := &cobra.Command{
		Use:     "create SLUG --name NAME",
		Short:   "Create an org unit",
		Example: "  assessctl org create north --name 'North campus' --tenant northwind",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			s.tenantWide()
			in.Slug = args[0]
			return changed(s, cmd, in, func(tx *db.Tx) (people.OrgUnit, error) {
				return people.CreateOrgUnit(cmd.Context(), tx, in)
			}, orgColumns...)
		},
	}
	nameFlag(cmd, &in.Name)
	return s.changes(cmd)
}

func newOrgList(s *Shell) *cobra.Command {
	var page db.Page
	return pages(&cobra.Command{
		Use:   "list",
		Short: "List the org units of the tenant",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.tenantWide()
			return printedList(s, cmd, func(tx *db.Tx) (db.List[people.OrgUnit], error) {
				return people.ListOrgUnits(cmd.Context(), tx, page)
			}, orgColumns...)
		},
	}, &page)
}

var orgColumns = columns[people.OrgUnit]("Slug, Name, CreatedAt, ID*")
