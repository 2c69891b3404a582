package access

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/job"
	"assess/pkg/kernel/mail"
	"assess/pkg/people/people"
)

// privacyLasts is how long a browser that a privacy link opened stays open.
const privacyLasts = 30 * time.Minute

// RequestPrivacyLink queues a link by which somebody who need not be able to sign in sees to their requests about their data. As
// RequestLink it tells nobody whether tenant and address are known. Errors: rate_limited.
func (a *Authority) RequestPrivacyLink(ctx context.Context, tenant, email, remote string) error {
	tenant, email = strings.ToLower(strings.TrimSpace(tenant)), strings.ToLower(strings.TrimSpace(email))
	err := a.CountAddress(ctx, remote)
	if err == nil {
		err = Allow(ctx, a.store, Limit{a.options.LoginPerEmail, time.Minute}, "privacy email "+tenant+" "+email)
	}
	if err != nil {
		return err
	}
	tenantID, err := a.store.TenantBySlug(ctx, tenant)
	if errors.Is(err, errs.NotFound) {
		tenantID, err = ids.New(), nil // nobody's: the same work, for a link that is not kept
	}
	if err != nil {
		return err
	}
	return a.store.Write(ctx, db.System(tenantID, "privacy_link"), func(tx *db.Tx) error {
		key, _ := people.EmailKey(email) // text that is no address belongs to nobody
		var user *ids.ID
		err := tx.QueryRow(ctx, "select u.id from users u where u.tenant_id = $1 and u.email_key = $2 and not "+people.IsErased, tx.Tenant(), key).Scan(&user)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return fmt.Errorf("find whom the link is for: %w", err)
		}
		return a.queuePrivacyLink(ctx, tx, user)
	})
}

// RequestOwnPrivacyLink queues such a link for somebody who is signed in in a browser: the cookie by itself writes nothing. Errors: rate_limited.
func (a *Authority) RequestOwnPrivacyLink(ctx context.Context, scope db.Scope) error {
	err := Allow(ctx, a.store, Limit{a.options.LoginPerEmail, time.Minute}, "privacy user "+scope.Actor.ID.String())
	if err != nil {
		return err
	}
	return a.store.Write(ctx, db.System(scope.Tenant, "privacy_link"), func(tx *db.Tx) error { return a.queuePrivacyLink(ctx, tx, &scope.Actor.ID) })
}

func (a *Authority) queuePrivacyLink(ctx context.Context, tx *db.Tx, user *ids.ID) error {
	link := ids.New()
	_, err := tx.Exec(ctx, "insert into privacy_links (tenant_id, id, user_id, created_at, expires_at) select id, $2, $3, $4, $5 from tenants where id = $1",
		tx.Tenant(), link, user, tx.Now(), tx.Now().Add(a.options.MagicLinkLifetime))
	if err != nil {
		return fmt.Errorf("store a privacy link: %w", err)
	}
	return job.Insert(ctx, tx, MailPrivacyLink{Tenant: tx.Tenant(), Link: link})
}

// MailPrivacyLink is the job that makes the token of a privacy link and mails it. A second run makes a new
// token, and the earlier mail no longer works.
type MailPrivacyLink struct {
	Tenant ids.ID `json:"tenant"`
	Link   ids.ID `json:"link"`
}

// Kind names the job.
func (MailPrivacyLink) Kind() string { return "mail_privacy_link" }

// PrivacyMailer works on MailPrivacyLink jobs.
type PrivacyMailer struct {
	river.WorkerDefaults[MailPrivacyLink]
	Store   *db.Store
	Sender  mail.Sender
	BaseURL string
}

// Work mails one link.
func (w *PrivacyMailer) Work(ctx context.Context, j *river.Job[MailPrivacyLink]) error {
	var message *mail.Message
	err := w.Store.Write(ctx, db.System(j.Args.Tenant, "mail_privacy_link"), func(tx *db.Tx) error {
		var err error
		message, err = w.prepare(ctx, tx, j.Args.Link)
		return err
	})
	if err != nil || message == nil {
		return err
	}
	return w.Sender.Send(ctx, *message)
}

