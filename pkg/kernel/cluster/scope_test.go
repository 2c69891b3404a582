package cluster_test

import (
	"errors"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// The scope that the policies need is known wherever a row lies, on one server and on several.
func TestTheScopeReachesTheRows(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App})
	super := connect(t, urls.Super)
	var tenants []ids.ID
	// Eight tenants lie on both workers, wherever their ids lead them.
	for range 8 {
		tenant := ids.New()
		tenants = append(tenants, tenant)
		_, err := super.Exec(t.Context(), "insert into tenants (id, slug, name, created_at) values ($1, 't-' || $2, 'T', now())", tenant.String(), tenant.String())
		if err != nil {
			t.Fatal(err)
		}
		err = store.Write(t.Context(), db.System(tenant, "test"), func(tx *db.Tx) error { return addOrgUnit(t, tx, "one") })
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, tenant := range tenants {
		var found int
		err := store.Read(t.Context(), db.System(tenant, "test"), func(tx *db.Tx) error {
			// Such a statement goes to all nodes, which is refused elsewhere.
			_, err := tx.Exec(t.Context(), "set local citus.multi_task_query_log_level = 'off'")
			if err != nil {
				return err
			}
			return tx.QueryRow(t.Context(), "select count(*) from org_units").Scan(&found)
		})
		if err != nil || found != 1 {
			t.Errorf("without a condition on the tenant: %d org units (%v), want one's own", found, err)
		}
		other := tenants[(i+1)%len(tenants)]
		err = store.Read(t.Context(), db.System(tenant, "test"), func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), "select count(*) from org_units where tenant_id = $1", other).Scan(&found)
		})
		if err != nil || found != 0 {
			t.Errorf("of another tenant: %d org units (%v)", found, err)
		}
	}
	err := store.Write(t.Context(), db.System(tenants[0], "test"), func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "insert into org_units (tenant_id, id, slug, name, created_at) values ($1, $2, 'two', 'Two', $3)",
			tenants[1], ids.New(), tx.Now())
		return err
	})
	if err == nil {
		t.Error("a row was written for another tenant")
	}
	err = store.Write(t.Context(), db.System(tenants[0], "test"), func(tx *db.Tx) error { return addOrgUnit(t, tx, "one") })
	if e := new(errs.Error); !errors.As(err, &e) || e.Code != errs.DuplicateSlug {
		t.Errorf("the same slug once more ended as %v", err)
	}
}

func addOrgUnit(t *testing.T, tx *db.Tx, slug string) error {
	_, err := tx.Exec(t.Context(), "insert into org_units (tenant_id, id, slug, name, created_at) values ($1, $2, $3, $3, $4)",
		tx.Tenant(), ids.New(), slug, tx.Now())
	return err
}
