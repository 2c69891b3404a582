package access

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/mail"
	"assess/pkg/people/people"
)

// MailLink is the job that makes a link's token and mails it. A second run makes a new
// token, and the earlier mail no longer works.
type MailLink struct {
	Tenant ids.ID `json:"tenant"`
	Link   ids.ID `json:"link"`
}

// Kind names the job.
func (MailLink) Kind() string { return "mail_link" }

// LinkMailer works on MailLink jobs.
type LinkMailer struct {
	river.WorkerDefaults[MailLink]
	Store   *db.Store
	Sender  mail.Sender
	BaseURL string
}

// Work mails one link.
func (w *LinkMailer) Work(ctx context.Context, j *river.Job[MailLink]) error {
	var message *mail.Message
	err := w.Store.Write(ctx, db.System(j.Args.Tenant, "mail_link"), func(tx *db.Tx) error {
		var err error
		message, err = w.prepare(ctx, tx, j.Args.Link)
		return err
	})
	if err != nil || message == nil {
		return err
	}
	return w.Sender.Send(ctx, *message)
}

func (w *LinkMailer) prepare(ctx context.Context, tx *db.Tx, link ids.ID) (*mail.Message, error) {
	token := newLinkToken(tx.Tenant())
	hash := sha256.Sum256([]byte(token))
	var user *ids.ID
	var expires time.Time
	err := tx.QueryRow(ctx, `
		update magic_links set token_hash = $3
		where tenant_id = $1 and id = $2 and redeemed_at is null and code_hash is null and expires_at > $4
		returning user_id, expires_at`, tx.Tenant(), link, hash[:], tx.Now()).Scan(&user, &expires)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // expired or swept meanwhile: nothing to mail
	}
	if err != nil {
		return nil, fmt.Errorf("give the link its token: %w", err)
	}
	if user == nil {
		_, err := tx.Exec(ctx, "delete from magic_links where tenant_id = $1 and id = $2", tx.Tenant(), link)
		return nil, err
	}
	to, err := people.GetUser(ctx, tx, *user)
	if err != nil {
		return nil, err
	}
	var tenant string
	err = tx.QueryRow(ctx, "select name from tenants where id = $1", tx.Tenant()).Scan(&tenant)
	if err != nil {
		return nil, fmt.Errorf("read the name of the tenant: %w", err)
	}
	return &mail.Message{To: to.Email, Subject: strings.Join(strings.Fields("Sign in to "+tenant), " "), Text: linkText(w.BaseURL, tenant, token, expires),
		ID: ids.New().String() + "." + user.String()}, nil
}

func linkText(baseURL, tenant, token string, expires time.Time) string {
	return fmt.Sprintf(`Hello,

this link signs you in to %s. It works once, until %s UTC:

%s/api/v1/auth/verify?token=%s

If you did not ask for it, ignore this message: nobody can sign in without the link.
`, tenant, expires.UTC().Format("15:04 on 2 January 2006"), strings.TrimRight(baseURL, "/"), url.QueryEscape(token))
}

// newLinkToken gives the token of a link: the id of its tenant, where it is looked for, and 256
// random bits, in letters that an address may hold.
func newLinkToken(tenant ids.ID) string {
	var random [32]byte
	rand.Read(random[:]) //nolint:errcheck // never fails since Go 1.24
	return base64.RawURLEncoding.EncodeToString(append(tenant[:], random[:]...))
}

// tenantOf gives the tenant that a link's token names; ids.None when it is no such token.
func tenantOf(token string) ids.ID {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(raw) != 16+32 {
		return ids.None
	}
	return ids.ID(raw[:16])
}
