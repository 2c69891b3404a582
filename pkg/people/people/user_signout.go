package people

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/job"
	"assess/pkg/kernel/mail"
)

// signsOut says that anything that let the user in before the change must not let them in after it.
func (n userChange) signsOut(old User) bool { return n.user.Email != old.Email || n.deactivates(old) }

// signOut ends links and proofs. Tokens ended with the generation that writeRow counted up.
func (n userChange) signOut(ctx context.Context, tx *db.Tx, old User) error {
	if !n.signsOut(old) {
		return nil
	}
	for _, sql := range []string{
		"delete from magic_links where tenant_id = $1 and user_id = $2 and redeemed_at is null",
		"delete from step_up_proofs where tenant_id = $1 and user_id = $2 and consumed_at is null",
	} {
		_, err := tx.Exec(ctx, sql, tx.Tenant(), old.ID)
		if err != nil {
			return fmt.Errorf("end links and proofs: %w", err)
		}
	}
	if n.user.Email == old.Email || old.Email == "" {
		return nil
	}
	return queueTelling(ctx, tx, old.ID, old.Email)
}

// TellFormerAddress is the job that tells an address that it was replaced. The address itself
// is in a row that lasts until the mail is out; jobs hold no personal data.
type TellFormerAddress struct {
	Tenant  ids.ID `json:"tenant"`
	Address ids.ID `json:"address"`
}

// Kind names the job.
func (TellFormerAddress) Kind() string { return "tell_former_address" }

func queueTelling(ctx context.Context, tx *db.Tx, user ids.ID, address string) error {
	told := TellFormerAddress{Tenant: tx.Tenant(), Address: ids.New()}
	_, err := tx.Exec(ctx, "insert into former_addresses (tenant_id, id, user_id, email, changed_at) values ($1, $2, $3, $4, $5)",
		told.Tenant, told.Address, user, address, tx.Now())
	if err != nil {
		return fmt.Errorf("keep former address: %w", err)
	}
	return job.Insert(ctx, tx, told)
}

// AddressTeller works on TellFormerAddress jobs. A second run after the mail went out finds no
// address any more; one that broke off before sends the mail again, under the same message id.
type AddressTeller struct {
	river.WorkerDefaults[TellFormerAddress]
	Store  *db.Store
	Sender mail.Sender
}

// Work mails one address and forgets it.
func (w *AddressTeller) Work(ctx context.Context, j *river.Job[TellFormerAddress]) error {
	scope := db.System(j.Args.Tenant, "tell_former_address")
	var message mail.Message
	err := w.Store.Read(ctx, scope, func(tx *db.Tx) error {
		var err error
		message, err = farewell(ctx, tx, j.Args.Address)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	err = w.Sender.Send(ctx, message)
	if err != nil && !errors.Is(err, mail.ErrUncertain) {
		return err
	}
	return w.Store.Write(context.WithoutCancel(ctx), scope, func(tx *db.Tx) error {
		_, err := tx.Exec(ctx, "delete from former_addresses where tenant_id = $1 and id = $2", tx.Tenant(), j.Args.Address)
		return err
	})
}

func farewell(ctx context.Context, tx *db.Tx, address ids.ID) (mail.Message, error) {
	var email, tenant string
	var changed time.Time
	var user *ids.ID
	err := tx.QueryRow(ctx, `
		select a.email, a.changed_at, t.name, a.user_id from former_addresses a join tenants t on t.id = a.tenant_id
		where a.tenant_id = $1 and a.id = $2`, tx.Tenant(), address).Scan(&email, &changed, &tenant, &user)
	if err != nil {
		return mail.Message{}, fmt.Errorf("read former address: %w", err)
	}
	text := fmt.Sprintf(`Hello,

the e-mail address of your account at %s was changed at %s UTC.
Sign-in links no longer come to this address. Whoever was signed in is signed out, and
links that were mailed to it no longer work.

If you did not expect this, tell those who run your account.
`, tenant, changed.UTC().Format("15:04 on 2 January 2006"))
	return mail.Message{To: email, Subject: "Your e-mail address was changed", Text: text,
		ID: address.String() + "." + db.OrZero(user).String()}, nil
}
