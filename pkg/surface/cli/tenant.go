package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

func newTenant(s *Shell) *cobra.Command {
	return group("tenant", "Create and list tenants", newTenantCreate(s), newTenantList(s), newTenantShow(s))
}

func newTenantCreate(s *Shell) *cobra.Command {
	var in people.TenantInput
	cmd := &cobra.Command{
		Use:     "create SLUG --name NAME",
		Short:   "Create a tenant with its system roles",
		Example: "  assessctl tenant create northwind --name 'Northwind College'",
		Args:    cobra.ExactArgs(1),
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
	scope := db.Scope{Tenant: existing, All: true, Actor: s.operator()}
	if existing == ids.None {
		scope.Tenant = ids.New()
	}
	return writeIn(s, cmd, store, scope, in, func(tx *db.Tx) (people.Tenant, error) {
		if existing != ids.None {
			return people.Tenant{}, errs.New(errs.DuplicateSlug, "There is a tenant %q already.", in.Slug)
		}
		return people.CreateTenant(cmd.Context(), tx, in)
	})
}

func newTenantList(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the tenants of the installation",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := s.Store(cmd.Context())
			if err != nil {
				return err
			}
			tenants, err := people.ListTenants(cmd.Context(), store, s.operator())
			if err != nil {
				return err
			}
			return Print(s, tenants, tenantColumns...)
		},
	}
}

func newTenantShow(s *Shell) *cobra.Command {
	return &cobra.Command{
		Use:   "show",
		Short: "Show the tenant that --tenant names",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s.tenantWide()
			return printed(s, cmd, func(tx *db.Tx) (people.Tenant, error) {
				return people.GetTenant(cmd.Context(), tx)
			}, tenantColumns...)
		},
	}
}

var tenantColumns = columns[people.Tenant]("Slug, Name, CreatedAt, ID*")

func nameFlag(cmd *cobra.Command, name *string) {
	cmd.Flags().StringVar(name, "name", "", "name for people")
	required(cmd, "name")
}
