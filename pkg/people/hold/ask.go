package hold

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// Restricted is the answer to an attempt to use the data of a restricted person.
func Restricted() error {
	return errs.New(errs.ProcessingRestricted, "%s", errs.Meaning(errs.ProcessingRestricted))
}

// Active is the answer to an attempt to erase what a hold keeps.
func Active() error { return errs.New(errs.HoldActive, "%s", errs.Meaning(errs.HoldActive)) }

// Use asks whether the data of a person may be used by anybody other than the person. Until the
// transaction ends, no hold is placed and none is lifted. A person that it does not find is not
// refused. Errors: processing_restricted.
func Use(ctx context.Context, tx *db.Tx, user ids.ID) error {
	var restricted bool
	err := tx.QueryRow(ctx, "select restricted from users where tenant_id = $1 and id = $2 for key share", tx.Tenant(), user).Scan(&restricted)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("look for a restriction: %w", err)
	case restricted:
		return Restricted()
	}
	return nil
}

// Erase asks whether a person's data may be erased: a hold of the person forbids it, and so does one of
// any of their submissions. Until the transaction ends, no hold is placed. Errors: not_found, hold_active.
func Erase(ctx context.Context, tx *db.Tx, user ids.ID) error {
	err := share(ctx, tx, user)
	if err != nil {
		return err
	}
	return refuse(ctx, tx, "select exists (select from holds where tenant_id = $1 and subject_id = $2 and lifted_at is null)", user)
}

// EraseSubmission asks whether something of a submission may be erased. Until the transaction ends, no
// hold is placed on it. Errors: not_found, hold_active.
func EraseSubmission(ctx context.Context, tx *db.Tx, submission ids.ID) error {
	var user ids.ID
	err := tx.QueryRow(ctx, "select user_id from submissions where tenant_id = $1 and id = $2", tx.Tenant(), submission).Scan(&user)
	if errors.Is(err, pgx.ErrNoRows) {
		return errNoSubmission
	}
	if err != nil {
		return fmt.Errorf("find submission: %w", err)
	}
	err = share(ctx, tx, user)
	if err != nil {
		return err
	}
	return refuse(ctx, tx, "select hold_flag from submissions where tenant_id = $1 and id = $2", submission)
}

// StartErasing asks what Erase asks, and keeps holds away until StopErasing, for callers that erase in more than one
// transaction. It waits for transactions that are writing about the person (people.RefuseErased), so it finds all that
// there will be. It may be called again. Errors: not_found, hold_active.
func StartErasing(ctx context.Context, tx *db.Tx, user ids.ID) error {
	_, err := tx.Exec(ctx, "select from users where tenant_id = $1 and id = $2 for update", tx.Tenant(), user)
	if err != nil {
		return fmt.Errorf("lock a person who is erased: %w", err)
	}
	err = Erase(ctx, tx, user)
	if err != nil {
		return err
	}
	return setErasing(ctx, tx, user, true)
}

// StopErasing lets holds be placed on the person again.
func StopErasing(ctx context.Context, tx *db.Tx, user ids.ID) error {
	return setErasing(ctx, tx, user, false)
}

func setErasing(ctx context.Context, tx *db.Tx, user ids.ID, erasing bool) error {
	_, err := tx.Exec(ctx, "update users set erasing = $3 where tenant_id = $1 and id = $2 and erasing <> $3", tx.Tenant(), user, erasing)
	if err != nil {
		return fmt.Errorf("say that a person is erased: %w", err)
	}
	return nil
}

// share waits for a transaction that places or lifts a hold of the person. The caller looks for
// holds in a statement of its own, which sees the change that was waited for.
func share(ctx context.Context, tx *db.Tx, user ids.ID) error {
	n, err := tx.Exec(ctx, "select from users where tenant_id = $1 and id = $2 for key share", tx.Tenant(), user)
	if err == nil && n == 0 {
		return errNoSubject
	}
	if err != nil {
		return fmt.Errorf("lock a person against holds: %w", err)
	}
	return nil
}

func refuse(ctx context.Context, tx *db.Tx, question string, id ids.ID) error {
	var stands bool
	err := tx.QueryRow(ctx, question, tx.Tenant(), id).Scan(&stands)
	if err != nil {
		return fmt.Errorf("look for a hold: %w", err)
	}
	if stands {
		return Active()
	}
	return nil
}
