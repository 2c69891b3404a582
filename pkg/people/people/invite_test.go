package people_test

import (
	"sync"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

func invite(t *testing.T, store *db.Store, scope db.Scope, email string) (ids.ID, error) {
	t.Helper()
	var id ids.ID
	err := store.Write(t.Context(), scope, func(tx *db.Tx) error {
		all, err := people.InviteAll(t.Context(), tx, []string{email})
		if err == nil {
			id = all[0]
		}
		return err
	})
	return id, err
}

func admit(t *testing.T, store *db.Store, scope db.Scope, user, orgUnit ids.ID) error {
	t.Helper()
	return store.Write(t.Context(), scope, func(tx *db.Tx) error { return people.Admit(t.Context(), tx, user, orgUnit) })
}

func getUser(t *testing.T, store *db.Store, scope db.Scope, id ids.ID) people.User {
	t.Helper()
	var user people.User
	err := store.Read(t.Context(), scope, func(tx *db.Tx) error {
		var err error
		user, err = people.GetUser(t.Context(), tx, id)
		return err
	})
	want(t, err, "")
	return user
}

func TestInviteFindsOrMakesTheUser(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	there := newUser(t, store, scope)
	got, err := invite(t, store, scope, there.Email)
	want(t, err, "")
	if got != there.ID {
		t.Errorf("an address that exists gave %s, want its user %s", got, there.ID)
	}
	one, err := invite(t, store, scope, "Zoë@Example.org")
	want(t, err, "")
	two, err := invite(t, store, scope, " ZOË@example.ORG")
	want(t, err, "")
	if one != two {
		t.Error("two spellings of one address made two users")
	}
	user := getUser(t, store, scope, one)
	if user.Status != "invited" || len(user.OrgUnits) != 0 || len(user.Roles) != 0 {
		t.Errorf("got %+v, want an invited user without org unit and role", user)
	}
	_, err = invite(t, store, scope, "nobody")
	want(t, err, errs.ValidationFailed)
	_, err = invite(t, store, sample.As(scope, ids.New(), capability.UsersManage), "x@example.org")
	want(t, err, errs.Forbidden)
}

func TestInvitationsOfOneAddressAtOnceAreOneUser(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	users := make([]ids.ID, 8)
	var wg sync.WaitGroup
	for i := range users {
		wg.Go(func() { users[i], _ = invite(t, store, scope, []string{"eve@x.example", "EVE@X.example"}[i%2]) })
	}
	wg.Wait()
	for _, u := range users {
		if u == ids.None || u != users[0] {
			t.Fatalf("got users %v, want the same one", users)
		}
	}
}

func TestAdmitMakesACandidateAndNoMore(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	id, err := invite(t, store, scope, "new@example.org")
	want(t, err, "")
	redeemer := sample.As(scope, ids.New())
	want(t, admit(t, store, redeemer, id, scope.OrgUnit), "")
	want(t, admit(t, store, redeemer, id, scope.OrgUnit), "")
	user := getUser(t, store, scope, id)
	if user.Status != "active" || len(user.OrgUnits) != 1 || user.OrgUnits[0].ID != scope.OrgUnit ||
		len(user.Roles) != 1 || user.Roles[0].SystemKey != capability.Candidate {
		t.Errorf("got %+v, want an active candidate of one org unit", user)
	}
	want(t, admit(t, store, redeemer, ids.New(), scope.OrgUnit), errs.NotFound)
	elsewhere := sample.Tenant(t, store)
	want(t, admit(t, store, elsewhere, id, elsewhere.OrgUnit), errs.NotFound)
	sample.ChangeAccess(t, store, scope, "update users set status = 'deactivated' where tenant_id = $1 and id = $2", id)
	want(t, admit(t, store, redeemer, id, scope.OrgUnit), errs.NotFound)
}
