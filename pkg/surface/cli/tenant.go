package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

func newTenant(s *Shell) *cobra.Command {
	return group("tenant", "Create, rename, list and place tenants", newTenantCreate(s), newTenantRename(s), newTenantList(s), newTenantPlace(s), newTenantMove(s),
		wide(newShow(s, "show", "Show the tenant that --tenant names", alone(people.GetTenant), fields(tenantColumns))))
}

func newTenantCreate(s *Shell) *cobra.Command {
	var in people.TenantInput
	cmd := &cobra.Command{
		Use:   "create SLUG --name NAME",
		Short: "Create a tenant with its system roles",
		RunE: func(cmd *cobra.Command, args []string) error {
			in.Slug = args[0]
			tenant, err := createTenant(s, cmd, in)
			if err != nil {
				return err
			}
			return PrintOne(s, tenant, tenantColumns...)
		},
	}
	nameFlag(cmd, &in.Name)
	return s.changes(cmd)
}

func newTenantRename(s *Shell) *cobra.Command {
	var name string
	cmd := newAct(s, "rename --name NAME", "Give the tenant that --tenant names another name; its slug stays",
		func(ctx context.Context, tx *db.Tx, _ []string) (people.Tenant, error) {
			return people.RenameTenant(ctx, tx, name)
		}, fields(tenantColumns))
	nameFlag(cmd, &name)
	return wide(cmd)
}

// createTenant looks for the idempotency key in the tenant that an earlier call with it
// may have made.
func createTenant(s *Shell, cmd *cobra.Command, in people.TenantInput) (people.Tenant, error) {
	store, err := s.Store(cmd.Context())
	if err != nil {
		return people.Tenant{}, err
	}
	existing, err := store.TenantBySlug(cmd.Context(), in.Slug)
	if err != nil && !errors.Is(err, errs.NotFound) {
		return people.Tenant{}, err
	}
	scope := db.Scope{Tenant: existing, All: true}
	if existing == ids.None {
		scope.Tenant = ids.New()
		scope.Actor, err = s.operator()
	} else {
		scope.Actor, err = s.actorIn(cmd.Context(), store, existing)
	}
	if err != nil {
		return people.Tenant{}, err
	}
	return writeIn(s, cmd, store, scope, in, func(tx *db.Tx) (people.Tenant, error) {
		if existing != ids.None {
			return people.Tenant{}, errs.New(errs.DuplicateSlug, "There is a tenant %q already.", in.Slug)
		}
		return people.CreateTenant(cmd.Context(), tx, in)
	})
}

func newTenantList(s *Shell) *cobra.Command {
	return s.onStore("list", "List the tenants of the installation, and where they lie", s.printTenants)
}

// onStore makes a command for records that belong to the installation and to no tenant.
func (s *Shell) onStore(use, short string, do func(context.Context, *db.Store) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, RunE: func(cmd *cobra.Command, _ []string) error {
		store, err := s.Store(cmd.Context())
		if err != nil {
			return err
		}
		return do(cmd.Context(), store)
	}}
}

var tenantColumns = columns[people.Tenant]("Slug, Name, CreatedAt, ID*")

func nameFlag(cmd *cobra.Command, name *string) {
	cmd.Flags().StringVar(name, "name", "", "name for people")
	required(cmd, "name")
}
