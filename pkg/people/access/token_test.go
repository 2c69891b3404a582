package access_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"assess/pkg/dev/await"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
)

func TestTokenGivesTheScopeOfItsUser(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	got, err := h.authority.Authenticate(t.Context(), h.token(t))
	if err != nil {
		t.Fatal(err)
	}
	if got.Tenant != h.scope.Tenant || got.OrgUnit != h.scope.OrgUnit || got.Actor.ID != h.user.ID || got.All {
		t.Errorf("got %+v", got)
	}
	if !got.Capabilities.Has(capability.QuestionsWrite) || got.Capabilities.Has(capability.UsersManage) {
		t.Errorf("got capabilities %v", got.Capabilities)
	}
}

func TestTokenCarriesNothingLargeOrMutable(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.TenantAdmin)
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(h.token(t), ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	var claims map[string]any
	err = json.Unmarshal(payload, &claims)
	if err != nil {
		t.Fatal(err)
	}
	for name := range claims {
		switch name {
		case "userId", "tenantId", "orgUnitId", "roleIds", "generation", "auth_time", "iss", "iat", "exp", "jti":
		default:
			t.Errorf("the token also carries %q", name)
		}
	}
}

func TestBadTokensAreRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	good := h.token(t)
	_, forger, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(good, ".")
	claims := func(change func(jwt.MapClaims)) jwt.MapClaims {
		c := jwt.MapClaims{"iss": "assessd", "exp": time.Now().Add(time.Hour).Unix(), "iat": time.Now().Unix(), "auth_time": time.Now().Unix(),
			"userId": h.user.ID, "tenantId": h.scope.Tenant, "orgUnitId": h.scope.OrgUnit}
		change(c)
		return c
	}
	extended := map[string]any{}
	signed := func(key ed25519.PrivateKey, kid string, c jwt.MapClaims) string {
		token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, c)
		token.Header["kid"] = kid
		maps.Copy(token.Header, extended)
		s, err := token.SignedString(key)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	kid, own := h.signingKey(t)
	critical := func(names ...string) string {
		extended = map[string]any{"crit": names}
		defer clear(extended)
		return signed(own, kid, claims(func(jwt.MapClaims) {}))
	}
	for _, c := range []struct {
		name, token string
		want        errs.Code
	}{
		{"empty", "", errs.Unauthenticated},
		{"no token at all", "abc", errs.Unauthenticated},
		{"another's signature", parts[0] + "." + parts[1] + "." + strings.Repeat("A", len(parts[2])), errs.Unauthenticated},
		{"algorithm none", unsigned(t, claims(func(jwt.MapClaims) {})), errs.Unauthenticated},
		{"forged key under our kid", signed(forger, kid, claims(func(jwt.MapClaims) {})), errs.Unauthenticated},
		{"unknown kid", signed(own, "nobody", claims(func(jwt.MapClaims) {})), errs.Unauthenticated},
		{"another issuer", signed(own, kid, claims(func(c jwt.MapClaims) { c["iss"] = "x" })), errs.Unauthenticated},
		{"no expiry", signed(own, kid, claims(func(c jwt.MapClaims) { delete(c, "exp") })), errs.Unauthenticated},
		{"expired", signed(own, kid, claims(func(c jwt.MapClaims) { c["exp"] = time.Now().Add(-2 * time.Minute).Unix() })), errs.TokenExpired},
		{"issued far in the future", signed(own, kid, claims(func(c jwt.MapClaims) { c["iat"] = time.Now().Add(5 * time.Minute).Unix() })), errs.Unauthenticated},
		{"an extension that must be understood", critical("b64"), errs.Unauthenticated},
		{"an empty list of extensions", critical(), errs.Unauthenticated},
		{"no time of sign-in", signed(own, kid, claims(func(c jwt.MapClaims) { delete(c, "auth_time") })), errs.Unauthenticated},
		{"of a later generation", signed(own, kid, claims(func(c jwt.MapClaims) { c["generation"] = 1 })), errs.Unauthenticated},
		{"unknown user", signed(own, kid, claims(func(c jwt.MapClaims) { c["userId"] = ids.New() })), errs.Unauthenticated},
		{"another tenant's user", signed(own, kid, claims(func(c jwt.MapClaims) { c["tenantId"] = ids.New() })), errs.Unauthenticated},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := h.authority.Authenticate(t.Context(), c.token)
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
	for name, c := range map[string]jwt.MapClaims{
		"a clock that is 30 s ahead":  claims(func(c jwt.MapClaims) { c["iat"] = time.Now().Add(30 * time.Second).Unix() }),
		"a clock that is 30 s behind": claims(func(c jwt.MapClaims) { c["exp"] = time.Now().Add(-30 * time.Second).Unix() }),
	} {
		if _, err := h.authority.Authenticate(t.Context(), signed(own, kid, c)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Announcements of changed roles come at any time, also between reading the keys and looking one up in them.
func TestAnnouncementsRefuseNobody(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	token := h.token(t)
	ctx, stop := context.WithCancel(t.Context())
	var announcing, asking sync.WaitGroup
	announcing.Go(func() {
		for ctx.Err() == nil {
			h.authority.Forget()
		}
	})
	for range 6 {
		asking.Go(func() {
			for range 100 {
				if _, err := h.authority.Authenticate(t.Context(), token); err != nil {
					t.Errorf("a good token was refused: %v", err)
					return
				}
			}
		})
	}
	asking.Wait()
	stop()
	announcing.Wait()
}

// A token that nobody could look at is not a bad one: its bearer need not sign in again.
func TestKeysThatCannotBeReadRefuseNoToken(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	token := h.token(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := access.NewAuthority(h.store, options()).Authenticate(ctx, token)
	if err == nil || errors.Is(err, errs.Unauthenticated) {
		t.Errorf("got %v", err)
	}
}

func unsigned(t *testing.T, c jwt.MapClaims) string {
	t.Helper()
	s, err := jwt.NewWithClaims(jwt.SigningMethodNone, c).SignedString(jwt.UnsafeAllowNoneSignatureType)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (h *house) signingKey(t *testing.T) (string, ed25519.PrivateKey) {
	t.Helper()
	var kid string
	var sealed []byte
	err := h.store.Unscoped().QueryRow(t.Context(),
		"select kid, sealed_seed from signing_keys where retired_at is null order by created_at desc limit 1").Scan(&kid, &sealed)
	if err != nil {
		t.Fatal(err)
	}
	seed, err := access.Unseal(options().KeySecret, kid, sealed)
	if err != nil {
		t.Fatal(err)
	}
	return kid, ed25519.NewKeyFromSeed(seed)
}

func TestKeysRotateWithoutSigningAnybodyOut(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	before := h.token(t)
	_, err := access.RotateKeys(t.Context(), h.store, options())
	if err != nil {
		t.Fatal(err)
	}
	other := h.process(t)
	await.Until(t, "the processes follow", func() bool { return header(h.token(t)) != header(before) })
	for name, token := range map[string]string{"old": before, "new": h.token(t)} {
		for process, a := range map[string]*access.Authority{"this": h.authority, "another": other} {
			if _, err := a.Authenticate(t.Context(), token); err != nil {
				t.Errorf("%s token in %s process: %v", name, process, err)
			}
		}
	}
}

func header(token string) string { return strings.Split(token, ".")[0] }
