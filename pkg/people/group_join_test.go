package people_test

import (
	"context"
	"sync"
	"testing"

	"assess/pkg/capability"
	"assess/pkg/db"
	"assess/pkg/errs"
	"assess/pkg/ids"
	"assess/pkg/people"
	"assess/pkg/sample"
)

func joinGroup(t *testing.T, store *db.Store, scope db.Scope, token string) error {
	t.Helper()
	_, err := in(t, store, scope, func(ctx context.Context, tx *db.Tx) (people.Joined, error) {
		return people.JoinGroup(ctx, tx, token)
	})
	return err
}

func rotate(t *testing.T, store *db.Store, scope db.Scope, group ids.ID) (string, error) {
	t.Helper()
	token, err := in(t, store, scope, func(ctx context.Context, tx *db.Tx) (people.JoinToken, error) {
		return people.RotateJoinToken(ctx, tx, group)
	})
	return token.JoinToken, err
}

func add(t *testing.T, store *db.Store, scope db.Scope, group ids.ID, users ...ids.ID) (people.MembersAdded, error) {
	t.Helper()
	return in(t, store, scope, func(ctx context.Context, tx *db.Tx) (people.MembersAdded, error) {
		return people.AddMembers(ctx, tx, group, people.MembersInput{UserIDs: users})
	})
}

func TestJoinFollowsTheWholeFlow(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	sample.Write(t, store, scope, func(tx *db.Tx) error { sample.OrgUnit(t, tx, "other"); return nil })
	group, err := createGroup(t, store, scope, people.GroupInput{Name: "Open", AllowedDomains: []string{"Example.ORG", "bücher.example"}})
	want(t, err, "")
	token, err := rotate(t, store, scope, group.ID)
	want(t, err, "")
	as := func(email, orgUnit string, holds ...capability.Capability) db.Scope {
		user, err := create(t, store, scope, people.UserInput{Email: email, OrgUnits: []string{orgUnit}})
		want(t, err, "")
		s := sample.As(scope, user.ID, holds...)
		s.OrgUnit = user.OrgUnits[0].ID
		return s
	}
	ada := as("ada@example.org", "main", capability.GroupsJoin)
	want(t, joinGroup(t, store, ada, token), "")
	want(t, joinGroup(t, store, ada, token), errs.AlreadyEnrolled)
	want(t, joinGroup(t, store, as("bo@BÜCHER.example", "main", capability.GroupsJoin), token), "")
	want(t, joinGroup(t, store, as("cy@sub.example.org", "main", capability.GroupsJoin), token), errs.DomainNotAllowed)
	want(t, joinGroup(t, store, as("di@example.org", "main", capability.SessionsTake), token), errs.Forbidden)
	want(t, joinGroup(t, store, as("ed@example.org", "other", capability.GroupsJoin), token), errs.NotFound)
	want(t, joinGroup(t, store, as("fi@example.org", "other", capability.GroupsJoin, capability.ScopeAll), token), errs.OrgUnitMismatch)
	want(t, joinGroup(t, store, scope, token), errs.Forbidden)
	gil := as("gil@example.org", "main", capability.GroupsJoin)
	want(t, joinGroup(t, store, gil, token+"x"), errs.NotFound)
	next, err := rotate(t, store, scope, group.ID)
	want(t, err, "")
	want(t, joinGroup(t, store, gil, token), errs.NotFound)
	want(t, joinGroup(t, store, gil, next), "")
	_, err = in(t, store, scope, func(ctx context.Context, tx *db.Tx) (bool, error) {
		return true, people.DropJoinToken(ctx, tx, group.ID)
	})
	want(t, err, "")
	want(t, joinGroup(t, store, as("hy@example.org", "main", capability.GroupsJoin), next), errs.NotFound)
}

func TestTheTokenIsStoredAsAHashAlone(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	group, err := createGroup(t, store, scope, people.GroupInput{Name: "Open"})
	want(t, err, "")
	token, err := rotate(t, store, scope, group.ID)
	want(t, err, "")
	var found bool
	err = store.Read(t.Context(), scope, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), `select exists (select from groups g where position($2 in g::text) > 0)
			or exists (select from ledger_events e where position($2 in e::text) > 0) where $1::uuid is not null`, tx.Tenant(), token).Scan(&found)
	})
	want(t, err, "")
	if found {
		t.Error("the token is stored in clear")
	}
}

func TestTwoJoinsAtOnceEnrolOnce(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	group, err := createGroup(t, store, scope, people.GroupInput{Name: "Open"})
	want(t, err, "")
	token, err := rotate(t, store, scope, group.ID)
	want(t, err, "")
	ada := sample.As(scope, newUser(t, store, scope).ID, capability.GroupsJoin)
	results := make([]error, 6)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() { results[i] = joinGroup(t, store, ada, token) })
	}
	wg.Wait()
	joined := 0
	for _, err := range results {
		if err == nil {
			joined++
			continue
		}
		want(t, err, errs.AlreadyEnrolled)
	}
	if joined != 1 {
		t.Errorf("%d joins succeeded, want 1", joined)
	}
}

