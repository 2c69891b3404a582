package db

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/ids"
)

// TenantBySlug finds a tenant before a scope exists; not_found when there is none.
func (s *Store) TenantBySlug(ctx context.Context, slug string) (ids.ID, error) {
	var id *ids.ID
	err := s.Unscoped().QueryRow(ctx, "select tenant_by_slug($1)", slug).Scan(&id)
	if err != nil {
		return ids.None, Translate(err)
	}
	if id == nil {
		return ids.None, notFound("tenant")
	}
	return *id, nil
}

// Tenants gives the tenants of the installation.
func (s *Store) Tenants(ctx context.Context) ([]ids.ID, error) {
	return s.Unscoped().IDs(ctx, "select all_tenants()")
}

// IDs runs a prepared lookup that gives only ids.
func (u Unscoped) IDs(ctx context.Context, lookup string) ([]ids.ID, error) {
	rows, err := u.Query(ctx, lookup)
	if err != nil {
		return nil, err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", lookup, Translate(err))
	}
	return found, nil
}
