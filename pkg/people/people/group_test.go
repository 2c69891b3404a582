package people_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// in runs one operation in a transaction of its own and gives its outcome.
func in[T any](t *testing.T, store *db.Store, scope db.Scope, do func(ctx context.Context, tx *db.Tx) (T, error)) (T, error) {
	t.Helper()
	var out T
	err := store.Write(t.Context(), scope, func(tx *db.Tx) error {
		var err error
		out, err = do(t.Context(), tx)
		return err
	})
	return out, err
}

func createGroup(t *testing.T, store *db.Store, scope db.Scope, input people.GroupInput) (people.GroupDetail, error) {
	t.Helper()
	return in(t, store, scope, func(ctx context.Context, tx *db.Tx) (people.GroupDetail, error) {
		return people.CreateGroup(ctx, tx, input)
	})
}

func updateGroup(t *testing.T, store *db.Store, scope db.Scope, id ids.ID, patch people.GroupPatch) (people.GroupDetail, error) {
	t.Helper()
	return in(t, store, scope, func(ctx context.Context, tx *db.Tx) (people.GroupDetail, error) {
		return people.UpdateGroup(ctx, tx, id, patch)
	})
}

func updateUser(t *testing.T, store *db.Store, scope db.Scope, id ids.ID, patch people.UserPatch) (people.User, error) {
	t.Helper()
	return in(t, store, scope, func(ctx context.Context, tx *db.Tx) (people.User, error) {
		return people.UpdateUser(ctx, tx, id, patch)
	})
}

func members(t *testing.T, store *db.Store, scope db.Scope, group ids.ID) []string {
	t.Helper()
	list, err := in(t, store, scope, func(ctx context.Context, tx *db.Tx) (db.List[people.Member], error) {
		return people.ListMembers(ctx, tx, group, db.Page{Limit: 200})
	})
	want(t, err, "")
	names := []string{}
	for _, m := range list.Items {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	return names
}

func rule(conditions ...people.Condition) *people.Rule { return &people.Rule{All: conditions} }

func newMeta(t *testing.T, store *db.Store, scope db.Scope, name string, metadata map[string]any) people.User {
	t.Helper()
	user, err := create(t, store, scope, people.UserInput{Email: ids.New().String() + "@example.org", Name: name, Metadata: metadata})
	want(t, err, "")
	return user
}

func wantMembers(t *testing.T, got []string, wanted ...string) {
	t.Helper()
	if diff := cmp.Diff(wanted, got); diff != "" && len(wanted)+len(got) > 0 {
		t.Errorf("members (-want +got):\n%s", diff)
	}
}

func TestRulesMeanWhatTheySay(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	for name, metadata := range map[string]map[string]any{
		"text": {"k": "a"}, "other": {"k": "b"}, "number": {"k": 5}, "digit": {"k": "5"}, "yes": {"k": true}, "false": {"k": false},
		"null": {"k": nil}, "list": {"k": []any{"a", "c", 5}}, "nested": {"k": []any{[]any{"a"}}}, "object": {"k": map[string]any{"a": "a"}},
		"none": {"j": "a"}, "case": {"K": "a"}, "quote": {`q"'\ü` + "\n": `v"'\ü` + "\n"}, "both": {"k": "a", "j": "a"},
	} {
		newMeta(t, store, scope, name, metadata)
	}
	tests := []struct {
		name string
		rule *people.Rule
		want []string
	}{
		{"equals a text, not a list with it", rule(people.Condition{Key: "k", Op: "equals", Value: "a"}), []string{"both", "text"}},
		{"equals a number, not its digits", rule(people.Condition{Key: "k", Op: "equals", Value: 5.0}), []string{"number"}},
		{"equals digits, not the number", rule(people.Condition{Key: "k", Op: "equals", Value: "5"}), []string{"digit"}},
		{"equals false, not null", rule(people.Condition{Key: "k", Op: "equals", Value: false}), []string{"false"}},
		{"contains one of", rule(people.Condition{Key: "k", Op: "contains", Values: []any{"x", "c"}}), []string{"list"}},
		{"contains a number", rule(people.Condition{Key: "k", Op: "contains", Value: 5.0}), []string{"list"}},
		{"contains needs a list", rule(people.Condition{Key: "k", Op: "contains", Value: "b"}), nil},
		{"exists, null included", rule(people.Condition{Key: "k", Op: "exists"}),
			[]string{"both", "digit", "false", "list", "nested", "null", "number", "object", "other", "text", "yes"}},
		{"and", rule(people.Condition{Key: "k", Op: "exists"}, people.Condition{Key: "j", Op: "equals", Value: "a"}), []string{"both"}},
		{"every character", rule(people.Condition{Key: `q"'\ü` + "\n", Op: "equals", Value: `v"'\ü` + "\n"}), []string{"quote"}},
		{"no injection", rule(people.Condition{Key: `k" || "a" == "a`, Op: "equals", Value: `a" || "a" == "a`}), nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			group, err := createGroup(t, store, scope, people.GroupInput{Name: test.name, MembershipRule: test.rule})
			want(t, err, "")
			wantMembers(t, members(t, store, scope, group.ID), test.want...)
			if group.MemberCount != len(test.want) || !group.IsDynamic || group.RuleVersion != 1 {
				t.Errorf("got %+v, want a dynamic group with %d members under version 1", group, len(test.want))
			}
		})
	}
}

