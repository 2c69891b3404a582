package cli

import (
	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/people/people"
)

func newOrg(s *Shell) *cobra.Command {
	return wide(group("org", "Create and list org units", newOrgCreate(s), newOrgList(s)))
}

func newOrgCreate(s *Shell) *cobra.Command {
	var in people.OrgUnitInput
	cmd := newAct(s, "create SLUG --name NAME", "Create an org unit", with(&in, people.CreateOrgUnit, &in.Slug), fields(orgColumns))
	nameFlag(cmd, &in.Name)
	return cmd
}

func newOrgList(s *Shell) *cobra.Command {
	var page db.Page
	return newList(s, "list", "List the org units of the tenant", &page, with(&page, people.ListOrgUnits), orgColumns)
}

var orgColumns = columns[people.OrgUnit]("Slug, Name, CreatedAt, ID*")
