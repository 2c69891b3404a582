package people_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/people/people"
)

// However a change of the rule, changes of metadata and imports meet, in the end the
// members are the ones that the rule and the metadata say.
func TestRuleAndMetadataChangedAtOnceAgreeInTheEnd(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	group, err := createGroup(t, store, scope, people.GroupInput{Name: "G"})
	want(t, err, "")
	users := make([]people.User, 4)
	for i := range users {
		users[i] = newMeta(t, store, scope, fmt.Sprintf("U%d", i), map[string]any{"k": "a"})
	}
	for round := range 15 {
		value := []string{"a", "b"}[round%2]
		var wg sync.WaitGroup
		wg.Go(func() {
			_, err := updateGroup(t, store, scope, group.ID, people.GroupPatch{MembershipRule: rule(people.Condition{Key: "k", Op: "equals", Value: value})})
			want(t, err, "")
		})
		wg.Go(func() {
			_, err := createGroup(t, store, scope, people.GroupInput{Name: fmt.Sprint("New ", round), MembershipRule: rule(people.Condition{Key: "k", Op: "equals", Value: "b"})})
			want(t, err, "")
		})
		for i, u := range users {
			metadata := map[string]any{"k": []string{"a", "b"}[(round+i)/2%2]}
			wg.Go(func() {
				if i%2 == 0 {
					_, err := upsert(t, store, scope, people.UserInput{Email: u.Email, Metadata: metadata})
					want(t, err, "")
					return
				}
				_, err := updateUser(t, store, scope, u.ID, people.UserPatch{Metadata: &metadata})
				want(t, err, "")
			})
		}
		wg.Wait()
		wantRulesToHold(t, store, scope)
	}
}

// wantRulesToHold compares the stored members of every dynamic group with its rule.
func wantRulesToHold(t *testing.T, store *db.Store, scope db.Scope) {
	t.Helper()
	var wrong int
	err := store.Read(t.Context(), scope, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), `
			select count(*) from (
				select g.id, u.id from groups g join users u on u.tenant_id = g.tenant_id
				where g.tenant_id = $1 and g.is_dynamic and u.metadata @@ g.membership_path
			) fits (g, u) full join (select group_id, user_id from group_members where tenant_id = $1) has (g, u) using (g, u)
			where fits is null or has is null`, tx.Tenant()).Scan(&wrong)
	})
	want(t, err, "")
	if wrong > 0 {
		t.Fatalf("%d memberships are not as the rules say", wrong)
	}
}

func TestJoinBesideARuleChange(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	for round := range 10 {
		group, err := createGroup(t, store, scope, people.GroupInput{Name: fmt.Sprint("G", round)})
		want(t, err, "")
		token, err := rotate(t, store, scope, group.ID)
		want(t, err, "")
		ada := sample.As(scope, newUser(t, store, scope).ID, capability.GroupsJoin)
		var joined error
		var wg sync.WaitGroup
		wg.Go(func() { joined = joinGroup(t, store, ada, token) })
		wg.Go(func() {
			_, err := updateGroup(t, store, scope, group.ID, people.GroupPatch{MembershipRule: rule(people.Condition{Key: "k", Op: "exists"})})
			want(t, err, "")
		})
		wg.Wait()
		if joined != nil {
			want(t, joined, errs.NotFound)
		}
		wantMembers(t, members(t, store, scope, group.ID))
	}
}

func TestLeavingTheOrgUnitBesideAJoin(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	group, err := createGroup(t, store, scope, people.GroupInput{Name: "G"})
	want(t, err, "")
	token, err := rotate(t, store, scope, group.ID)
	want(t, err, "")
	for range 10 {
		user := newUser(t, store, scope)
		var joined error
		var wg sync.WaitGroup
		wg.Go(func() { joined = joinGroup(t, store, sample.As(scope, user.ID, capability.GroupsJoin), token) })
		wg.Go(func() {
			_, err := updateUser(t, store, scope, user.ID, people.UserPatch{OrgUnits: &[]string{}})
			want(t, err, "")
		})
		wg.Wait()
		if joined != nil {
			want(t, joined, errs.OrgUnitMismatch)
		}
		wantMembers(t, members(t, store, scope, group.ID))
	}
}

func TestDeletedGroupsAreGone(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	group, err := createGroup(t, store, scope, people.GroupInput{Name: "G"})
	want(t, err, "")
	_, err = createGroup(t, store, scope, people.GroupInput{Name: "g"})
	want(t, err, errs.DuplicateName)
	_, err = add(t, store, scope, group.ID, newUser(t, store, scope).ID)
	want(t, err, "")
	drop := func() error {
		_, err := in(t, store, scope, func(ctx context.Context, tx *db.Tx) (bool, error) { return true, people.DeleteGroup(ctx, tx, group.ID) })
		return err
	}
	want(t, drop(), "")
	want(t, drop(), errs.NotFound)
	_, err = updateGroup(t, store, scope, group.ID, people.GroupPatch{})
	want(t, err, errs.NotFound)
}
