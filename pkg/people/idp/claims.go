package idp

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"assess/models"
	"assess/pkg/kernel/outgoing"
	"assess/pkg/people/people"
)

// identity is who somebody is at a provider.
type identity struct {
	subject string
	claims  map[string]any
	proof   proof
}

// identify trades the code for tokens and reads who it is, from the ID token and, if something is missing there, from UserInfo.
func (d *Desk) identify(ctx context.Context, f flow, c *configuration, code string) (identity, error) {
	o, err := d.oauth(f.row, c)
	if err != nil {
		return identity{}, err
	}
	ctx = oidc.ClientContext(ctx, d.client)
	signed, err := d.assertion(f.row)
	if err != nil {
		return identity{}, err
	}
	tokens, err := o.Exchange(ctx, code, append(signed, oauth2.VerifierOption(f.Verifier))...)
	if err != nil {
		return identity{}, notTraded(err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	verifier, keys := c.verifier(f.row)
	token, err := verifier.Verify(ctx, raw)
	if keys.away {
		return identity{}, unavailable(errKeysAway)
	}
	if err != nil {
		return identity{}, refused(reasonAnswer, "The identity provider's token does not hold.")
	}
	who := identity{subject: token.Subject, claims: map[string]any{}}
	if token.Claims(&who.claims) != nil || !fits(token, who, f) {
		return identity{}, refused(reasonAnswer, "The identity provider's token does not hold.")
	}
	if f.purpose == toStepUp {
		err = token.Claims(&who.proof)
		if err != nil {
			return identity{}, insufficient("acr", "The identity provider says how you signed in in a form that it must not have.")
		}
		return who, nil
	}
	return d.complete(ctx, f.row, c, who, tokens)
}

// notTraded tells a provider that refuses a code from one that is away.
func notTraded(err error) error {
	answer, said := errors.AsType[*oauth2.RetrieveError](err)
	switch {
	case said && answer.Response != nil && answer.Response.StatusCode >= 500:
		return unavailable(fault(fmt.Sprintf("it answers with the status %d", answer.Response.StatusCode)))
	case said:
		return refused(reasonAnswer, "The identity provider does not take its code back. If this comes again, an administrator looks at the client and its secret.")
	}
	return unavailable(outgoing.Reason(err))
}

// fits checks what go-oidc leaves to its caller: the nonce, who the token was made for, and that it names somebody.
func fits(token *oidc.IDToken, who identity, f flow) bool {
	azp, named := who.claims["azp"].(string)
	return subtle.ConstantTimeCompare([]byte(token.Nonce), []byte(f.Nonce)) == 1 &&
		(!named || azp == f.row.ClientID) && (named || len(token.Audience) == 1) &&
		token.Subject != "" && len(token.Subject) <= people.MaxSubject
}

// complete gets from UserInfo the claims that the ID token lacks.
func (d *Desk) complete(ctx context.Context, row models.IdentityProvider, c *configuration, who identity, tokens *oauth2.Token) (identity, error) {
	wanted := []string{row.Claims.Email, row.Claims.Name}
	if len(row.Groups) > 0 {
		wanted = append(wanted, row.Claims.Groups)
	}
	lacks := false
	for _, name := range wanted {
		_, there := who.claims[name]
		lacks = lacks || !there
	}
	if !lacks || c.UserInfoURL == "" {
		return who, nil
	}
	p := (&oidc.ProviderConfig{IssuerURL: c.Issuer, UserInfoURL: c.UserInfoURL}).NewProvider(ctx)
	info, err := p.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
	if err != nil {
		return identity{}, unavailable(fault("its UserInfo cannot be read"))
	}
	more := map[string]any{}
	if info.Subject != who.subject || info.Claims(&more) != nil {
		return identity{}, refused(reasonAnswer, "The identity provider's answers are about two people.")
	}
	// The address and its being verified come from one place.
	if _, there := who.claims[row.Claims.Email]; there {
		delete(more, row.Claims.Email)
		delete(more, "email_verified")
	} else {
		delete(who.claims, "email_verified")
	}
	for name, value := range more {
		if _, there := who.claims[name]; !there {
			who.claims[name] = value
		}
	}
	return who, nil
}

func (who identity) text(claim string) string {
	text, _ := who.claims[claim].(string)
	return strings.TrimSpace(text)
}

// longestName bounds what a provider may call somebody, in characters.
const longestName = 200

// name is the name of somebody; a name that cannot be stored counts as none.
func (who identity) name(row models.IdentityProvider) string {
	name := cmp.Or(who.text(row.Claims.Name), strings.TrimSpace(who.text("given_name")+" "+who.text("family_name")), who.text("preferred_username"))
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > longestName {
		name = string(runes[:longestName])
	}
	return strings.TrimSpace(name)
}

// verified says whether the provider says that the address is the person's. Some say it as a text.
func (who identity) verified() bool {
	is := fmt.Sprint(who.claims["email_verified"])
	return is == "true"
}

// groups are the values of the claim of groups.
func (who identity) groups(row models.IdentityProvider) []string {
	switch value := who.claims[row.Claims.Groups].(type) {
	case string:
		return []string{value}
	case []any:
		var all []string
		for _, one := range value {
			if text, ok := one.(string); ok {
				all = append(all, text)
			}
		}
		return all
	}
	return nil
}
