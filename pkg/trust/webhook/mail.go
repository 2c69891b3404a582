package webhook

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/mail"
	"assess/pkg/people/people"
)

// MailDisabled is the job that tells the maker of an endpoint that it was disabled.
type MailDisabled struct {
	Tenant   ids.ID `json:"tenant"`
	Endpoint ids.ID `json:"endpoint"`
}

// Kind names the job.
func (MailDisabled) Kind() string { return "mail_webhook_disabled" }

// Mailer works on MailDisabled jobs. A second run sends the mail again, under the same message id.
type Mailer struct {
	river.WorkerDefaults[MailDisabled]
	Store  *db.Store
	Sender mail.Sender
}

// Work mails one message, where there is still somebody to read it.
func (w *Mailer) Work(ctx context.Context, j *river.Job[MailDisabled]) error {
	var message *mail.Message
	err := w.Store.Read(ctx, db.System(j.Args.Tenant, "webhooks"), func(tx *db.Tx) error {
		var err error
		message, err = disabledMail(ctx, tx, j.Args.Endpoint)
		return err
	})
	if err != nil {
		return err
	}
	return mail.SendUnlessNone(ctx, w.Sender, message)
}

func disabledMail(ctx context.Context, tx *db.Tx, endpoint ids.ID) (*mail.Message, error) {
	var address, description, reason, maker, tenant string
	err := tx.QueryRow(ctx, `
		select e.url, e.description, coalesce(e.disabled_reason, ''), e.created_by, t.name from webhook_endpoints e join tenants t on t.id = e.tenant_id
		where e.tenant_id = $1 and e.id = $2 and e.state = 'disabled'`, tx.Tenant(), endpoint).Scan(&address, &description, &reason, &maker, &tenant)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // it was deleted, or works again: nothing to mail
	}
	if err != nil {
		return nil, fmt.Errorf("read the endpoint that was disabled: %w", err)
	}
	id, isUser := makerOf(maker)
	if !isUser {
		return nil, nil //nolint:nilnil // operators read the log
	}
	to, err := people.GetUser(ctx, tx, id)
	if errs.Of(err).Code == errs.NotFound || err == nil && (to.Email == "" || to.Status != "active") {
		return nil, nil //nolint:nilnil // nobody to mail to
	}
	if err != nil {
		return nil, err
	}
	why := "It answered nothing but errors for three days."
	if reason == "gone" {
		why = "It answered 410, which says that it is gone for good."
	}
	if description != "" {
		description = " (" + description + ")"
	}
	return &mail.Message{To: to.Email, Subject: "A webhook is no longer called", ID: endpoint.String() + "." + id.String(), Text: fmt.Sprintf(`Hello,

%s no longer calls this webhook%s:

%s

%s
Make it active again once it works (assessctl webhook update %s --state active), and send
what was missed with assessctl webhook replay.
`, tenant, description, address, why, endpoint)}, nil
}
