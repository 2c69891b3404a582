package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
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
	"assess/pkg/surface/httpapi"
)

// becomes waits until a path answers a token with a status.
func (w *town) becomes(t *testing.T, token, path string, status int) {
	t.Helper()
	await.Until(t, fmt.Sprintf("%s is %d", path, status), func() bool {
		return w.send(t, request{method: http.MethodGet, path: path, token: token}).status == status
	})
}

func (w *town) me(t *testing.T, token string) people.User {
	t.Helper()
	var user people.User
	got := w.send(t, request{method: http.MethodGet, path: "/users/me", token: token})
	err := json.Unmarshal(got.body, &user)
	if err != nil || got.status != 200 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	return user
}

func TestTokensOfTheDeactivatedEnd(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	token := w.app.Token(t, capability.Candidate)
	user := w.me(t, token)
	got := w.send(t, request{method: http.MethodPost, path: "/users/" + user.ID.String() + "/deactivate", token: w.home.Token, key: "k1"})
	if got.status != 200 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	w.becomes(t, token, "/users/me", 401)
	got = w.send(t, request{method: http.MethodPost, path: "/users/" + user.ID.String() + "/reactivate", token: w.home.Token, key: "k2"})
	if got.status != 200 {
		t.Fatalf("got %d %s", got.status, got.body)
	}
	w.becomes(t, w.tokenOf(t, user.ID), "/users/me", 200)
	want(t, w.send(t, request{method: http.MethodGet, path: "/users/me", token: token}), 401, errs.Unauthenticated)
}

// tokenOf signs another token for a user of the org unit.
func (w *town) tokenOf(t *testing.T, user ids.ID) string {
	t.Helper()
	var token access.Token
	sample.Write(t, w.app.Store, w.app.Scope, func(tx *db.Tx) error {
		var err error
		token, err = w.app.Authority.IssueToken(t.Context(), tx, user, w.app.OrgUnit)
		return err
	})
	return token.Token
}

func TestRolesEndForTokensAlreadyIssued(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	token := w.app.Token(t, capability.OrgAdmin)
	user := w.me(t, token)
	revoked := w.send(t, request{method: http.MethodDelete, path: "/users/" + user.ID.String() + "/roles/" + user.Roles[0].ID.String(),
		token: w.app.Token(t, capability.TenantAdmin), key: "k"})
	if revoked.status != 204 {
		t.Fatalf("got %d %s", revoked.status, revoked.body)
	}
	w.becomes(t, token, "/users", 403)
}

func TestRedeemingAssignmentTokensIsLimitedPerUser(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	token := w.app.Token(t, capability.Candidate)
	guess := func() response {
		return w.send(t, request{method: http.MethodPost, path: "/assignments/redeem", token: token, key: ids.New().String(), body: map[string]any{"token": ids.New().String()}})
	}
	limitedTo(t, 10, time.Minute, guess, 404, errs.NotFound)
}

// limitedTo makes calls until one is refused as too many: n are answered, and one more for each share of the time
// that went by.
func limitedTo(t *testing.T, n int, per time.Duration, call func() response, status int, code errs.Code) {
	t.Helper()
	begin, got := time.Now(), call()
	answered := 0
	for ; got.status != 429; got = call() {
		want(t, got, status, code)
		answered++
		if most := n + 1 + int(time.Since(begin)/(per/time.Duration(n))); answered > most {
			t.Fatalf("%d calls were answered, want %d at most", answered, most)
		}
	}
	want(t, got, 429, errs.RateLimited)
	if answered < n || got.header.Get("Retry-After") == "" {
		t.Errorf("%d calls were answered, want %d at least; Retry-After %q", answered, n, got.header.Get("Retry-After"))
	}
}

func TestJoiningIsLimitedPerUser(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	token, other := w.app.Token(t, capability.Candidate), w.app.Token(t, capability.Candidate)
	path := "/groups/join/" + strings.Repeat("A", 43)
	limitedTo(t, 10, time.Minute, func() response {
		return w.send(t, request{method: http.MethodPost, path: path, token: token, key: ids.New().String()})
	}, 404, errs.NotFound)
	want(t, w.send(t, request{method: http.MethodPost, path: path, token: other, key: "k"}), 404, errs.NotFound)
}

