package access_test

import (
	"errors"
	"testing"
	"time"

	"assess/pkg/dev/await"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
)

func (h *house) refresh(t *testing.T, a *access.Authority, token string) (access.Token, error) {
	t.Helper()
	var fresh access.Token
	err := h.store.Write(t.Context(), h.scope, func(tx *db.Tx) error {
		var err error
		fresh, err = a.Refresh(t.Context(), tx, token)
		return err
	})
	return fresh, err
}

func TestAFreshTokenHasTheRolesOfNow(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Candidate)
	token := h.token(t)
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		role, err := people.FindRole(t.Context(), tx, capability.Author)
		if err == nil {
			_, err = people.GrantRole(t.Context(), tx, h.user.ID, role.ID)
		}
		return err
	})
	fresh, err := h.refresh(t, h.authority, token)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		token string
		want  bool
	}{"old": {token, false}, "fresh": {fresh.Token, true}} {
		s, err := access.NewAuthority(h.store, options()).Authenticate(t.Context(), c.token)
		if err != nil || s.Capabilities.Has(capability.QuestionsWrite) != c.want || s.OrgUnit != h.scope.OrgUnit {
			t.Errorf("%s: got %v, %v, want questions.write %t in the same org unit", name, s, err, c.want)
		}
	}
}

// Nobody gets a fresh token for one that ended a moment ago, even where the process has not
// heard of it yet.
func TestATokenThatEndedIsNotRefreshed(t *testing.T) {
	t.Parallel()
	address, deactivated := ids.New().String()+"@example.org", "deactivated"
	for name, patch := range map[string]people.UserPatch{
		"address": {Email: &address}, "deactivated": {Status: &deactivated}, "left": {OrgUnits: &[]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t, capability.Author)
			token := h.token(t)
			await.Until(t, "the processes follow", func() bool { _, err := h.authority.Authenticate(t.Context(), token); return err == nil })
			h.change(t, patch)
			if _, err := h.refresh(t, h.authority, token); !errors.Is(err, errs.Unauthenticated) {
				t.Errorf("got %v, want unauthenticated", err)
			}
		})
	}
}

func TestRefreshingEndsWithTheSession(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	o := options()
	o.SessionLifetime = o.TokenLifetime
	short := access.NewAuthority(h.store, o)
	first := h.token(t)
	fresh, err := h.refresh(t, short, first)
	if err != nil {
		t.Fatal(err)
	}
	ends := time.Now().Add(o.SessionLifetime)
	if fresh.ExpiresAt.After(ends) {
		t.Errorf("the token of a refresh lasts until %s, the session until %s", fresh.ExpiresAt, ends)
	}
	o.SessionLifetime = 0
	over := access.NewAuthority(h.store, o)
	if _, err := h.refresh(t, over, fresh.Token); !errors.Is(err, errs.TokenExpired) {
		t.Errorf("after the session: got %v, want token_expired", err)
	}
}

// The token of a sign-in link is none that can be refreshed, and another tenant's is not
// refreshed here.
func TestWhatIsNotRefreshed(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	link, token := h.mailed(t), h.token(t)
	if _, err := h.refresh(t, h.authority, link); !errors.Is(err, errs.Unauthenticated) {
		t.Errorf("a link: got %v, want unauthenticated", err)
	}
	h.scope = sample.Tenant(t, h.store)
	if _, err := h.refresh(t, h.authority, token); !errors.Is(err, errs.Unauthenticated) {
		t.Errorf("in another tenant: got %v, want unauthenticated", err)
	}
}
