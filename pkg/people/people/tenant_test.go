package people_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// want fails unless err has the code; an empty code means no error.
func want(t *testing.T, err error, code errs.Code) {
	t.Helper()
	if (code == "" && err != nil) || (code != "" && !errors.Is(err, code)) {
		t.Fatalf("error = %v, want %q", err, code)
	}
}

func TestCreateTenantSeedsSystemRoles(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	var got db.List[people.Role]
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		var err error
		got, err = people.ListRoles(t.Context(), tx, db.Page{Limit: 100})
		return err
	})
	wanted := map[string]int{}
	for _, r := range capability.SystemRoles {
		wanted[r.Key] = len(r.Capabilities)
	}
	seeded := map[string]int{}
	for _, r := range got.Items {
		seeded[r.SystemKey] = len(r.Capabilities)
	}
	if diff := cmp.Diff(wanted, seeded); diff != "" {
		t.Errorf("capabilities by system role (-want +got):\n%s", diff)
	}
}

func TestOnlyOperatorsCreateTenants(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.As(db.Scope{Tenant: ids.New()}, ids.New(), capability.ScopeAll)
	err := store.Write(t.Context(), scope, func(tx *db.Tx) error {
		_, err := people.CreateTenant(t.Context(), tx, people.TenantInput{Slug: "mine", Name: "Mine"})
		return err
	})
	want(t, err, errs.Forbidden)
}

func TestTenantSlugIsUniqueAndWellFormed(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	create := func(slug string) error {
		scope := db.Scope{Tenant: ids.New(), Actor: db.Actor{Kind: db.OperatorActor, Name: "op"}}
		return store.Write(t.Context(), scope, func(tx *db.Tx) error {
			_, err := people.CreateTenant(t.Context(), tx, people.TenantInput{Slug: slug, Name: "N"})
			return err
		})
	}
	slug := "s-" + ids.New().String()
	want(t, create(slug), "")
	want(t, create(slug), errs.DuplicateSlug)
	for _, bad := range []string{"", "-a", "A", "a b", "ä", "a\n"} {
		want(t, create(bad), errs.ValidationFailed)
	}
}

func TestOrgUnitNeedsScopeAll(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	create := func(scope db.Scope, slug string) error {
		return store.Write(t.Context(), scope, func(tx *db.Tx) error {
			_, err := people.CreateOrgUnit(t.Context(), tx, people.OrgUnitInput{Slug: slug, Name: "Sales"})
			return err
		})
	}
	want(t, create(sample.As(scope, ids.New(), capability.UsersManage), "sales"), errs.Forbidden)
	want(t, create(sample.As(scope, ids.New(), capability.UsersManage, capability.ScopeAll), "sales"), "")
	want(t, create(scope, "sales"), errs.DuplicateSlug)
}

func TestOrgUnitsStayInTheirTenant(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	one, two := sample.Tenant(t, store), sample.Tenant(t, store)
	sample.Write(t, store, one, func(tx *db.Tx) error {
		sample.OrgUnit(t, tx, "only-here")
		return nil
	})
	err := store.Read(t.Context(), two, func(tx *db.Tx) error {
		list, err := people.ListOrgUnits(t.Context(), tx, db.Page{})
		if err != nil {
			return err
		}
		if list.Total != 1 {
			t.Errorf("the other tenant sees %d org units, want its own", list.Total)
		}
		_, err = people.FindOrgUnit(t.Context(), tx, "only-here")
		return err
	})
	want(t, err, errs.NotFound)
}