func TestBadRulesNameEveryProblem(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	_, err := createGroup(t, store, scope, people.GroupInput{Name: " ", AllowedDomains: []string{"a b", "ok.example"}, MembershipRule: rule(
		people.Condition{Op: "equals"},
		people.Condition{Key: "k", Op: "like", Value: "a"},
		people.Condition{Key: "k", Op: "exists", Value: "a", Values: []any{"b"}},
		people.Condition{Key: "k", Op: "contains"},
		people.Condition{Key: "k", Op: "contains", Values: []any{nil, map[string]any{}}},
		people.Condition{Key: "k", Op: "equals", Value: []any{"a"}},
		people.Condition{Key: "k\x00", Op: "exists"},
	)})
	want(t, err, errs.ValidationFailed)
	got := map[string]string{}
	for _, f := range errs.Of(err).Fields {
		got[f.Path] = f.Code
	}
	const at = "membership_rule.all"
	if diff := cmp.Diff(map[string]string{"name": "required", "allowed_domains[0]": "invalid_domain",
		at + "[0].key": "required", at + "[0].value": "required", at + "[1].op": "invalid_choice",
		at + "[2].value": "not_allowed", at + "[2].values": "not_allowed", at + "[3].values": "out_of_range",
		at + "[4].values[0]": "required", at + "[4].values[1]": "invalid_type", at + "[5].value": "invalid_type",
		at + "[6].key": "invalid_text"}, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	yes, no := true, false
	_, err = createGroup(t, store, scope, people.GroupInput{Name: "x", IsDynamic: &yes})
	want(t, err, errs.ValidationFailed)
	_, err = createGroup(t, store, scope, people.GroupInput{Name: "x", IsDynamic: &no, MembershipRule: rule(people.Condition{Key: "k", Op: "exists"})})
	want(t, err, errs.ValidationFailed)
	_, err = createGroup(t, store, scope, people.GroupInput{Name: "x", MembershipRule: rule()})
	want(t, err, errs.ValidationFailed)
}

func TestDynamicGroupsFollowTheirUsers(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	sample.Write(t, store, scope, func(tx *db.Tx) error { sample.OrgUnit(t, tx, "other"); return nil })
	group, err := createGroup(t, store, scope, people.GroupInput{Name: "A", MembershipRule: rule(people.Condition{Key: "team", Op: "equals", Value: "a"})})
	want(t, err, "")
	ada := newMeta(t, store, scope, "Ada", map[string]any{"team": "a"})
	status := func(s string) people.UserPatch { return people.UserPatch{Status: &s} }
	units := func(s ...string) people.UserPatch { return people.UserPatch{OrgUnits: &s} }
	meta := func(m map[string]any) people.UserPatch { return people.UserPatch{Metadata: &m} }
	for _, step := range []struct {
		name  string
		patch people.UserPatch
		want  []string
	}{
		{"created with it", people.UserPatch{}, []string{"Ada"}},
		{"metadata go", meta(map[string]any{}), nil},
		{"metadata come", meta(map[string]any{"team": "a"}), []string{"Ada"}},
		{"deactivated", status("deactivated"), nil},
		{"reactivated", status("active"), []string{"Ada"}},
		{"leaves the org unit", units("other"), nil},
		{"comes back", units("other", "main"), []string{"Ada"}},
	} {
		_, err := updateUser(t, store, scope, ada.ID, step.patch)
		want(t, err, "")
		t.Log(step.name)
		wantMembers(t, members(t, store, scope, group.ID), step.want...)
	}
	_, err = upsert(t, store, scope, people.UserInput{Email: ada.Email, Metadata: map[string]any{"team": "b"}},
		people.UserInput{Email: "bob@example.org", Name: "Bob", Metadata: map[string]any{"team": "a"}})
	want(t, err, "")
	wantMembers(t, members(t, store, scope, group.ID), "Bob")
	_, err = updateGroup(t, store, scope, group.ID, people.GroupPatch{MembershipRule: rule(people.Condition{Key: "team", Op: "equals", Value: "b"})})
	want(t, err, "")
	wantMembers(t, members(t, store, scope, group.ID), "Ada")
	audit := membershipEvents(t, store, scope)
	if len(audit) != 11 {
		t.Errorf("%d changes are in the ledger, want each of the 11: %v", len(audit), audit)
	}
	last := fmt.Sprintf("%s %s 2 not_member member", ada.ID, group.ID)
	if !slices.Contains(audit, last) {
		t.Errorf("the ledger lacks %q: %v", last, audit)
	}
}

// membershipEvents gives the automatic changes as "user group version previous new".
func membershipEvents(t *testing.T, store *db.Store, scope db.Scope) []string {
	t.Helper()
	var events []string
	err := store.Read(t.Context(), scope, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), `select coalesce(array_agg(concat_ws(' ', subject_id, payload ->> 'groupId', payload ->> 'ruleVersion',
			payload ->> 'previous', payload ->> 'new') order by seq), '{}') from ledger_events
			where tenant_id = $1 and event_type = 'group.membership_changed'`, tx.Tenant()).Scan(&events)
	})
	want(t, err, "")
	return events
}

