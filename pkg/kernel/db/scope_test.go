package db_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

func TestScopeShowsTheTenantsRowsAlone(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	one, other := newTenant(t, store), newTenant(t, store)
	err := store.Write(t.Context(), one, func(tx *db.Tx) error { return addFacet(t.Context(), tx, "a") })
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		whose string
		scope db.Scope
		want  int
	}{{"own", one, 1}, {"another tenant's", other, 0}} {
		err = store.Read(t.Context(), tt.scope, func(tx *db.Tx) error {
			dbtest.AllNodes(t, tx)
			var got int
			err := tx.QueryRow(t.Context(), "select count(*) from facets").Scan(&got)
			if got != tt.want {
				t.Errorf("%s rows: got %d, want %d", tt.whose, got, tt.want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var n int
	err = store.Unscoped().QueryRow(t.Context(), "select count(*) from facets where tenant_id = $1", one.Tenant).Scan(&n)
	if err != nil || n != 0 {
		t.Errorf("without a scope: got %d rows and error %v, want 0 and nil", n, err)
	}
}

func TestScopeRefusesToWriteAnothersRow(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	one, other := newTenant(t, store), newTenant(t, store)
	err := store.Write(t.Context(), one, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `insert into facets (tenant_id, id, domain, slug, label, created_at, updated_at)
			values ($1, $2, 'content', 'x', 'x', now(), now())`, other.Tenant, ids.New())
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "row-level security") {
		t.Errorf("got %v, want a refusal by row-level security", err)
	}
}

// A slip in scope_org_unit(), which the policy of an org unit's tables calls, would open
// every org unit; so each combination of the settings is compared with what it may show.
func TestPolicyOfOrgUnitsFailsClosed(t *testing.T) {
	t.Parallel()
	url := dbtest.Clone(t).App
	scope := newTenant(t, open(t, url))
	one, other := addAsset(t, open(t, url), scope), addAsset(t, open(t, url), scope)
	stranger := newTenant(t, open(t, url))
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	unset := "unset"
	for _, tt := range []struct {
		name, tenant, org, all string
		want                   int
	}{
		{"no setting at all", unset, unset, unset, 0},
		{"no tenant", "", one.String(), "on", 0},
		{"a tenant alone", scope.Tenant.String(), unset, unset, 0},
		{"an empty org unit", scope.Tenant.String(), "", "", 0},
		{"the nil org unit", scope.Tenant.String(), ids.None.String(), "off", 0},
		{"an unknown org unit", scope.Tenant.String(), ids.New().String(), "off", 0},
		{"one org unit", scope.Tenant.String(), one.String(), "off", 1},
		{"the other org unit", scope.Tenant.String(), other.String(), "off", 1},
		{"an org unit, scope_all unset", scope.Tenant.String(), one.String(), unset, 1},
		{"scope_all spelt otherwise", scope.Tenant.String(), "", "true", 0},
		{"every org unit", scope.Tenant.String(), "", "on", 2},
		{"every org unit, from one", scope.Tenant.String(), one.String(), "on", 2},
		{"another tenant with its org unit", stranger.Tenant.String(), one.String(), "off", 0},
		{"another tenant with scope_all", stranger.Tenant.String(), one.String(), "on", 0},
	} {
		tx, err := conn.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		settings := []string{"citus.propagate_set_commands = 'local'"}
		for name, value := range map[string]string{"app.tenant_id": tt.tenant, "app.org_unit_id": tt.org, "app.scope_all": tt.all} {
			if value != unset {
				settings = append(settings, name+" = '"+value+"'")
			}
		}
		for _, s := range settings {
			if _, err := tx.Exec(t.Context(), "set local "+s); err != nil {
				t.Fatal(err)
			}
		}
		var got int
		err = tx.QueryRow(t.Context(), "select count(*) from assets where tenant_id = $1", scope.Tenant).Scan(&got)
		if err != nil || got != tt.want {
			t.Errorf("%s: got %d rows and error %v, want %d", tt.name, got, err, tt.want)
		}
		_ = tx.Rollback(t.Context())
	}
}

// addAsset makes an org unit with one row of an org unit's table.
func addAsset(t *testing.T, store *db.Store, scope db.Scope) ids.ID {
	t.Helper()
	unit, asset, version := ids.New(), ids.New(), ids.New()
	err := store.Write(t.Context(), scope, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `insert into org_units (tenant_id, id, slug, name, created_at) values ($1, $2, $3, 'U', now())`,
			scope.Tenant, unit, "u-"+unit.String())
		if err != nil {
			return err
		}
		_, err = tx.Exec(t.Context(), `insert into assets (tenant_id, id, org_unit_id, name, name_key, media_type, current_id, created_at, updated_at)
			values ($1, $2, $3, 'a.png', 'a.png', 'image/png', $4, now(), now())`, scope.Tenant, asset, unit, version)
		if err != nil {
			return err
		}
		hash := strings.Repeat("0", 64)
		_, err = tx.Exec(t.Context(), `insert into media_blobs (tenant_id, sha256, touched_at) values ($1, $2, now()) on conflict do nothing`,
			scope.Tenant, hash)
		if err != nil {
			return err
		}
		_, err = tx.Exec(t.Context(), `insert into asset_versions (tenant_id, id, org_unit_id, asset_id, number, media_type, size_bytes, sha256, created_at)
			values ($1, $2, $3, $4, 1, 'image/png', 1, $5, now())`, scope.Tenant, version, unit, asset, hash)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return unit
}
