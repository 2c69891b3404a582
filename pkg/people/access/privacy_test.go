package access_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/riverqueue/river"

	"assess/config"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/mail"
	"assess/pkg/people/access"
)

// A privacy link opens one browser, once and for a while, also for somebody who cannot sign in; whether an address is known shows nowhere.
func TestAPrivacyLinkOpensOneBrowser(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	authority := access.NewAuthority(store, sample.Auth())
	folder := t.TempDir()
	sender, err := mail.New(config.Mail{Mode: "folder", Folder: folder, From: "office@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	mailer := &access.PrivacyMailer{Store: store, Sender: sender, BaseURL: "https://exams.example.org"}
	var user ids.ID
	var email, slug string
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		user = sample.User(t, tx).ID
		err := tx.QueryRow(t.Context(), "select u.email, t.slug from users u join tenants t on t.id = u.tenant_id where u.tenant_id = $1 and u.id = $2", tx.Tenant(), user).Scan(&email, &slug)
		if err == nil {
			_, err = tx.Exec(t.Context(), "update users set status = 'deactivated' where tenant_id = $1 and id = $2", tx.Tenant(), user)
		}
		return err
	})
	count := func(sql string) int {
		t.Helper()
		var n int
		sample.Write(t, store, scope, func(tx *db.Tx) error { return tx.QueryRow(t.Context(), sql, tx.Tenant()).Scan(&n) })
		return n
	}
	// deliver works on all links of the tenant, and gives the token of the newest mail.
	deliver := func(mails int) string {
		t.Helper()
		var links []ids.ID
		sample.Write(t, store, scope, func(tx *db.Tx) error {
			return tx.QueryRow(t.Context(), "select coalesce(array_agg(id), '{}') from privacy_links where tenant_id = $1 and token_hash is null and opened_at is null", tx.Tenant()).Scan(&links)
		})
		for _, link := range links {
			if err := mailer.Work(t.Context(), &river.Job[access.MailPrivacyLink]{Args: access.MailPrivacyLink{Tenant: scope.Tenant, Link: link}}); err != nil {
				t.Fatal(err)
			}
		}
		got, err := mail.Newest(folder, 10)
		if err != nil || len(got) != mails {
			t.Fatalf("%d mails, want %d; %v", len(got), mails, err)
		}
		if mails == 0 {
			return ""
		}
		return regexp.MustCompile(`token=(\S+)`).FindStringSubmatch(got[0].Text)[1]
	}
	for _, nobody := range [][2]string{{slug, "nobody@example.org"}, {"no-such-tenant", email}, {slug, "no address"}} {
		if err := authority.RequestPrivacyLink(t.Context(), nobody[0], nobody[1], "192.0.2.1"); err != nil {
			t.Errorf("%v: %v", nobody, err)
		}
	}
	deliver(0)
	if n := count("select count(*) from privacy_links where tenant_id = $1"); n != 0 {
		t.Errorf("%d links of nobody stay", n)
	}
	if err := authority.RequestPrivacyLink(t.Context(), strings.ToUpper(slug), " "+strings.ToUpper(email), "192.0.2.1"); err != nil {
		t.Fatal(err)
	}
	token := deliver(1)
	if _, err := authority.Privacy(t.Context(), token); !errors.Is(err, errs.Unauthenticated) {
		t.Errorf("the token of the mail is no secret of a browser: %v", err)
	}
	secret, _, err := authority.OpenPrivacy(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	for _, used := range []string{token, secret, "", "x", strings.Repeat("A", 64)} {
		if _, _, err := authority.OpenPrivacy(t.Context(), used); !errors.Is(err, errs.LinkInvalid) {
			t.Errorf("%q opens: %v", used, err)
		}
	}
	open, err := authority.Privacy(t.Context(), secret)
	if err != nil || open.Actor.ID != user || open.Actor.Kind != db.UserActor || len(open.Capabilities) != 0 || open.All || open.OrgUnit != ids.None {
		t.Errorf("the scope is %+v, %v", open, err)
	}
	if !access.ProvesForm(secret, access.FormProof(secret)) || access.ProvesForm(secret, access.FormProof(token)) || access.ProvesForm("", access.FormProof("")) {
		t.Error("a form is proved by the secret of its browser, and by nothing else")
	}
	// Neither is it a token, and its time is over in the end, or when the person says so.
	if _, err := authority.Authenticate(t.Context(), secret); err == nil {
		t.Error("the secret signs in")
	}
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update privacy_links set expires_at = now() - interval '1 second' where tenant_id = $1", tx.Tenant())
		return err
	})
	if _, err := authority.Privacy(t.Context(), secret); !errors.Is(err, errs.Unauthenticated) {
		t.Errorf("after its time: %v", err)
	}
	if err := authority.RequestOwnPrivacyLink(t.Context(), sample.As(scope, user)); err != nil {
		t.Fatal(err)
	}
	secret, _, err = authority.OpenPrivacy(t.Context(), deliver(2))
	if err != nil {
		t.Fatal(err)
	}
	if err := authority.ClosePrivacy(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	if _, err := authority.Privacy(t.Context(), secret); !errors.Is(err, errs.Unauthenticated) {
		t.Errorf("after it was closed: %v", err)
	}
}

// Links to one address are limited, no matter which network address requests them.
func TestPrivacyLinksAreLimited(t *testing.T) {
	t.Parallel()
	authority := access.NewAuthority(sample.Store(t), sample.Auth())
	refused := 0
	for range 2 * sample.Auth().LoginPerEmail {
		if errors.Is(authority.RequestPrivacyLink(t.Context(), "no-such-tenant", "mara@example.org", ids.New().String()), errs.RateLimited) {
			refused++
		}
	}
	if refused < sample.Auth().LoginPerEmail-1 {
		t.Errorf("%d calls were refused", refused)
	}
}
