package people_test

import (
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/people/people"
)

// Saying again what already is leaves no trace: no event, and nobody's copy gets stale.
func TestAChangeThatChangesNothingLeavesNoTrace(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	holds := []capability.Capability{capability.UsersRead, capability.GroupsView}
	role, err := createRole(t, store, scope, people.RoleInput{Name: "Helper", Capabilities: holds})
	want(t, err, "")
	group, err := createGroup(t, store, scope, people.GroupInput{Name: "Blue", AllowedDomains: []string{"example.org"},
		MembershipRule: rule(people.Condition{Key: "k", Op: "exists"})})
	want(t, err, "")
	before := events(t, store, scope)
	for _, patch := range []people.RolePatch{{}, {Name: ptr(" Helper "), Description: ptr(""), Capabilities: &holds}} {
		again, err := updateRole(t, store, scope, role.ID, patch)
		want(t, err, "")
		if !again.UpdatedAt.Equal(role.UpdatedAt) {
			t.Errorf("the role was changed at %s by what it was at %s", again.UpdatedAt, role.UpdatedAt)
		}
	}
	for _, patch := range []people.GroupPatch{{}, {Name: ptr("Blue"), IsDynamic: ptr(true), AllowedDomains: &[]string{"EXAMPLE.org"}}} {
		again, err := updateGroup(t, store, scope, group.ID, patch)
		want(t, err, "")
		if !again.UpdatedAt.Equal(group.UpdatedAt) || again.RuleVersion != 1 {
			t.Errorf("the group was changed at %s by what it was at %s", again.UpdatedAt, group.UpdatedAt)
		}
	}
	if got := events(t, store, scope); got != before {
		t.Errorf("%d events for nothing", got-before)
	}
	_, err = updateRole(t, store, scope, role.ID, people.RolePatch{Capabilities: &[]capability.Capability{}})
	want(t, err, "")
	_, err = updateGroup(t, store, scope, group.ID, people.GroupPatch{IsDynamic: ptr(false)})
	want(t, err, "")
	if got := events(t, store, scope); got != before+2 {
		t.Errorf("%d events of two changes", got-before)
	}
}

func events(t *testing.T, store *db.Store, scope db.Scope) int {
	t.Helper()
	var n int
	err := store.Read(t.Context(), scope, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select count(*) from ledger_events where tenant_id = $1", tx.Tenant()).Scan(&n)
	})
	want(t, err, "")
	return n
}
