package people_test

import (
	"errors"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

func createOrgUnit(t *testing.T, store *db.Store, scope db.Scope, slug string) people.OrgUnit {
	t.Helper()
	var made people.OrgUnit
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		var err error
		made, err = people.CreateOrgUnit(t.Context(), tx, people.OrgUnitInput{Slug: slug, Name: "Name"})
		return err
	})
	return made
}

func TestOrgUnitIsRenamed(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	made := createOrgUnit(t, store, scope, "nroth")
	createOrgUnit(t, store, scope, "taken")
	rename := func(s db.Scope, p people.OrgUnitPatch) error {
		return store.Write(t.Context(), s, func(tx *db.Tx) error {
			_, err := people.RenameOrgUnit(t.Context(), tx, made.ID, p)
			return err
		})
	}
	want(t, rename(scope, people.OrgUnitPatch{Slug: ptr("taken")}), errs.DuplicateSlug)
	want(t, rename(scope, people.OrgUnitPatch{Slug: ptr("North")}), errs.ValidationFailed)
	want(t, rename(scope, people.OrgUnitPatch{Name: ptr("")}), errs.ValidationFailed)
	want(t, rename(sample.As(scope, ids.New(), capability.UsersManage), people.OrgUnitPatch{Name: ptr("Mine")}), errs.Forbidden)
	want(t, rename(sample.Tenant(t, store), people.OrgUnitPatch{Name: ptr("Mine")}), errs.NotFound)
	want(t, rename(scope, people.OrgUnitPatch{Slug: ptr("north"), Name: ptr("North")}), "")
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		found, err := people.FindOrgUnit(t.Context(), tx, "north")
		if err == nil && (found.ID != made.ID || found.Name != "North") {
			t.Errorf("got %+v", found)
		}
		_, gone := people.FindOrgUnit(t.Context(), tx, "nroth")
		if !errors.Is(db.Translate(gone), errs.NotFound) {
			t.Errorf("the old slug: %v", gone)
		}
		return err
	})
}

// Deleting looks into everything that refers to org units; an org unit that the ledger
// names stays for good.
func TestOrgUnitGoesWhileNothingBelongsToIt(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	empty, used := createOrgUnit(t, store, scope, "empty"), createOrgUnit(t, store, scope, "used")
	remove := func(s db.Scope, id ids.ID) error {
		return store.Write(t.Context(), s, func(tx *db.Tx) error {
			_, err := people.DeleteOrgUnit(t.Context(), tx, id)
			return err
		})
	}
	want(t, remove(sample.As(scope, ids.New(), capability.UsersManage), empty.ID), errs.Forbidden)
	want(t, remove(sample.Tenant(t, store), empty.ID), errs.NotFound)

	var user people.User
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		var err error
		user, err = people.CreateUser(t.Context(), tx, people.UserInput{Email: "a@example.org", OrgUnits: []string{"used"}})
		return err
	})
	uses := func() map[string]int {
		var refused *errs.Error
		err := remove(scope, used.ID)
		if want(t, err, errs.OrgUnitInUse); !errors.As(err, &refused) {
			t.Fatal(err)
		}
		found, _ := refused.Details["uses"].(map[string]int)
		return found
	}
	if got := uses(); got["user_org_units"] != 1 {
		t.Errorf("with a member: %v", got)
	}
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		_, err := people.UpdateUser(t.Context(), tx, user.ID, people.UserPatch{OrgUnits: &[]string{"empty"}})
		return err
	})
	if got := uses(); got["user_org_units"] != 0 || got["ledger_events"] == 0 {
		t.Errorf("without a member: %v", got)
	}

	mistake := createOrgUnit(t, store, scope, "nroth")
	want(t, remove(scope, mistake.ID), "")
	want(t, remove(scope, mistake.ID), errs.NotFound)
}

func TestTenantIsRenamed(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	rename := func(s db.Scope, name string) (people.Tenant, error) {
		var got people.Tenant
		err := store.Write(t.Context(), s, func(tx *db.Tx) error {
			var err error
			got, err = people.RenameTenant(t.Context(), tx, name)
			return err
		})
		return got, err
	}
	_, err := rename(sample.As(scope, ids.New(), capability.UsersManage), "Mine")
	want(t, err, errs.Forbidden)
	_, err = rename(scope, " ")
	want(t, err, errs.ValidationFailed)
	got, err := rename(scope, "Northwind University")
	if err != nil || got.Name != "Northwind University" || got.ID != scope.Tenant {
		t.Errorf("got %+v, %v", got, err)
	}
}
