package people_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

func ptr[T any](v T) *T { return &v }

func TestUpdateUserChangesWhatItNames(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	ada := newMeta(t, store, scope, "Ada", map[string]any{"team": "a"})
	newMeta(t, store, scope, "Bob", nil)
	bob, err := create(t, store, scope, people.UserInput{Email: "Straße@example.org"})
	want(t, err, "")
	got, err := updateUser(t, store, scope, ada.ID, people.UserPatch{Name: ptr(" Ada Byron "), Email: ptr("Ada@Example.org"), UpdatedAt: &ada.UpdatedAt})
	want(t, err, "")
	if got.Name != "Ada Byron" || got.Email != "Ada@Example.org" || got.Metadata["team"] != "a" || len(got.OrgUnits) != 1 {
		t.Errorf("got %+v", got)
	}
	for _, c := range []struct {
		name  string
		id    ids.ID
		patch people.UserPatch
		code  errs.Code
	}{
		{"nobody", ids.New(), people.UserPatch{Name: ptr("x")}, errs.NotFound},
		{"stale", ada.ID, people.UserPatch{Name: ptr("x"), UpdatedAt: ptr(ada.UpdatedAt.Add(-time.Second))}, errs.StaleUpdate},
		{"an address of somebody else, folded", ada.ID, people.UserPatch{Email: ptr("STRASSE@EXAMPLE.org")}, errs.DuplicateEmail},
		{"no address", ada.ID, people.UserPatch{Email: ptr("x")}, errs.ValidationFailed},
		{"a control character", ada.ID, people.UserPatch{Name: ptr("a\nb")}, errs.ValidationFailed},
		{"no such org unit", ada.ID, people.UserPatch{OrgUnits: &[]string{"nowhere"}}, errs.ValidationFailed},
		{"no such status", bob.ID, people.UserPatch{Status: ptr("invited")}, errs.ValidationFailed},
	} {
		_, err := updateUser(t, store, scope, c.id, c.patch)
		t.Log(c.name)
		want(t, err, c.code)
	}
	again, err := updateUser(t, store, scope, ada.ID, people.UserPatch{Name: ptr("Ada Byron")})
	want(t, err, "")
	if diff := cmp.Diff(got.UpdatedAt, again.UpdatedAt); diff != "" {
		t.Error("a patch that changes nothing counts as a change")
	}
	_, err = updateUser(t, store, sample.As(scope, ids.New(), capability.UsersRead), ada.ID, people.UserPatch{})
	want(t, err, errs.Forbidden)
	_, err = updateUser(t, store, sample.Tenant(t, store), ada.ID, people.UserPatch{})
	want(t, err, errs.NotFound)
}

// Anyone who sets the address of somebody mightier would sign in as them.
func TestNobodyTakesOverTheMightier(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	author := newUser(t, store, scope, capability.Author)
	candidate := newUser(t, store, scope, capability.Candidate)
	manager := sample.As(scope, ids.New(), capability.UsersManage, capability.SessionsTake, capability.GroupsJoin)
	for _, patch := range []people.UserPatch{{Email: ptr("mine@example.org")}, {Status: ptr("deactivated")}} {
		_, err := updateUser(t, store, manager, author.ID, patch)
		want(t, err, errs.Forbidden)
		_, err = updateUser(t, store, manager, candidate.ID, patch)
		want(t, err, "")
	}
	_, err := updateUser(t, store, manager, author.ID, people.UserPatch{Name: ptr("A name is no key"), Email: &author.Email})
	want(t, err, "")
	self := sample.As(scope, author.ID, capability.UsersManage)
	_, err = updateUser(t, store, self, author.ID, people.UserPatch{Email: ptr("own@example.org")})
	want(t, err, "")
}

func deactivate(t *testing.T, store *db.Store, scope db.Scope, id ids.ID) error {
	t.Helper()
	_, err := in(t, store, scope, func(ctx context.Context, tx *db.Tx) (people.User, error) {
		return people.DeactivateUser(ctx, tx, id)
	})
	return err
}

func TestTheLastTenantAdminIsNotDeactivated(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	one := newUser(t, store, scope, capability.TenantAdmin)
	want(t, deactivate(t, store, scope, one.ID), errs.LastTenantAdmin)
	_, err := updateUser(t, store, scope, one.ID, people.UserPatch{Status: ptr("deactivated")})
	want(t, err, errs.LastTenantAdmin)
	two := newUser(t, store, scope, capability.TenantAdmin)
	want(t, deactivate(t, store, scope, one.ID), "")
	want(t, deactivate(t, store, scope, one.ID), "")
	want(t, deactivate(t, store, scope, two.ID), errs.LastTenantAdmin)
}

func TestDeactivationAndRevocationAtOnceLeaveAnAdmin(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	role := systemRole(t, store, scope, capability.TenantAdmin)
	for range 10 {
		one, two := newUser(t, store, scope, capability.TenantAdmin), newUser(t, store, scope, capability.TenantAdmin)
		var first, second error
		var wg sync.WaitGroup
		wg.Go(func() { first = deactivate(t, store, scope, one.ID) })
		wg.Go(func() { second = revoke(t, store, scope, two.ID, role) })
		wg.Wait()
		if (first == nil) == (second == nil) {
			t.Fatalf("deactivation ended with %v, revocation with %v, want exactly one to succeed", first, second)
		}
		dropAdmins(t, store, scope, role)
	}
}

