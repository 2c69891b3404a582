package people

import (
	"context"
	"fmt"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// ErasedDomain is that of the addresses that erased records have.
const ErasedDomain = "@erased.invalid"

// It locks the records one by one, in one order; a row that somebody else changes meanwhile is read as it is then.
const refuseErasedSQL = `
	select coalesce(bool_or(u.gone), false) from (
		select erasing or right(email, length($3)) = $3 as gone from users where tenant_id = $1 and id = any($2) order by id for key share) u`

// RefuseErased refuses to write something about people whose data are being erased, or were. Until the transaction
// ends, nobody begins to erase them: what is written now is there when the job looks. Whoever stores words, files or
// decisions about a person calls it, or submission.RefuseErased. Errors: subject_erased.
func RefuseErased(ctx context.Context, tx *db.Tx, users ...ids.ID) error {
	var gone bool
	err := tx.QueryRow(ctx, refuseErasedSQL, tx.Tenant(), users, ErasedDomain).Scan(&gone)
	if err != nil {
		return fmt.Errorf("look for erased people: %w", err)
	}
	if gone {
		return errs.New(errs.SubjectErased, "%s", errs.Meaning(errs.SubjectErased))
	}
	return nil
}
