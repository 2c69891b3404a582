package cli

import (
	"context"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/people/people"
)

func newOrg(s *Shell) *cobra.Command {
	return wide(group("org", "Create, rename, delete and list org units", s.operations("org", newOrgCreate(s), newOrgRename(s), newOrgDelete(s))...))
}

func newOrgCreate(s *Shell) *cobra.Command {
	var in people.OrgUnitInput
	cmd := newAct(s, "create SLUG --name NAME", "Create an org unit", with(&in, people.CreateOrgUnit, &in.Slug), fields(orgColumns))
	nameFlag(cmd, &in.Name)
	return cmd
}

func newOrgRename(s *Shell) *cobra.Command {
	var patch people.OrgUnitPatch
	cmd := newAct(s, "rename ORG-UNIT", "Give an org unit another slug or name",
		ofOrgUnit(func(ctx context.Context, tx *db.Tx, u people.OrgUnit) (people.OrgUnit, error) {
			return people.RenameOrgUnit(ctx, tx, u.ID, patch)
		}), fields(orgColumns))
	newText(cmd, &patch.Slug, "slug")
	newText(cmd, &patch.Name, "name")
	cmd.MarkFlagsOneRequired("slug", "name")
	return cmd
}

func newOrgDelete(s *Shell) *cobra.Command {
	return asking(newAct(s, "delete ORG-UNIT", "Delete an org unit that nothing belongs to, and that the ledger never named",
		ofOrgUnit(func(ctx context.Context, tx *db.Tx, u people.OrgUnit) (people.OrgUnit, error) {
			return people.DeleteOrgUnit(ctx, tx, u.ID)
		}), fields(orgColumns)), "Delete the org unit %[1]s?")
}

func ofOrgUnit[T any](do func(context.Context, *db.Tx, people.OrgUnit) (T, error)) work[T] {
	return found("org unit", people.FindOrgUnit, do)
}

var orgColumns = columns[people.OrgUnit]("Slug, Name, CreatedAt, ID*")