func TestImportActivatesTheInvited(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	id, err := invite(t, store, scope, "new@example.org")
	want(t, err, "")
	changes, err := upsert(t, store, scope, people.UserInput{Email: "NEW@example.org"})
	want(t, err, "")
	if changes[0] != people.Changed || getUser(t, store, scope, id).Status != "active" {
		t.Errorf("got %v, status %s", changes, getUser(t, store, scope, id).Status)
	}
}

func TestListUsersFinds(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope, elsewhere := sample.Tenant(t, store), sample.Tenant(t, store)
	for _, s := range []db.Scope{scope, elsewhere} {
		for _, in := range []people.UserInput{
			{Email: "ada.lovelace@example.org", Name: "Ada Byron", Roles: []string{"author"}, Metadata: map[string]any{"cohort": "2031", "tags": []any{"x", 7}}},
			{Email: "zoe@bücher.example", Name: "Zoë O'Neil-Šimek", Metadata: map[string]any{"cohort": "2032", "n": 5, "ok": true}},
			{Email: "bob@example.org", Name: "Боб Кузнецов", Metadata: map[string]any{"k'\\y": "v'\\"}},
		} {
			_, err := create(t, store, s, in)
			want(t, err, "")
		}
	}
	all := []string{"ada.lovelace@example.org", "zoe@bücher.example", "bob@example.org"}
	for _, c := range []struct {
		name   string
		filter people.UserFilter
		want   []string
	}{
		{"all", people.UserFilter{}, all},
		{"a word", people.UserFilter{Search: "byron"}, all[:1]},
		{"beginnings of words", people.UserFilter{Search: "AD  byr"}, all[:1]},
		{"no middle of a word", people.UserFilter{Search: "yron"}, nil},
		{"an address", people.UserFilter{Search: "Ada.Lovelace@example.org"}, all[:1]},
		{"part of an address", people.UserFilter{Search: "lovel"}, all[:1]},
		{"a domain", people.UserFilter{Search: "example.org"}, []string{all[0], all[2]}},
		{"without accents", people.UserFilter{Search: "zoe simek"}, all[1:2]},
		{"with accents", people.UserFilter{Search: "ZOË"}, all[1:2]},
		{"an apostrophe", people.UserFilter{Search: "o'neil"}, all[1:2]},
		{"a hyphen", people.UserFilter{Search: "neil-sim"}, all[1:2]},
		{"another script", people.UserFilter{Search: "кузн"}, all[2:]},
		{"signs of the query language", people.UserFilter{Search: `ada:* | '\ & !x`}, nil},
		{"nothing to look for", people.UserFilter{Search: "!!"}, nil},
		{"role by key", people.UserFilter{Role: "author"}, all[:1]},
		{"role by name", people.UserFilter{Role: "Author"}, all[:1]},
		{"org unit", people.UserFilter{OrgUnit: "main"}, all},
		{"no such org unit", people.UserFilter{OrgUnit: "nowhere"}, nil},
		{"status", people.UserFilter{Status: "deactivated"}, nil},
		{"metadata text", people.UserFilter{Metadata: []string{"cohort=2031"}}, all[:1]},
		{"metadata number", people.UserFilter{Metadata: []string{"n=5"}}, all[1:2]},
		{"metadata boolean", people.UserFilter{Metadata: []string{"ok=true", "n=5"}}, all[1:2]},
		{"metadata list", people.UserFilter{Metadata: []string{"tags=7"}}, all[:1]},
		{"metadata is exact", people.UserFilter{Metadata: []string{"cohort=203"}}, nil},
		{"metadata quoted", people.UserFilter{Metadata: []string{`k'\y=v'\`}}, all[2:]},
		{"both", people.UserFilter{Search: "ada", Metadata: []string{"cohort=2032"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := in(t, store, sample.As(scope, ids.New(), capability.UsersRead), func(ctx context.Context, tx *db.Tx) (db.List[people.User], error) {
				return people.ListUsers(ctx, tx, c.filter)
			})
			want(t, err, "")
			var got []string
			for _, u := range list.Items {
				got = append(got, u.Email)
			}
			if diff := cmp.Diff(c.want, got); diff != "" || list.Total != len(c.want) {
				t.Errorf("total %d (-want +got):\n%s", list.Total, diff)
			}
		})
	}
	_, err := in(t, store, scope, func(ctx context.Context, tx *db.Tx) (db.List[people.User], error) {
		return people.ListUsers(ctx, tx, people.UserFilter{Status: "gone", Metadata: []string{"x", "=y"}})
	})
	want(t, err, errs.ValidationFailed)
	if n := len(errs.Of(err).Fields); n != 3 {
		t.Errorf("%d problems, want 3", n)
	}
}

func TestMeIsOnesOwn(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	user := newUser(t, store, scope, capability.Candidate)
	me := func(s db.Scope) (people.Self, error) { return in(t, store, s, people.Me) }
	got, err := me(sample.As(scope, user.ID, capability.SessionsTake, capability.GroupsJoin))
	want(t, err, "")
	if got.ID != user.ID {
		t.Errorf("got %s, want one's own record", got.ID)
	}
	if diff := cmp.Diff([]capability.Capability{capability.GroupsJoin, capability.SessionsTake}, got.Capabilities); diff != "" || got.OrgUnit.ID != scope.OrgUnit {
		t.Errorf("org unit %v, capabilities (-want +got):\n%s", got.OrgUnit, diff)
	}
	if got, err = me(sample.As(scope, user.ID)); err != nil || got.Capabilities == nil {
		t.Errorf("without capabilities: %v, %v, want an empty list", got.Capabilities, err)
	}
	_, err = me(scope)
	want(t, err, errs.Forbidden)
}
