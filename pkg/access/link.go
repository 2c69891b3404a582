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

	"assess/pkg/db"
	"assess/pkg/errs"
	"assess/pkg/ids"
	"assess/pkg/job"
	"assess/pkg/mail"
	"assess/pkg/people"
)

// LoginInput asks for a magic link.
type LoginInput struct {
	Tenant  string `json:"tenant" minLength:"1" maxLength:"63" doc:"Slug of the tenant" example:"north-college"`
	Email   string `json:"email" minLength:"3" maxLength:"320" doc:"E-mail address of the user" example:"ada@example.org"`
	OrgUnit string `json:"orgUnit,omitempty" maxLength:"63" doc:"Slug of the org unit to sign in to; default: the user's first"`
}

// RequestLink queues a magic link for an address. Whether the address is known shows
// neither in the outcome nor in the work done: an unknown one gets a link that leads
// nowhere and is never mailed. rate_limited after too many calls for the address or from
// the network address.
func (a *Authority) RequestLink(ctx context.Context, in LoginInput, remote string) error {
	tenant, email := strings.ToLower(strings.TrimSpace(in.Tenant)), strings.ToLower(strings.TrimSpace(in.Email))
	err := Allow(ctx, a.store, Limit{a.options.LoginPerAddress, time.Minute}, "login address "+remote)
	if err != nil {
		return err
	}
	err = Allow(ctx, a.store, Limit{a.options.LoginPerEmail, time.Minute}, "login email "+tenant+" "+email)
	if err != nil {
		return err
	}
	tenantID, err := a.store.TenantBySlug(ctx, tenant)
	if errors.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return a.store.Write(ctx, db.System(tenantID, "login"), func(tx *db.Tx) error {
		return a.queueLink(ctx, tx, email, in.OrgUnit)
	})
}

func (a *Authority) queueLink(ctx context.Context, tx *db.Tx, email, orgUnit string) error {
	user, org, err := linkTarget(ctx, tx, email, orgUnit)
	if err != nil {
		return err
	}
	link := ids.New()
	_, err = tx.Exec(ctx, `
		insert into magic_links (tenant_id, id, user_id, org_unit_id, created_at, expires_at)
		values ($1, $2, $3, $4, $5, $6)`,
		tx.Tenant(), link, ids.Ref(user), ids.Ref(org), tx.Now(), tx.Now().Add(a.options.MagicLinkLifetime))
	if err != nil {
		return fmt.Errorf("store magic link: %w", err)
	}
	return job.Insert(ctx, tx, MailLink{Tenant: tx.Tenant(), Link: link})
}

// linkTarget finds the user and the org unit to sign in to; none and none when there is
// no such active member.
func linkTarget(ctx context.Context, tx *db.Tx, email, orgUnit string) (ids.ID, ids.ID, error) {
	user, err := people.UserByEmail(ctx, tx, email)
	if errors.Is(err, errs.NotFound) || errors.Is(err, errs.ValidationFailed) {
		return ids.None, ids.None, nil
	}
	if err != nil {
		return ids.None, ids.None, err
	}
	g, err := loadGrants(ctx, tx, user.ID)
	if err != nil {
		return ids.None, ids.None, err
	}
	if !g.active {
		return ids.None, ids.None, nil
	}
	for _, o := range user.OrgUnits {
		if orgUnit == "" && o.ID == g.orgUnits[0] || o.Slug == orgUnit {
			return user.ID, o.ID, nil
		}
	}
	return ids.None, ids.None, nil
}

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
	token := newToken()
	hash := sha256.Sum256([]byte(token))
	var user *ids.ID
	var expires time.Time
	err := tx.QueryRow(ctx, `
		update magic_links set token_hash = $3
		where tenant_id = $1 and id = $2 and redeemed_at is null and expires_at > $4
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
	return &mail.Message{To: to.Email, Subject: "Your sign-in link", Text: linkText(w.BaseURL, token, expires)}, nil
}

func linkText(baseURL, token string, expires time.Time) string {
	return fmt.Sprintf(`Hello,

this link signs you in. It works once, until %s UTC:

%s/api/v1/auth/verify?token=%s

If you did not ask for it, ignore this message: nobody can sign in without the link.
`, expires.UTC().Format("15:04 on 2 January 2006"), strings.TrimRight(baseURL, "/"), url.QueryEscape(token))
}

func newToken() string {
	var random [32]byte
	rand.Read(random[:]) //nolint:errcheck // never fails since Go 1.24
	return base64.RawURLEncoding.EncodeToString(random[:])
}

// Session is what redeeming a link gives.
type Session struct {
	Token
	User        people.User `json:"user"`
	StepUpProof Proof       `json:"stepUpProof"`
}

// Redeem trades a link's token for a session. A link works once: of two tries at the same
// moment one succeeds. link_invalid when it is unknown, expired, used, or its user is no
// longer an active member of the org unit.
func (a *Authority) Redeem(ctx context.Context, token string) (Session, error) {
	invalid := errs.New(errs.LinkInvalid, "This sign-in link is unknown, expired or already used. Ask for a new one.")
	hash := sha256.Sum256([]byte(token))
	var tenant, link *ids.ID
	err := a.store.Unscoped().QueryRow(ctx, "select tenant, link from magic_link_by_hash($1)", hash[:]).Scan(&tenant, &link)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return Session{}, db.Translate(err)
	}
	if tenant == nil {
		return Session{}, invalid
	}
	var s Session
	err = a.store.Write(ctx, db.System(*tenant, "verify"), func(tx *db.Tx) error {
		var user, org ids.ID
		err := tx.QueryRow(ctx, `
			update magic_links set redeemed_at = $3
			where tenant_id = $1 and id = $2 and redeemed_at is null and expires_at > $3 and user_id is not null
			returning user_id, org_unit_id`, tx.Tenant(), *link, tx.Now()).Scan(&user, &org)
		if errors.Is(err, pgx.ErrNoRows) {
			return invalid
		}
		if err != nil {
			return fmt.Errorf("redeem link: %w", err)
		}
		s, err = a.open(ctx, tx, user, org)
		if errors.Is(err, errs.NotFound) {
			return invalid
		}
		return err
	})
	return s, err
}

func (a *Authority) open(ctx context.Context, tx *db.Tx, user, org ids.ID) (Session, error) {
	token, err := a.IssueToken(ctx, tx, user, org)
	if err != nil {
		return Session{}, err
	}
	proof, err := a.IssueProof(ctx, tx, user, ByMagicLink)
	if err != nil {
		return Session{}, err
	}
	who, err := people.GetUser(ctx, tx, user)
	if err != nil {
		return Session{}, err
	}
	return Session{Token: token, User: who, StepUpProof: proof}, nil
}
