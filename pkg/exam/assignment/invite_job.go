package assignment

import (
	"context"
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
	"assess/pkg/people/access"
)

// MailInvitation is the job that mails one invitation. Sending counts the requests for it.
type MailInvitation struct {
	Tenant     ids.ID `json:"tenant"`
	Assignment ids.ID `json:"assignment"`
	User       ids.ID `json:"user"`
	Sending    int    `json:"sending"`
}

// Kind names the job.
func (MailInvitation) Kind() string { return "mail_invitation" }

// Inviter works on MailInvitation jobs.
//
// It claims the row before it mails and afterwards records the result. A refusal of the mail server
// gives the row back for River's next try; the last try fails it. A claim that is still there
// because a process died between the two fails too, as does a connection that broke when the
// message was already handed over: the mail may be out, and it is never sent twice. Another request
// sends it again.
type Inviter struct {
	river.WorkerDefaults[MailInvitation]
	Store   *db.Store
	Sender  mail.Sender
	BaseURL string
	// AppURL is where candidates go, if there is such a place.
	AppURL string
	// LinkLifetime bounds the links of people who have no account yet.
	LinkLifetime time.Duration
}

// Work mails one invitation.
func (w *Inviter) Work(ctx context.Context, j *river.Job[MailInvitation]) error {
	var message *mail.Message
	err := w.write(ctx, j.Args, func(tx *db.Tx) error {
		var err error
		message, err = w.claim(ctx, tx, j.Args)
		return err
	})
	if err != nil || message == nil {
		return err
	}
	status, problem, again := mail.Went(w.Sender.Send(ctx, *message), j.Attempt >= j.MaxAttempts)
	// The result is written down even when the job is being stopped.
	err = w.write(context.WithoutCancel(ctx), j.Args, func(tx *db.Tx) error { return settle(ctx, tx, j.Args, status, problem) })
	return errors.Join(again, err)
}

func (w *Inviter) write(ctx context.Context, args MailInvitation, fn func(*db.Tx) error) error {
	return w.Store.Write(ctx, db.System(args.Tenant, "mail_invitation"), fn)
}

// claim gives the message to send; none when there is nothing to do any more.
func (w *Inviter) claim(ctx context.Context, tx *db.Tx, args MailInvitation) (*mail.Message, error) {
	var status string
	err := tx.QueryRow(ctx, `
		select status from assignment_invitations where tenant_id = $1 and assignment_id = $2 and user_id = $3 and sending = $4
		for no key update`, tx.Tenant(), args.Assignment, args.User, args.Sending).Scan(&status)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, nil //nolint:nilnil // asked for anew meanwhile
	case err != nil:
		return nil, fmt.Errorf("claim invitation: %w", err)
	case status == InvitationSending:
		return nil, settle(ctx, tx, args, InvitationFailed, "interrupted")
	case status != InvitationQueued:
		return nil, nil //nolint:nilnil // done
	}
	to, err := findAddressee(ctx, tx, args)
	if err != nil {
		return nil, err
	}
	if to.email == "" {
		return nil, settle(ctx, tx, args, InvitationFailed, "no_address")
	}
	if !to.invitable {
		return nil, settle(ctx, tx, args, InvitationFailed, "withdrawn")
	}
	message, err := w.compose(ctx, tx, args, to)
	if err != nil {
		return nil, err
	}
	return &message, settle(ctx, tx, args, InvitationSending, "")
}

func settle(ctx context.Context, tx *db.Tx, args MailInvitation, status, problem string) error {
	_, err := tx.Exec(ctx, `
		update assignment_invitations set status = $5, problem = nullif($6, ''), sent_at = case when $5 = 'sent' then $7::timestamptz end
		where tenant_id = $1 and assignment_id = $2 and user_id = $3 and sending = $4`,
		tx.Tenant(), args.Assignment, args.User, args.Sending, status, problem, tx.Now())
	if err != nil {
		return fmt.Errorf("settle invitation: %w", err)
	}
	return nil
}

// addressee is what a mail needs to know about a person and their assignment.
type addressee struct {
	email, title string
	orgUnit      ids.ID
	from, until  *time.Time
	// tenant is the organisation: its name, and the slug for signing in; unit is the part of it, and sender who made
	// the assignment, if that was a person.
	tenant, slug, unit, sender string
	// seconds is how long the exam takes at most; nil without a limit.
	seconds *int
	// member says that they can sign in to the org unit.
	member    bool
	invitable bool
}

