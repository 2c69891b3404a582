package access_test

import (
	"errors"
	"testing"
	"time"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
)

func eventually(t *testing.T, within time.Duration, done func() bool) {
	t.Helper()
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if done() {
			return
		}
	}
	t.Errorf("not within %s", within)
}

func TestEveryProcessFollowsAChangeWithinASecond(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	other := h.process(t)
	token := h.token(t)
	can := func(a *access.Authority) bool {
		s, err := a.Authenticate(t.Context(), token)
		return err == nil && s.Capabilities.Has(capability.QuestionsWrite)
	}
	eventually(t, time.Second, func() bool { return can(h.authority) && can(other) })
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		return people.RevokeRole(t.Context(), tx, h.user.ID, h.user.Roles[0].ID)
	})
	eventually(t, time.Second, func() bool { return !can(h.authority) && !can(other) })
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update users set status = 'deactivated' where tenant_id = $1 and id = $2", tx.Tenant(), h.user.ID)
		return err
	})
	eventually(t, time.Second, func() bool {
		_, err := other.Authenticate(t.Context(), token)
		return errors.Is(err, errs.Unauthenticated)
	})
}

func TestNothingIsCachedWhileChangesCannotBeFollowed(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	deaf := access.NewAuthority(h.store, options())
	token := h.token(t)
	if _, err := deaf.Authenticate(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		return people.RevokeRole(t.Context(), tx, h.user.ID, h.user.Roles[0].ID)
	})
	s, err := deaf.Authenticate(t.Context(), token)
	if err != nil || s.Capabilities.Has(capability.QuestionsWrite) {
		t.Errorf("got %v, %v: a process that cannot listen must ask each time", s.Capabilities, err)
	}
}