func TestMembersByHand(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	sample.Write(t, store, scope, func(tx *db.Tx) error { sample.OrgUnit(t, tx, "other"); return nil })
	group, err := createGroup(t, store, scope, people.GroupInput{Name: "By hand"})
	want(t, err, "")
	ada, bob := newUser(t, store, scope).ID, newUser(t, store, scope).ID
	stranger, err := create(t, store, scope, people.UserInput{Email: "s@example.org", OrgUnits: []string{"other"}})
	want(t, err, "")
	_, err = add(t, store, scope, group.ID, ada, stranger.ID, ids.New())
	want(t, err, errs.ValidationFailed)
	if f := errs.Of(err).Fields; len(f) != 2 || f[0].Path != "userIds[1]" || f[1].Path != "userIds[2]" {
		t.Errorf("got problems %v, want those of the second and third", f)
	}
	got, err := add(t, store, scope, group.ID, ada, bob, ada)
	want(t, err, "")
	if got != (people.MembersAdded{Added: 2}) {
		t.Errorf("got %+v, want 2 added", got)
	}
	got, err = add(t, store, scope, group.ID, ada)
	want(t, err, "")
	if got != (people.MembersAdded{Already: 1}) {
		t.Errorf("got %+v, want 1 already there", got)
	}
	removeMember := func(user ids.ID) error {
		_, err := in(t, store, scope, func(ctx context.Context, tx *db.Tx) (bool, error) {
			return true, people.RemoveMember(ctx, tx, group.ID, user)
		})
		return err
	}
	want(t, removeMember(bob), "")
	want(t, removeMember(bob), errs.NotFound)
	seen, err := in(t, store, sample.As(scope, ids.New(), capability.GroupsView), func(ctx context.Context, tx *db.Tx) (db.List[people.Member], error) {
		return people.ListMembers(ctx, tx, group.ID, db.Page{})
	})
	want(t, err, "")
	if len(seen.Items) != 1 || seen.Items[0].UserID != ada || seen.Items[0].Email != "" || seen.Items[0].Name != "" {
		t.Errorf("got %+v, want one member without name and address", seen.Items)
	}
	dynamic, err := updateGroup(t, store, scope, group.ID, people.GroupPatch{MembershipRule: rule(people.Condition{Key: "k", Op: "exists"})})
	want(t, err, "")
	if dynamic.MemberCount != 0 {
		t.Errorf("%d members, want the rule to put everybody out", dynamic.MemberCount)
	}
	_, err = add(t, store, scope, group.ID, ada)
	want(t, err, errs.GroupIsDynamic)
	want(t, removeMember(ada), errs.GroupIsDynamic)
	_, err = rotate(t, store, scope, group.ID)
	want(t, err, errs.GroupIsDynamic)
	no := false
	_, err = updateGroup(t, store, scope, group.ID, people.GroupPatch{IsDynamic: &no})
	want(t, err, "")
	_, err = add(t, store, scope, group.ID, ada)
	want(t, err, "")
	_, err = updateUser(t, store, scope, ada, people.UserPatch{OrgUnits: &[]string{"other"}})
	want(t, err, "")
	wantMembers(t, members(t, store, scope, group.ID))
}

func TestPreviewTellsWhatARuleWouldDo(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	for name, k := range map[string]string{"a1": "a", "a2": "a", "b1": "b"} {
		newMeta(t, store, scope, name, map[string]any{"k": k})
	}
	group, err := createGroup(t, store, scope, people.GroupInput{Name: "A", MembershipRule: rule(people.Condition{Key: "k", Op: "equals", Value: "a"})})
	want(t, err, "")
	preview := func(r *people.Rule) (people.RulePreview, error) {
		return in(t, store, scope, func(ctx context.Context, tx *db.Tx) (people.RulePreview, error) {
			return people.PreviewRule(ctx, tx, group.ID, people.PreviewInput{MembershipRule: r})
		})
	}
	for _, c := range []struct {
		rule *people.Rule
		want people.RulePreview
	}{
		{nil, people.RulePreview{Members: 2, Fitting: 2}},
		{rule(people.Condition{Key: "k", Op: "equals", Value: "b"}), people.RulePreview{Members: 2, Fitting: 1, Enter: 1, Leave: 2}},
		{rule(people.Condition{Key: "k", Op: "exists"}), people.RulePreview{Members: 2, Fitting: 3, Enter: 1}},
	} {
		got, err := preview(c.rule)
		want(t, err, "")
		if got != c.want {
			t.Errorf("got %+v, want %+v", got, c.want)
		}
	}
	_, err = preview(rule())
	want(t, err, errs.ValidationFailed)
}
