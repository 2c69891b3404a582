package requests

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/riverqueue/river"

	"assess/config"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/mail"
)

func call[T any](d *desk, as db.Scope, want errs.Code, fn func(context.Context, *db.Tx) (T, error)) T {
	d.Helper()
	var got T
	err := d.store.Write(d.Context(), as, func(tx *db.Tx) error {
		var err error
		got, err = fn(d.Context(), tx)
		return err
	})
	if want == "" && err != nil || want != "" && !errors.Is(err, want) {
		d.Fatalf("got %v, want %q", err, want)
	}
	return got
}

func (d *desk) recipient(input RecipientInput, want errs.Code) Recipient {
	d.Helper()
	return call(d, d.olga, want, func(ctx context.Context, tx *db.Tx) (Recipient, error) { return CreateRecipient(ctx, tx, input) })
}

// A recipient of the tenant's data is told of requests that were carried out, and reminded until it answers; each recipient once
// for a request.
func TestRecipientsAreTold(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	proctoring := RecipientInput{Name: "Watchful Ltd", Role: "processor", Purpose: "integrity", Gets: "Events of sessions", Contact: "privacy@watchful.example"}
	d.recipient(RecipientInput{Name: "x", Role: "owner", Purpose: "fun", Contact: "no address", WebhookID: new(ids.New())}, errs.ValidationFailed)
	w := d.recipient(proctoring, "")
	d.recipient(proctoring, errs.DuplicateName)
	archive := d.recipient(RecipientInput{Name: "The archive", Role: "recipient", Purpose: "proof"}, "")
	gone := d.recipient(RecipientInput{Name: "An old one", Role: "recipient", Purpose: "proof"}, "")
	call(d, d.olga, "", func(ctx context.Context, tx *db.Tx) (Recipient, error) { return EndRecipient(ctx, tx, gone.ID) })
	call(d, d.mara(false), errs.Forbidden, func(ctx context.Context, tx *db.Tx) (Recipient, error) { return GetRecipient(ctx, tx, w.ID) })
	call(d, newDesk(t).olga, errs.NotFound, func(ctx context.Context, tx *db.Tx) (Recipient, error) { return GetRecipient(ctx, tx, w.ID) })

	asked := d.decide(d.olga, d.verify(d.record(Access, time.Time{})), Granted, "", "")
	e := d.carryOut(asked, "")
	if _, err := d.office.Work(t.Context(), d.operator.Tenant, e.Job.ID, nil); err != nil {
		t.Fatal(err)
	}
	if tasks := d.get(asked.ID).Tasks; len(tasks) != 0 {
		t.Errorf("of an export nobody is told: %+v", tasks)
	}
	r := d.decide(d.olga, d.verify(d.record(Rectification, time.Time{})), Granted, "", "")
	tasks := d.carryOut(r, "").Tasks
	if len(tasks) != 2 || tasks[0].Way != byMail || tasks[0].RemindAt == nil || tasks[1].Way != byHand || tasks[1].ToldAt != nil || tasks[1].RecipientID != archive.ID {
		t.Fatalf("the tasks are %+v", tasks)
	}
	folder := t.TempDir()
	sender, err := mail.New(config.Mail{Mode: "folder", Folder: folder, From: "office@example.org"})
	if err != nil {
		t.Fatal(err)
	}
	mailer, reminder := &TaskMailer{Store: d.store, Sender: sender}, &Reminder{Store: d.store}
	send := func() {
		t.Helper()
		if err := mailer.Work(t.Context(), &river.Job[MailTask]{Args: MailTask{d.operator.Tenant, tasks[0].ID}}); err != nil {
			t.Fatal(err)
		}
	}
	send()
	// The weeks go by, and nothing comes.
	for range mostReminders + 1 {
		sample.Write(t, d.store, d.operator, func(tx *db.Tx) error {
			_, err := tx.Exec(t.Context(), "update recipient_tasks set remind_at = now() - interval '1 second' where tenant_id = $1 and remind_at is not null", tx.Tenant())
			return err
		})
		if err := reminder.remind(t.Context(), d.operator.Tenant); err != nil {
			t.Fatal(err)
		}
		send()
	}
	now := d.get(r.ID).Tasks
	if now[0].Reminders != mostReminders || now[0].RemindAt != nil || now[0].State != taskOpen || now[1].Reminders != 0 {
		t.Errorf("after some weeks: %+v", now)
	}
	got, err := mail.Newest(folder, 10)
	if err != nil || len(got) != mostReminders+2 || !strings.Contains(got[0].Text, d.person.String()) || got[0].To != proctoring.Contact || !strings.HasPrefix(got[0].Subject, "Reminder") {
		t.Errorf("mails: %+v, %v", got, err)
	}
	call(d, d.mara(false), errs.Forbidden, func(ctx context.Context, tx *db.Tx) (Task, error) { return Acknowledge(ctx, tx, tasks[1].ID) })
	call(d, d.olga, "", func(ctx context.Context, tx *db.Tx) (Task, error) { return Remind(ctx, tx, tasks[1].ID) })
	call(d, d.olga, "", func(ctx context.Context, tx *db.Tx) (Task, error) { return Acknowledge(ctx, tx, tasks[1].ID) })
	call(d, d.olga, errs.WrongRequestState, func(ctx context.Context, tx *db.Tx) (Task, error) { return Acknowledge(ctx, tx, tasks[1].ID) })
	call(d, d.olga, errs.ValidationFailed, func(ctx context.Context, tx *db.Tx) (Task, error) { return GiveUp(ctx, tx, tasks[0].ID, GiveUpInput{}) })
	closed := call(d, d.olga, "", func(ctx context.Context, tx *db.Tx) (Task, error) {
		return GiveUp(ctx, tx, tasks[0].ID, GiveUpInput{ReasonCode: "impossible"})
	})
	if closed.State != taskGivenUp || closed.Recipient != w.Name {
		t.Errorf("given up: %+v", closed)
	}
	open := call(d, d.olga, "", func(ctx context.Context, tx *db.Tx) (db.List[Task], error) {
		return ListTasks(ctx, tx, TaskFilter{State: taskOpen})
	})
	done := call(d, d.olga, "", func(ctx context.Context, tx *db.Tx) (db.List[Task], error) {
		return ListTasks(ctx, tx, TaskFilter{State: taskAcknowledged, RecipientID: archive.ID, RequestID: r.ID})
	})
	if open.Total != 0 || done.Total != 1 || done.Items[0].Recipient != archive.Name {
		t.Errorf("open: %+v, done: %+v", open, done)
	}
}
