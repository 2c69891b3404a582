package access_test

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assess/config"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/errs"
	"assess/pkg/people/access"
)

const app, other = "https://app.example.org/start", "https://staff.example.org"

// leading makes a house whose links lead to an app.
func leading(t *testing.T, change func(*config.Auth)) *house {
	t.Helper()
	h := newHouse(t, capability.Candidate)
	o := options()
	o.AppURL, o.RedirectURLs = app, []string{other}
	if change != nil {
		change(&o)
	}
	h.authority = access.NewAuthority(h.store, o)
	return h
}

// asked requests a link that leads somewhere and gives its token.
func (h *house) asked(t *testing.T, r access.Redirect) string {
	t.Helper()
	err := h.authority.RequestLink(t.Context(), access.LoginInput{Tenant: h.slug, Email: h.user.Email, Redirect: r}, t.Name())
	if err != nil {
		t.Fatal(err)
	}
	return h.newestMail(t)
}

// pressed presses the button and gives where it leads and what the fragment says.
func (h *house) pressed(t *testing.T, token string) (string, url.Values) {
	t.Helper()
	to, _, err := h.authority.Press(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	uri, fragment, _ := strings.Cut(to, "#")
	said, err := url.ParseQuery(fragment)
	if err != nil || said.Get("code") == "" {
		t.Fatalf("it leads to %q (%v)", to, err)
	}
	return uri, said
}

func challengeOf(verifier string) string {
	hash := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(hash[:])
}

const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

func TestALinkLeadsToTheAppWhichTradesItsCodeOnce(t *testing.T) {
	t.Parallel()
	h := leading(t, nil)
	// The example of RFC 7636, appendix B.
	if challengeOf(verifier) != "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" {
		t.Fatal("the challenge is made in another way")
	}
	token := h.asked(t, access.Redirect{URI: other, Challenge: challengeOf(verifier), State: "a&b=#c"})
	uri, said := h.pressed(t, token)
	if uri != other || said.Get("state") != "a&b=#c" || said.Has("assignment") {
		t.Errorf("it leads to %s with %v", uri, said)
	}
	code := said.Get("code")
	for name, try := range map[string]func() error{
		"the button again":        func() error { _, _, err := h.authority.Press(t.Context(), token); return err },
		"the link as it was":      func() error { _, err := h.authority.Redeem(t.Context(), token, ""); return err },
		"the code as a link":      func() error { _, err := h.authority.Redeem(t.Context(), code, ""); return err },
		"the link as a code":      func() error { _, err := h.authority.Trade(t.Context(), token, verifier); return err },
		"the code alone":          func() error { _, err := h.authority.Trade(t.Context(), code, ""); return err },
		"the code, badly proved":  func() error { _, err := h.authority.Trade(t.Context(), code, verifier[:43-1]+"x"); return err },
		"the challenge as secret": func() error { _, err := h.authority.Trade(t.Context(), code, challengeOf(verifier)); return err },
	} {
		if err := try(); !errors.Is(err, errs.LinkInvalid) {
			t.Errorf("%s: got %v, want link_invalid", name, err)
		}
	}
	for name, wrong := range map[string]string{"no secret": "", "another secret": verifier[:43-1] + "x"} {
		bound := h.asked(t, access.Redirect{URI: other, Challenge: challengeOf(verifier)})
		if _, err := h.authority.Redeem(t.Context(), bound, wrong); !errors.Is(err, errs.LinkInvalid) {
			t.Errorf("a link with %s: got %v, want link_invalid", name, err)
		}
		if s, err := h.authority.Redeem(t.Context(), bound, verifier); err != nil || s.User.ID != h.user.ID {
			t.Errorf("a link with its secret: %v", err)
		}
	}
	var won atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			s, err := h.authority.Trade(t.Context(), code, verifier)
			if err == nil && s.User.ID == h.user.ID {
				won.Add(1)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Errorf("%d trades succeeded, want 1", won.Load())
	}
}

// A used link leads to the place for a new one, with what that needs; a link that nobody knows tells nothing.
func TestAUsedLinkSaysWhoseItWas(t *testing.T) {
	t.Parallel()
	h := leading(t, nil)
	token := h.asked(t, access.Redirect{})
	h.pressed(t, token)
	_, _, err := h.authority.Press(t.Context(), token)
	if !errors.Is(err, errs.LinkInvalid) {
		t.Errorf("the button worked twice: %v", err)
	}
	_, err = h.authority.Redeem(t.Context(), token, "")
	if !errors.Is(err, errs.LinkInvalid) {
		t.Errorf("a link that was used signs in: %v", err)
	}
	spent, err := h.authority.SpentLink(t.Context(), token)
	want := access.Spent{Tenant: h.slug, Email: h.user.Email,
		To: app + "#" + url.Values{"again": {"yes"}, "tenant": {h.slug}, "email": {h.user.Email}}.Encode()}
	if diff := cmp.Diff(want, spent); err != nil || diff != "" {
		t.Errorf("(-want +got) %s (%v)", diff, err)
	}
	for _, unknown := range []string{"", "x", token[:30] + strings.Repeat("A", len(token)-30)} {
		spent, err := h.authority.SpentLink(t.Context(), unknown)
		if diff := cmp.Diff(access.Spent{To: app}, spent); err != nil || diff != "" {
			t.Errorf("%q: (-want +got) %s (%v)", unknown, diff, err)
		}
	}
}

func TestCodesEnd(t *testing.T) {
	t.Parallel()
	h := leading(t, nil)
	for name, sql := range map[string]string{
		"after a minute":                "update magic_links set code_expires_at = now() - interval '1 s' where tenant_id = $1 and user_id = $2",
		"when the person leaves":        "delete from user_org_units where tenant_id = $1 and user_id = $2",
		"when everything is signed out": "delete from magic_links where tenant_id = $1 and user_id = $2 and redeemed_at is null",
	} {
		_, said := h.pressed(t, h.asked(t, access.Redirect{}))
		sample.ChangeAccess(t, h.store, h.scope, sql, h.user.ID)
		if _, err := h.authority.Trade(t.Context(), said.Get("code"), ""); !errors.Is(err, errs.LinkInvalid) {
			t.Errorf("%s: got %v, want link_invalid", name, err)
		}
		sample.ChangeAccess(t, h.store, h.scope, "insert into user_org_units select tenant_id, $2, id from org_units where tenant_id = $1 on conflict do nothing", h.user.ID)
	}
}

// Links lead where the settings allow and nowhere else, also when the settings changed since.
func TestLinksLeadWhereTheSettingsAllow(t *testing.T) {
	t.Parallel()
	h := leading(t, nil)
	challenge := challengeOf(verifier)
	for _, c := range []struct {
		asked access.Redirect
		want  []string
	}{
		{access.Redirect{URI: other + "/", Challenge: challenge}, []string{"redirectUri not_allowed"}},
		{access.Redirect{URI: app + "?next=https://evil.example", Challenge: challenge}, []string{"redirectUri not_allowed"}},
		{access.Redirect{URI: "https://app.example.org.evil.example/start", Challenge: challenge}, []string{"redirectUri not_allowed"}},
		{access.Redirect{URI: app}, []string{"codeChallenge required"}},
		{access.Redirect{Challenge: challenge}, []string{"redirectUri required"}},
		{access.Redirect{State: "x"}, []string{"redirectUri required"}},
	} {
		err := h.authority.RequestLink(t.Context(), access.LoginInput{Tenant: h.slug, Email: h.user.Email, Redirect: c.asked}, t.Name())
		var got []string
		if err != nil {
			for _, f := range errs.Of(err).Fields {
				got = append(got, f.Path+" "+f.Code)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v: %s", c.asked, diff)
		}
	}
	token := h.asked(t, access.Redirect{URI: other, Challenge: challenge})
	strict := access.NewAuthority(h.store, func() config.Auth { o := options(); o.AppURL = app; return o }())
	if _, _, err := strict.Press(t.Context(), token); !errors.Is(err, errs.LinkInvalid) {
		t.Errorf("an address that is no longer allowed: %v", err)
	}
	if got := strict.RedirectOrigins(); !cmp.Equal(got, []string{"https://app.example.org"}) {
		t.Errorf("origins %v", got)
	}
	if uri, _ := h.pressed(t, token); uri != other {
		t.Error("a refusal used the link up")
	}
}

// Without an app the button signs in where it is.
func TestWithoutAnAppTheButtonSignsIn(t *testing.T) {
	t.Parallel()
	h := leading(t, func(o *config.Auth) { o.AppURL, o.RedirectURLs = "", nil })
	to, session, err := h.authority.Press(t.Context(), h.asked(t, access.Redirect{}))
	if err != nil || to != "" || session.User.ID != h.user.ID {
		t.Errorf("got %q, %+v, %v", to, session.User, err)
	}
	if got := h.authority.RedirectOrigins(); len(got) != 0 {
		t.Errorf("origins %v", got)
	}
}
