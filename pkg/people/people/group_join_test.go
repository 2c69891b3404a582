package people_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
	"testing"
	"time"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
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
	// Bytes show as hex in the text of a row.
	holds := func(what string) (groups, events int) {
		err = store.Read(t.Context(), scope, func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), `select
				(select count(*) from groups g where tenant_id = $1 and position($2 in g::text) > 0),
				(select count(*) from ledger_events e where tenant_id = $1 and position($2 in e::text) > 0)`, tx.Tenant(), what).Scan(&groups, &events)
		})
		want(t, err, "")
		return groups, events
	}
	for _, clear := range []string{token, fmt.Sprintf("%x", token)} {
		if groups, events := holds(clear); groups+events > 0 {
			t.Errorf("%d groups and %d events hold the token in clear", groups, events)
		}
	}
	if groups, _ := holds(fmt.Sprintf("%x", sha256.Sum256([]byte(token)))); groups != 1 {
		t.Error("the search does not even find the hash")
	}
}

// A class that joins at once does not queue for the ledger.
func TestJoiningDoesNotWaitForTheLedger(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	group, err := createGroup(t, store, scope, people.GroupInput{Name: "Open"})
	want(t, err, "")
	token, err := rotate(t, store, scope, group.ID)
	want(t, err, "")
	ada := newUser(t, store, scope)
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		sample.HoldLedger(t, tx)
		want(t, joinGroup(t, store, sample.As(scope, ada.ID, capability.GroupsJoin), token), "")
		return nil
	})
	// After somebody was taken out, the ledger still says that they were in, and since when.
	_, err = in(t, store, scope, func(ctx context.Context, tx *db.Tx) (bool, error) {
		return true, people.RemoveMember(ctx, tx, group.ID, ada.ID)
	})
	want(t, err, "")
	var since *time.Time
	err = store.Read(t.Context(), scope, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), `select (payload ->> 'addedAt')::timestamptz from ledger_events
			where tenant_id = $1 and event_type = 'group.member_removed' and subject_id = $2`, tx.Tenant(), ada.ID).Scan(&since)
	})
	want(t, err, "")
	if since == nil {
		t.Error("the event does not say since when")
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
