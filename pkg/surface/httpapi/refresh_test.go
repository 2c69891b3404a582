package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assess/pkg/dev/await"
	"assess/pkg/kernel/capability"
	"assess/pkg/people/people"
)

func (w *town) self(t *testing.T, token string) people.Self {
	t.Helper()
	var self people.Self
	got := w.send(t, request{method: http.MethodGet, path: "/users/me", token: token})
	err := json.Unmarshal(got.body, &self)
	if err != nil || got.status != 200 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	return self
}

// A role that is granted counts from the next token on, and /users/me says so before and after.
// Refreshing takes no Idempotency-Key and gives only a token, no step-up proof.
func TestAGrantedRoleHoldsAfterRefreshing(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	token := w.app.Token(t, capability.Candidate)
	before := w.self(t, token)
	if before.OrgUnit.ID != w.app.OrgUnit || !slices.Contains(before.Capabilities, capability.SessionsTake) || len(before.Roles) != 1 {
		t.Errorf("got %+v", before)
	}
	var roles struct{ Items []people.Role }
	err := json.Unmarshal(w.send(t, request{method: http.MethodGet, path: "/roles?limit=200", token: w.home.Token}).body, &roles)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(roles.Items, func(r people.Role) bool { return r.SystemKey == capability.Proctor })
	got := w.send(t, request{method: http.MethodPost, path: "/users/" + before.ID.String() + "/roles", token: w.home.Token, key: "k",
		body: map[string]any{"roleId": roles.Items[i].ID}})
	if got.status != 200 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	got = w.send(t, request{method: http.MethodPost, path: "/auth/refresh", token: token})
	var fresh map[string]string
	err = json.Unmarshal(got.body, &fresh)
	if diff := cmp.Diff([]string{"expiresAt", "token"}, slices.Sorted(maps.Keys(fresh))); err != nil || got.status != 200 || diff != "" {
		t.Fatalf("got %d %s, %v", got.status, got.body, err)
	}
	for name, c := range map[string]struct {
		token string
		want  bool
	}{"old": {token, false}, "fresh": {fresh["token"], true}} {
		// The roles of people are cached, and the cache follows a change.
		await.Until(t, fmt.Sprintf("%s token: two roles and sessions.proctor %t", name, c.want), func() bool {
			self := w.self(t, c.token)
			return len(self.Roles) == 2 && slices.Contains(self.Capabilities, capability.SessionsProctor) == c.want
		})
	}
}

func TestRefreshingIsLimitedPerUser(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	refresh := request{method: http.MethodPost, path: "/auth/refresh", token: w.app.Token(t, capability.Candidate)}
	limitedTo(t, 10, time.Minute, func() response { return w.send(t, refresh) }, 200, "")
}

func TestTheCaseOfBearerSaysNothing(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	for header, status := range map[string]int{"bearer ": 200, "BEARER ": 200, "Bearer  ": 200, "Basic ": 401, "Bearer": 401, "": 401} {
		res, text := fetch(t, http.MethodGet, w.app.URL+"/api/v1/users/me", map[string]string{"Authorization": header + w.home.Token}, nil)
		if res.StatusCode != status {
			t.Errorf("%q: got %d %s, want %d", header, res.StatusCode, text, status)
		}
	}
}