// addresseeSQL reads what a mail says, at one moment.
const addresseeSQL = `
select coalesce(u.email, ''), coalesce(v.title, e.title), a.org_unit_id, coalesce(o.valid_from, a.valid_from), coalesce(o.valid_until, a.valid_until),
	t.name, t.slug, g.name, coalesce(b.name, ''), (v.settings ->> 'timeLimitSeconds')::int + coalesce(o.extra_time_seconds, 0),
	u.status = 'active' and exists (select from user_org_units m
		where m.tenant_id = $1 and m.user_id = u.id and m.org_unit_id = a.org_unit_id),
	u.status <> 'deactivated' and not u.restricted and a.status = 'active' and e.status <> 'archived'
		and coalesce(o.valid_until, a.valid_until, 'infinity') > $4
from assignments a
join users u on u.tenant_id = a.tenant_id and u.id = $3
join tenants t on t.id = a.tenant_id
join org_units g on g.tenant_id = a.tenant_id and g.id = a.org_unit_id
join evaluations e on e.tenant_id = a.tenant_id and e.id = a.evaluation_id
left join evaluation_versions v on v.tenant_id = a.tenant_id and v.id = e.published_id
left join users b on b.tenant_id = a.tenant_id and b.id = case when a.created_by like 'user:%' then substr(a.created_by, 6)::uuid end
left join assignment_overrides o on o.tenant_id = a.tenant_id and o.assignment_id = a.id and o.user_id = u.id
where a.tenant_id = $1 and a.id = $2`

func findAddressee(ctx context.Context, tx *db.Tx, args MailInvitation) (addressee, error) {
	var a addressee
	err := tx.QueryRow(ctx, addresseeSQL, tx.Tenant(), args.Assignment, args.User, tx.Now()).
		Scan(&a.email, &a.title, &a.orgUnit, &a.from, &a.until, &a.tenant, &a.slug, &a.unit, &a.sender, &a.seconds, &a.member, &a.invitable)
	if err != nil {
		return addressee{}, fmt.Errorf("read invitee: %w", err)
	}
	return a, nil
}

// compose writes the mail. People without an account in the org unit get a link that makes one;
// everybody else signs in as always.
func (w *Inviter) compose(ctx context.Context, tx *db.Tx, args MailInvitation, to addressee) (mail.Message, error) {
	way := "Sign in as usual to take it."
	if w.AppURL != "" {
		with := url.Values{"assignment": {args.Assignment.String()}, "tenant": {to.slug}, "email": {to.email}}
		way = "Sign in here to take it:\n\n" + w.AppURL + "#" + with.Encode()
	}
	if !to.member {
		expires := tx.Now().Add(w.LinkLifetime)
		if to.until != nil && to.until.Before(expires) {
			expires = to.until.UTC()
		}
		token, err := access.IssueInvitation(ctx, tx, access.InvitationInput{User: args.User, OrgUnit: to.orgUnit,
			Assignment: args.Assignment, Expires: expires})
		if err != nil {
			return mail.Message{}, err
		}
		way = fmt.Sprintf("This link signs you in. It works once, until %s UTC:\n\n%s/api/v1/auth/verify?token=%s",
			expires.Format("15:04 on 2 January 2006"), strings.TrimRight(w.BaseURL, "/"), url.QueryEscape(token))
	}
	text := fmt.Sprintf("Hello,\n\n%s invites you to take %q.\n\n%s\n%s\n\nDetails: the number of your assignment is %s.\n",
		to.host(), to.title, to.terms(), way, args.Assignment)
	return mail.Message{To: to.email, Subject: strings.Join(strings.Fields("Invitation from "+to.tenant+": "+to.title), " "), Text: text,
		ID: fmt.Sprintf("%s.%s.%d", args.Assignment, args.User, args.Sending)}, nil
}

// host says who invites: the organisation, and its part where that has a name of its own.
func (a addressee) host() string {
	if a.unit == a.tenant {
		return a.tenant
	}
	return a.tenant + ", " + a.unit + ","
}

// terms are who invites, when the exam can be started, and how long it takes.
func (a addressee) terms() string {
	var lines strings.Builder
	if a.sender != "" {
		lines.WriteString("The invitation is from " + a.sender + ".\n")
	}
	if a.from != nil {
		lines.WriteString("Start it from " + clock(*a.from) + " on.\n")
	}
	if a.until == nil {
		lines.WriteString("There is no closing date.\n")
	} else {
		lines.WriteString("Start before " + clock(*a.until) + ".\n")
	}
	if a.seconds == nil {
		lines.WriteString("There is no time limit.\n")
	} else {
		lines.WriteString("Once you have started, you have " + lasting(*a.seconds) + ".\n")
	}
	return lines.String()
}

func clock(t time.Time) string { return t.UTC().Format("15:04 on 2 January 2006") + " UTC" }

// lasting says a time exactly: 1 h 30 min.
func lasting(seconds int) string {
	var parts []string
	for _, p := range []struct {
		n    int
		unit string
	}{{seconds / 3600, "h"}, {seconds / 60 % 60, "min"}, {seconds % 60, "s"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.unit))
		}
	}
	return strings.Join(parts, " ")
}