func TestJoinTokensAreStoredNowhere(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	rotate := request{method: http.MethodPost, path: "/groups/" + w.home.Group.String() + "/join-token", token: w.home.Token, key: "rotate"}
	first, again := w.send(t, rotate), w.send(t, rotate)
	var made people.JoinToken
	err := json.Unmarshal(first.body, &made)
	if err != nil || made.JoinToken == "" || string(again.body) != string(first.body) {
		t.Fatalf("got %s and again %s", first.body, again.body)
	}
	join := request{method: http.MethodPost, path: "/groups/join/" + made.JoinToken, token: w.app.Token(t, capability.Candidate), key: "join"}
	first, again = w.send(t, join), w.send(t, join)
	if first.status != 201 || string(again.body) != string(first.body) || again.header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("got %d %s and again %s", first.status, first.body, again.body)
	}
	join.path = "/groups/join/" + strings.Repeat("A", 43)
	want(t, w.send(t, join), 404, errs.NotFound)
	err = w.app.Store.Read(t.Context(), w.app.Scope, func(tx *db.Tx) error {
		var stored, leaks int
		err := tx.QueryRow(t.Context(), `select count(*), count(*) filter (where position($2 in concat(path, key, encode(body, 'escape'))) > 0
			or key in ('rotate', 'join')) from idempotency_keys where tenant_id = $1 and path like '/groups/%'`, tx.Tenant(), made.JoinToken).Scan(&stored, &leaks)
		if stored != 2 || leaks != 0 {
			t.Errorf("%d answers are stored, %d of them readable; want 2 and none", stored, leaks)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// For every route that answers with a token, the stored answer is sealed.
func TestNoTokenIsStoredInClear(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	shown := 0
	for _, l := range httpapi.Lines() {
		if !l.Once || l.Public {
			continue
		}
		got := w.send(t, w.valid(t, l, w.home))
		if strings.Contains(string(got.body), `oken":"`) {
			shown++
		}
	}
	err := w.app.Store.Read(t.Context(), w.app.Scope, func(tx *db.Tx) error {
		var clear int
		err := tx.QueryRow(t.Context(), "select count(*) from idempotency_keys where tenant_id = $1 and position('oken\":\"' in encode(body, 'escape')) > 0",
			tx.Tenant()).Scan(&clear)
		if shown < 3 || clear > 0 {
			t.Errorf("%d routes answered with tokens, %d of them are stored in clear; want 3 at least and none", shown, clear)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestUserFiltersOverHTTP(t *testing.T) {
	t.Parallel()
	w := newTown(t)
	created := w.send(t, request{method: http.MethodPost, path: "/users", token: w.home.Token, key: "k",
		body: map[string]any{"email": "zoe@example.org", "name": "Zoë Okafor", "metadata": map[string]any{"cohort": "2031", "site": "a=b"}}})
	if created.status != 201 {
		t.Fatalf("got %d %s", created.status, created.body)
	}
	for query, wanted := range map[string]string{"q=zoe+oka": `"total":1`, "meta=cohort%3D2031&meta=site%3Da%3Db": `"total":1`, "q=zoe&status=deactivated": `"total":0`,
		"role=candidate&q=zoe": `"total":0`, "orgUnit=main&q=zoe": `"total":1`, "group=" + w.home.Group.String(): `"total":1`} {
		got := w.send(t, request{method: http.MethodGet, path: "/users?" + query, token: w.home.Token})
		if got.status != 200 || !strings.Contains(string(got.body), wanted) {
			t.Errorf("%s: got %d %s, want %s", query, got.status, got.body, wanted)
		}
	}
	for _, bad := range []string{"status=gone", "meta=x", "q=" + strings.Repeat("a", 201)} {
		want(t, w.send(t, request{method: http.MethodGet, path: "/users?" + bad, token: w.home.Token}), 422, errs.ValidationFailed)
	}
}
