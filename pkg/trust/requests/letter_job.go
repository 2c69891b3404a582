package requests

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"assess/models"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/mail"
	"assess/pkg/people/access"
)

// MailLetter is the job that mails one letter about a request.
type MailLetter struct {
	Tenant  ids.ID `json:"tenant"`
	Request ids.ID `json:"request"`
	Letter  ids.ID `json:"letter"`
}

// Kind names the job.
func (MailLetter) Kind() string { return "mail_letter" }

// Writer works on MailLetter jobs, as assignment.Inviter does on invitations: it claims the letter before it mails and says afterwards how
// it went. A claim that it finds is of a process that died meanwhile: the mail may be out, and is not sent again.
type Writer struct {
	river.WorkerDefaults[MailLetter]
	Store   *db.Store
	Sender  mail.Sender
	BaseURL string
	// Secret is auth.key_secret, which addresses of erased people are sealed with.
	Secret string
}

// Work mails one letter.
func (w *Writer) Work(ctx context.Context, j *river.Job[MailLetter]) error {
	var message *mail.Message
	err := w.write(ctx, j.Args, func(tx *db.Tx) error {
		var err error
		message, err = w.claim(ctx, tx, j.Args)
		return err
	})
	if err != nil || message == nil {
		return err
	}
	state, problem, again := mail.Went(w.Sender.Send(ctx, *message), j.Attempt >= j.MaxAttempts)
	// The outcome is written down even when the job is being stopped.
	err = w.write(context.WithoutCancel(ctx), j.Args, func(tx *db.Tx) error { return settle(ctx, tx, j.Args, state, problem) })
	return errors.Join(again, err)
}

func (w *Writer) write(ctx context.Context, args MailLetter, fn func(*db.Tx) error) error {
	return w.Store.Write(ctx, db.System(args.Tenant, "mail_letter"), fn)
}

// claim gives the message to send; none when there is nothing to do any more.
func (w *Writer) claim(ctx context.Context, tx *db.Tx, args MailLetter) (*mail.Message, error) {
	var letter, state string
	var sealed []byte
	err := tx.QueryRow(ctx, "select letter, state, sealed from request_letters where tenant_id = $1 and request_id = $2 and id = $3 for update",
		tx.Tenant(), args.Request, args.Letter).Scan(&letter, &state, &sealed)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, nil //nolint:nilnil // the request is gone
	case err != nil:
		return nil, fmt.Errorf("claim a letter: %w", err)
	case state == letterSending:
		return nil, settle(ctx, tx, args, letterFailed, "interrupted")
	case state != letterQueued:
		return nil, nil //nolint:nilnil // done
	}
	row, err := find(ctx, tx, args.Request, false)
	if err != nil {
		return nil, err
	}
	to, err := w.addressee(ctx, tx, row, args.Letter, sealed)
	if err != nil {
		return nil, err
	}
	if to.Email == "" {
		return nil, settle(ctx, tx, args, letterFailed, "no_address")
	}
	text, err := compose(ctx, tx, w.BaseURL, row, letter, to)
	if err != nil {
		return nil, err
	}
	_, err = tx.Exec(ctx, "update request_letters set state = 'sending', locale = $4, template_version = $5, sha256 = $6 where tenant_id = $1 and request_id = $2 and id = $3",
		tx.Tenant(), args.Request, args.Letter, text.Locale, text.TemplateVersion, text.hash())
	if err != nil {
		return nil, fmt.Errorf("claim a letter: %w", err)
	}
	return &mail.Message{To: to.Email, Subject: text.Subject, Text: text.Text, ID: args.Letter.String() + "." + row.SubjectID.String()}, nil
}

// addressee gives the person the letter goes to; if they were erased meanwhile, from what was sealed.
func (w *Writer) addressee(ctx context.Context, tx *db.Tx, row models.ComplianceRequest, letter ids.ID, sealed []byte) (addressee, error) {
	if sealed == nil {
		return addresseeOf(ctx, tx, *row.SubjectID)
	}
	var to addressee
	plain, err := access.Unseal(w.Secret, sealedName(tx.Tenant(), row.ID, letter), sealed)
	if err == nil {
		err = json.Unmarshal(plain, &to)
	}
	if err != nil {
		return to, fmt.Errorf("open the address of a letter: %w", err)
	}
	return to, nil
}

// settle says what became of a letter; an address that was sealed for it goes.
func settle(ctx context.Context, tx *db.Tx, args MailLetter, state, problem string) error {
	l := Letter{ID: args.Letter, State: state}
	err := tx.QueryRow(ctx, `
		update request_letters set state = $4, problem = nullif($5, ''), sealed = case when $4 = 'queued' then sealed end,
			sent_at = case when $4 = 'sent' then $6::timestamptz end
		where tenant_id = $1 and request_id = $2 and id = $3 returning letter, locale, template_version, sha256, problem`,
		tx.Tenant(), args.Request, args.Letter, state, problem, tx.Now()).Scan(&l.Letter, &l.Locale, &l.TemplateVersion, &l.SHA256, &l.Problem)
	if err != nil {
		return fmt.Errorf("settle a letter: %w", err)
	}
	if state == letterQueued {
		return nil
	}
	row, err := find(ctx, tx, args.Request, false)
	if err != nil {
		return err
	}
	return toldLedger(ctx, tx, row, l)
}
