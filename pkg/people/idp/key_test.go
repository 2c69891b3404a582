package idp_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/idp"
)

// A client with a key signs who it is, only for this provider, and the provider checks it with what Keys shows.
func TestTheClientSignsInPlaceOfASecret(t *testing.T) {
	t.Parallel()
	c := newCollege(t)
	make := func(scope db.Scope) (made idp.Provider, err error) {
		err = c.store.Write(t.Context(), scope, func(tx *db.Tx) error {
			made, err = idp.MakeKey(t.Context(), tx, c.authority, c.idp.ID)
			return err
		})
		return made, err
	}
	_, err := make(sample.As(c.scope, ids.New(), capability.IntegrationsRead))
	want(t, err, errs.Forbidden, "")
	if keys, err := c.desk.Keys(t.Context(), c.tenant, "campus"); err != nil || len(keys.Keys) != 0 {
		t.Errorf("got %v, %v", keys, err)
	}
	c.write(func(tx *db.Tx) error {
		_, err := idp.SetSecret(t.Context(), tx, c.authority, c.idp.ID, idp.Secret{Secret: "hunter2"})
		return err
	})
	made, err := make(c.scope)
	if err != nil || made.ClientAuth != "private_key_jwt" {
		t.Fatalf("got %+v, %v", made, err)
	}
	c.provider.clientKeys = func() []json.RawMessage {
		keys, err := c.desk.Keys(t.Context(), c.tenant, "campus")
		if err != nil {
			t.Error(err)
		}
		return keys.Keys
	}
	c.mustSignIn()
	said := c.provider.signedAs
	if said["iss"] != "assess" || said["sub"] != "assess" || said["aud"] != c.provider.URL || said["jti"] == "" {
		t.Errorf("the client said %v", said)
	}
	// A new key takes the place of the old one.
	first := c.provider.clientKeys()[0]
	_, err = make(c.scope)
	if err != nil || string(first) == string(c.provider.clientKeys()[0]) {
		t.Fatalf("the key is the same, %v", err)
	}
	c.mustSignIn()
	var row []byte
	c.write(func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select sealed_key from identity_providers where tenant_id = $1", tx.Tenant()).Scan(&row)
	})
	public := c.provider.clientKeys()[0]
	if len(row) == 0 || strings.Contains(string(public), `"d"`) || strings.Contains(string(public), `"p"`) {
		t.Errorf("stored %d bytes, shown %s", len(row), public)
	}
	for _, at := range [][2]string{{c.tenant, "nobody"}, {"nobody", "campus"}} {
		_, err = c.desk.Keys(t.Context(), at[0], at[1])
		want(t, err, errs.NotFound, "")
	}
	c.provider.config["token_endpoint_auth_methods_supported"] = []string{"client_secret_basic"}
	tested, err := idp.NewDesk(c.store, c.authority, c.provider.client(), "https://assess.example.org").Test(t.Context(), c.scope, c.idp.ID)
	if err != nil || tested.OK || !slices.ContainsFunc(tested.Checks, func(one idp.Check) bool { return !one.OK && strings.Contains(one.Message, "private_key_jwt") }) {
		t.Errorf("got %+v, %v", tested, err)
	}
	// A secret takes the place of the key.
	delete(c.provider.config, "token_endpoint_auth_methods_supported")
	c.provider.clientKeys, c.provider.secret = nil, "hunter3"
	c.write(func(tx *db.Tx) error {
		made, err = idp.SetSecret(t.Context(), tx, c.authority, c.idp.ID, idp.Secret{Secret: "hunter3"})
		return err
	})
	if made.ClientAuth != "client_secret" {
		t.Errorf("got %+v", made)
	}
	c.mustSignIn()
}

// checkClient checks what a client signed, as a provider does (RFC 7523, section 3).
func (p *provider) checkClient(assertion string) bool {
	claims := jwt.MapClaims{}
	_, err := jwt.ParseWithClaims(assertion, claims, func(token *jwt.Token) (any, error) {
		for _, raw := range p.clientKeys() {
			var key jose.JSONWebKey
			if key.UnmarshalJSON(raw) == nil && key.KeyID == token.Header["kid"] {
				return key.Key, nil
			}
		}
		return nil, jwt.ErrTokenUnverifiable
	}, jwt.WithValidMethods([]string{"RS256"}), jwt.WithExpirationRequired())
	p.signedAs = claims
	return err == nil
}
