package db_test

import (
	"strings"
	"testing"

	"assess/pkg/db"
	"assess/pkg/dbtest"
	"assess/pkg/ids"
)

func TestScopeShowsTheTenantsRowsAlone(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	one, other := newTenant(t, store), newTenant(t, store)
	err := store.Write(t.Context(), one, func(tx *db.Tx) error { return addFacet(t.Context(), tx, "a") })
	if err != nil {
		t.Fatal(err)
	}
	if got := countFacets(t, store, one); got != 1 {
		t.Errorf("own rows: got %d, want 1", got)
	}
	if got := countFacets(t, store, other); got != 0 {
		t.Errorf("another tenant's rows: got %d, want 0", got)
	}
	var n int
	err = store.Unscoped().QueryRow(t.Context(), "select count(*) from facets").Scan(&n)
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
