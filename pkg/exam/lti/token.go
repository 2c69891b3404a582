package lti

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// assertionLifetime is how long the word of the tool holds, and tokenSlack how long before its end a token is not used any more.
const (
	assertionLifetime = time.Minute
	tokenSlack        = time.Minute
)

// token is the token that the tool uses at a platform.
type token struct {
	value string
	until time.Time
}

// tokenOf gets a token of a platform, or knows it (1EdTech Security Framework, section 4.1). Errors: lti_platform_unavailable.
func (d *Desk) tokenOf(ctx context.Context, row models.LTIPlatform, scope string) (string, error) {
	at := row.ID.String() + " " + scope
	d.mu.Lock()
	known := d.tokens[at]
	d.mu.Unlock()
	if time.Now().Before(known.until) {
		return known.value, nil
	}
	assertion, err := d.assertion(ctx, row)
	if err != nil {
		return "", err
	}
	form := url.Values{"grant_type": {"client_credentials"}, "client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}, "client_assertion": {assertion}, "scope": {scope}}
	var said struct {
		Token string  `json:"access_token"`
		Lasts float64 `json:"expires_in"`
	}
	err = d.ask(ctx, http.MethodPost, row.TokenURL, map[string]string{"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}, []byte(form.Encode()), &said)
	if err != nil {
		return "", err
	}
	if said.Token == "" || strings.ContainsAny(said.Token, "\r\n") {
		return "", unavailable("it gives no token")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tokens[at] = token{said.Token, time.Now().Add(min(time.Duration(said.Lasts)*time.Second, time.Hour) - tokenSlack)}
	return said.Token, nil
}

// forgetToken gets another token the next time.
func (d *Desk) forgetToken(row models.LTIPlatform, scope string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.tokens, row.ID.String()+" "+scope)
}

// assertion signs who the tool is (RFC 7523, section 2.2).
func (d *Desk) assertion(ctx context.Context, row models.LTIPlatform) (string, error) {
	var signed string
	err := d.store.Write(ctx, db.System(row.TenantID, "lti"), func(tx *db.Tx) error {
		key, err := signer(ctx, tx)
		if err != nil {
			return err
		}
		now := tx.Now()
		signed, err = key.sign(jwt.MapClaims{"iss": row.ClientID, "sub": row.ClientID, "aud": row.Audience, "jti": ids.New().String() + rand.Text(),
			"iat": now.Unix(), "exp": now.Add(assertionLifetime).Unix()})
		return err
	})
	return signed, err
}
