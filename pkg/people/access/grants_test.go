package access_test

import (
	"errors"
	"reflect"
	"runtime"
	"testing"

	"assess/pkg/dev/await"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
)

func TestEveryProcessFollowsAChange(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	other := h.process(t)
	token := h.token(t)
	can := func(a *access.Authority) bool {
		s, err := a.Authenticate(t.Context(), token)
		return err == nil && s.Capabilities.Has(capability.QuestionsWrite)
	}
	await.Until(t, "the processes follow", func() bool { return can(h.authority) && can(other) })
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		return people.RevokeRole(t.Context(), tx, h.user.ID, h.user.Roles[0].ID)
	})
	await.Until(t, "the processes follow", func() bool { return !can(h.authority) && !can(other) })
	sample.ChangeAccess(t, h.store, h.scope, "update users set status = 'deactivated' where tenant_id = $1 and id = $2", h.user.ID)
	await.Until(t, "the processes follow", func() bool {
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

// The memory for people is as large as it is said to be, and stays within its bound.
func TestRememberedPeopleTakeBoundedMemory(t *testing.T) {
	a := access.NewAuthority(nil, options())
	const n = 20_000
	before := liveBytes()
	a.Remember(n)
	kept, weighed := a.Remembered()
	each := float64(liveBytes()-before) / n
	if kept != n || each > 600 || each > 2*float64(weighed)/n {
		t.Errorf("%d people take %.0f bytes each, weighed as %d", kept, each, weighed/n)
	}
	t.Logf("%.0f bytes each", each)
	a.Remember(300_000)
	if kept, weighed := a.Remembered(); weighed > access.GrantsMemory || kept < 150_000 {
		t.Errorf("%d people are remembered with %d bytes", kept, weighed)
	}
	runtime.KeepAlive(a)
}

func liveBytes() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// People of one role share what it is able to; somebody who loses the role loses only that.
func TestPeopleShareWhatTheirRolesCan(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author, capability.Candidate)
	second := people.User{}
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) (err error) {
		second, err = people.CreateUser(t.Context(), tx, people.UserInput{Email: "bob@example.org", Name: "Bob",
			OrgUnits: []string{"main"}, Roles: []string{capability.Author, capability.Candidate}})
		return err
	})
	tokens := []string{h.token(t)}
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		token, err := h.authority.IssueToken(t.Context(), tx, second.ID, ids.None)
		tokens = append(tokens, token.Token)
		return err
	})
	var sets []capability.Set
	await.Until(t, "the processes follow", func() bool {
		sets = nil
		for _, token := range tokens {
			s, err := h.authority.Authenticate(t.Context(), token)
			if err != nil {
				t.Fatal(err)
			}
			sets = append(sets, s.Capabilities)
		}
		return reflect.ValueOf(sets[0]).Pointer() == reflect.ValueOf(sets[1]).Pointer()
	})
	if !sets[0].Has(capability.QuestionsWrite) || !sets[0].Has(capability.SessionsTake) {
		t.Errorf("together the roles give %v", sets[0])
	}
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		return people.RevokeRole(t.Context(), tx, h.user.ID, h.user.Roles[0].ID)
	})
	await.Until(t, "the processes follow", func() bool {
		first, err := h.authority.Authenticate(t.Context(), tokens[0])
		if err != nil {
			t.Fatal(err)
		}
		other, err := h.authority.Authenticate(t.Context(), tokens[1])
		if err != nil {
			t.Fatal(err)
		}
		return len(first.Capabilities) < len(other.Capabilities) && len(other.Capabilities) == len(sets[0])
	})
}