// Users belong to the tenant: a change of one changes groups in every org unit that they are in.
// So somebody who reaches only one of these leads the user out of it and changes nothing else.
func TestDynamicGroupsOfOtherOrgUnitsFollowToo(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	var other people.OrgUnit
	sample.Write(t, store, scope, func(tx *db.Tx) error { other = sample.OrgUnit(t, tx, "other"); return nil })
	ada, err := create(t, store, scope, people.UserInput{Email: "ada@example.org", Name: "Ada", OrgUnits: []string{"main", "other"}})
	want(t, err, "")
	there := scope
	there.OrgUnit = other.ID
	group, err := createGroup(t, store, there, people.GroupInput{Name: "A", MembershipRule: rule(people.Condition{Key: "team", Op: "exists"})})
	want(t, err, "")
	manager := sample.As(scope, ids.New(), capability.UsersManage, capability.GroupsManage)
	_, err = updateUser(t, store, manager, ada.ID, people.UserPatch{Metadata: &map[string]any{"team": "a"}})
	want(t, err, errs.UserOutOfReach)
	_, err = updateUser(t, store, scope, ada.ID, people.UserPatch{Metadata: &map[string]any{"team": "a"}})
	want(t, err, "")
	wantMembers(t, members(t, store, scope, group.ID), "Ada")
	_, err = in(t, store, manager, func(ctx context.Context, tx *db.Tx) (people.GroupDetail, error) {
		return people.GetGroup(ctx, tx, group.ID)
	})
	want(t, err, errs.NotFound)
	_, err = updateUser(t, store, manager, ada.ID, people.UserPatch{OrgUnits: &[]string{}})
	want(t, err, "")
	user := getUser(t, store, scope, ada.ID)
	if len(user.OrgUnits) != 1 || user.OrgUnits[0].Slug != "other" {
		t.Errorf("org units %v, want the one out of reach to stay", user.OrgUnits)
	}
}
