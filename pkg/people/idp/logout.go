package idp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/people"
)

// Logout signs somebody out everywhere because the provider says so (OpenID Connect Back-Channel Logout). A token that names
// only a session of the provider signs out nobody. Errors: not_found, sign_in_refused, provider_unavailable, rate_limited.
func (d *Desk) Logout(ctx context.Context, tenant, provider, token, remote string) error {
	err := d.authority.CountAddress(ctx, remote)
	if err != nil {
		return err
	}
	id, err := d.store.TenantBySlug(ctx, tenant)
	if err != nil {
		return err
	}
	var row models.IdentityProvider
	err = d.store.Read(ctx, db.System(id, "sign_in"), func(tx *db.Tx) error {
		row, err = find(ctx, tx, "slug = ?", provider)
		return err
	})
	if err != nil {
		return err
	}
	c, err := d.configurationOf(ctx, row.Issuer)
	if err != nil {
		return err
	}
	verifier, keys := c.verifier(row)
	said, err := verifier.VerifyLogout(ctx, token)
	if keys.away {
		return unavailable(errKeysAway)
	}
	if err != nil || said.Subject == "" {
		return refused(reasonAnswer, "The token does not hold, or names nobody.")
	}
	return d.store.Write(ctx, db.System(id, "sign_out"), func(tx *db.Tx) error {
		var user ids.ID
		err := tx.QueryRow(ctx, "select user_id from user_accounts where tenant_id = $1 and source = $2 and source_id = $3 and subject = $4",
			tx.Tenant(), people.FromOIDC, row.ID, said.Subject).Scan(&user)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil // nobody is signed in with it
		}
		if err != nil {
			return fmt.Errorf("find whom to sign out: %w", err)
		}
		return people.EndTokens(ctx, tx, user)
	})
}

// Check is one thing that Test looked at.
type Check struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok"`
	Message string `json:"message"`
}

// Tested is the result of testing a provider.
type Tested struct {
	OK          bool    `json:"ok"`
	RedirectURI string  `json:"redirectUri" doc:"The address to register at the provider"`
	LogoutPath  string  `json:"logoutPath" doc:"Where the provider may send logout tokens, behind http.base_url"`
	KeysPath    string  `json:"keysPath" doc:"Where the provider reads the key of a client that signs (private_key_jwt), behind http.base_url"`
	Checks      []Check `json:"checks" nullable:"false"`
}

// Test fetches a provider's configuration and its keys, and says in words what does not work. It opens transactions of its
// own, and none while it calls. Errors: not_found, forbidden.
func (d *Desk) Test(ctx context.Context, scope db.Scope, id ids.ID) (Tested, error) {
	var row models.IdentityProvider
	var tenant string
	err := d.store.Read(ctx, scope, func(tx *db.Tx) error {
		_, err := Get(ctx, tx, id)
		if err != nil {
			return err
		}
		row, err = find(ctx, tx, "id = ?", id)
		if err != nil {
			return err
		}
		return tx.QueryRow(ctx, "select slug from tenants where id = $1", tx.Tenant()).Scan(&tenant)
	})
	if err != nil {
		return Tested{}, err
	}
	t := Tested{RedirectURI: d.base + CallbackPath, LogoutPath: "/api/v1/auth/oidc/" + row.Slug + "/backchannel-logout?tenant=" + tenant,
		KeysPath: "/api/v1/auth/oidc/" + row.Slug + "/keys?tenant=" + tenant, Checks: []Check{}}
	c, err := d.readConfiguration(ctx, row.Issuer)
	if err != nil {
		t.add("configuration", false, "", wordsFor(err)+".")
		return t, nil
	}
	t.add("configuration", true, "It is read, and names the issuer.", "")
	t.look(ctx, d, row, c)
	t.OK = true
	for _, one := range t.Checks {
		t.OK = t.OK && one.OK
	}
	return t, nil
}

// look holds what the provider says of itself against what a sign-in needs.
func (t *Tested) look(ctx context.Context, d *Desk, row models.IdentityProvider, c *configuration) {
	t.add("code", len(c.ResponseKind) == 0 || slices.Contains(c.ResponseKind, "code"), "It gives codes.", "It does not offer the response type code.")
	t.add("pkce", len(c.Challenges) == 0 || slices.Contains(c.Challenges, "S256"), "It takes PKCE with S256.", "It does not take PKCE with S256.")
	t.add("algorithms", len(c.Algorithms) == 0 || slices.ContainsFunc(c.Algorithms, func(a string) bool { return slices.Contains(algorithms, a) }),
		"It signs with an algorithm that is taken.", "It signs with none of "+strings.Join(algorithms, ", ")+".")
	var keys struct {
		Keys []struct {
			Use string `json:"use"`
		} `json:"keys"`
	}
	err := d.get(ctx, c.KeysURL, &keys)
	usable := slices.ContainsFunc(keys.Keys, func(k struct {
		Use string `json:"use"`
	}) bool {
		return k.Use == "" || k.Use == "sig"
	})
	if err != nil {
		t.add("keys", false, "", "Its keys cannot be read: "+wordsFor(err)+".")
	} else {
		t.add("keys", usable, "Its keys are read.", "It has no key that signs.")
	}
	_, err = d.oauth(row, c)
	t.add("secret", err == nil, "The client has a secret, or needs none here.", "The secret does not open with auth.key_secret; set it again.")
	if clientAuth(row) == byNothing && len(c.ClientAuth) > 0 && !slices.Contains(c.ClientAuth, "none") {
		t.add("client", false, "", "The provider asks clients for a secret, and none is set.")
	}
	if clientAuth(row) == byKey {
		_, err = d.assertion(row)
		t.add("key", err == nil, "The client's key opens.", "The key does not open with auth.key_secret; make a new one.")
		t.add("client", slices.Contains(c.ClientAuth, byKey), "It takes clients that sign.", "It does not take clients that sign (private_key_jwt); set a secret.")
	}
	if len(row.StepUp.ACR) > 0 && len(c.ACRValues) > 0 {
		t.add("step-up", slices.ContainsFunc(row.StepUp.ACR, func(acr string) bool { return slices.Contains(c.ACRValues, acr) }),
			"It knows an acr that is good for a step-up.", "It knows none of the acr that are good for a step-up.")
	}
}

func (t *Tested) add(name string, ok bool, good, bad string) {
	if !ok {
		good = bad
	}
	t.Checks = append(t.Checks, Check{name, ok, good})
}