func (w *PrivacyMailer) prepare(ctx context.Context, tx *db.Tx, link ids.ID) (*mail.Message, error) {
	token := newLinkToken(tx.Tenant())
	var user *ids.ID
	var expires time.Time
	err := tx.QueryRow(ctx, `
		update privacy_links set token_hash = $3 where tenant_id = $1 and id = $2 and opened_at is null and expires_at > $4
		returning user_id, expires_at`, tx.Tenant(), link, hashOf(token), tx.Now()).Scan(&user, &expires)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // expired or swept meanwhile: nothing to mail
	}
	if err != nil {
		return nil, fmt.Errorf("give the link its token: %w", err)
	}
	if user == nil {
		_, err := tx.Exec(ctx, "delete from privacy_links where tenant_id = $1 and id = $2", tx.Tenant(), link)
		return nil, err
	}
	var to, tenant string
	err = tx.QueryRow(ctx, "select coalesce(u.email, ''), t.name from users u join tenants t on t.id = u.tenant_id where u.tenant_id = $1 and u.id = $2 and not "+people.IsErased,
		tx.Tenant(), *user).Scan(&to, &tenant)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && to == "" {
		return nil, nil //nolint:nilnil // erased meanwhile
	}
	if err != nil {
		return nil, fmt.Errorf("find whom the link is for: %w", err)
	}
	return &mail.Message{To: to, Subject: strings.Join(strings.Fields("Your data at "+tenant), " "), ID: link.String() + "." + user.String(), Text: fmt.Sprintf(`Hello,

this link shows your requests about your data at %s, and lets you make one. It opens one browser,
until %s UTC:

%s/privacy/open?token=%s

If you did not ask for it, ignore this message: nobody sees anything without the link.
`, tenant, expires.UTC().Format("15:04 on 2 January 2006"), strings.TrimRight(w.BaseURL, "/"), url.QueryEscape(token))}, nil
}

func hashOf(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// OpenPrivacy trades the token of a link for the secret of a browser, once, and says how long that lasts. Errors: link_invalid.
func (a *Authority) OpenPrivacy(ctx context.Context, token string) (string, time.Duration, error) {
	invalid := errs.New(errs.LinkInvalid, "This link was used already, or its time is over. Ask for a new one.")
	tenant := tenantOf(token)
	if tenant == ids.None {
		return "", 0, invalid
	}
	secret := newLinkToken(tenant)
	err := a.store.Write(ctx, db.System(tenant, "privacy"), func(tx *db.Tx) error {
		n, err := tx.Exec(ctx, `update privacy_links set token_hash = null, open_hash = $3, opened_at = $4, expires_at = $5
			where tenant_id = $1 and token_hash = $2 and opened_at is null and expires_at > $4 and user_id is not null`,
			tx.Tenant(), hashOf(token), hashOf(secret), tx.Now(), tx.Now().Add(privacyLasts))
		if err != nil {
			return fmt.Errorf("open a privacy link: %w", err)
		}
		if n == 0 {
			return invalid
		}
		return nil
	})
	return secret, privacyLasts, err
}

// Privacy gives the scope of the browser that a privacy link opened: the person, who may do only what needs no
// capability. Errors: unauthenticated.
func (a *Authority) Privacy(ctx context.Context, secret string) (db.Scope, error) {
	over := errs.New(errs.Unauthenticated, "Ask for a link to your data once more.")
	tenant := tenantOf(secret)
	if tenant == ids.None {
		return db.Scope{}, over
	}
	scope := db.Scope{Tenant: tenant, Actor: db.Actor{Kind: db.UserActor}, Capabilities: capability.NewSet()}
	err := a.store.Read(ctx, db.System(tenant, "privacy"), func(tx *db.Tx) error {
		err := tx.QueryRow(ctx, `select p.user_id from privacy_links p join users u on u.tenant_id = p.tenant_id and u.id = p.user_id
			where p.tenant_id = $1 and p.open_hash = $2 and p.expires_at > $3 and not `+people.IsErased, tx.Tenant(), hashOf(secret), tx.Now()).Scan(&scope.Actor.ID)
		if errors.Is(err, pgx.ErrNoRows) {
			return over
		}
		return err
	})
	if err != nil {
		return db.Scope{}, err
	}
	return scope, nil
}

// ClosePrivacy ends what a privacy link opened.
func (a *Authority) ClosePrivacy(ctx context.Context, secret string) error {
	tenant := tenantOf(secret)
	if tenant == ids.None {
		return nil
	}
	return a.store.Write(ctx, db.System(tenant, "privacy"), func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, "delete from privacy_links where tenant_id = $1 and open_hash = $2", tx.Tenant(), hashOf(secret))
		return err
	})
}

// FormProof makes the proof that a form of a page contains, from the secret of the browser: a page of another site cannot know it.
func FormProof(secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte("privacy form"))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// ProvesForm says whether a form came from a page of the browser.
func ProvesForm(secret, proof string) bool {
	return secret != "" && hmac.Equal([]byte(FormProof(secret)), []byte(proof))
}
