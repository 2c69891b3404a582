package people

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// ErasedDomain is the domain of the addresses that erased records have.
const ErasedDomain = "@erased.invalid"

// IsErased is the condition on a row u of users that RefuseErased asks, for statements that read the record anyway.
const IsErased = "(u.erasing or coalesce(right(u.email, 15) = '" + ErasedDomain + "', false))"

// It locks the records one by one, in one order; a row that somebody else changes meanwhile is read as it is then.
const refuseErasedSQL = `
	select coalesce(bool_or(gone), false) from (
		select ` + IsErased + ` as gone from users u where tenant_id = $1 and id = any($2) order by id for key share) u`

// RefuseErased refuses to write something about people whose data are being erased, or were. Until the transaction
// ends, nobody begins to erase them: anything written now is there when the job looks. Code that stores words, files
// or decisions about a person calls it, or submission.RefuseErased. Errors: subject_erased.
func RefuseErased(ctx context.Context, tx *db.Tx, users ...ids.ID) error {
	if len(users) == 0 {
		return nil
	}
	var gone bool
	err := tx.QueryRow(ctx, refuseErasedSQL, tx.Tenant(), users).Scan(&gone)
	if err != nil {
		return fmt.Errorf("look for erased people: %w", err)
	}
	if gone {
		return Erased()
	}
	return nil
}

// Erased is the answer to who writes about an erased person.
func Erased() error { return errs.New(errs.SubjectErased, "%s", errs.Meaning(errs.SubjectErased)) }

// checkErased adds a problem to rows of an import that would write about somebody whose data are being erased.
func checkErased(ctx context.Context, tx *db.Tx, checks []UserCheck) error {
	keys, without := keysOf(mapSlice(checks, func(c UserCheck) candidate { return c.user }))
	rows, err := tx.Query(ctx, "select coalesce(u.email_key, u.id::text) from users u where u.tenant_id = $1 and "+byKey+" and "+IsErased, tx.Tenant(), keys, without)
	if err != nil {
		return fmt.Errorf("look for erased people: %w", err)
	}
	gone, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("look for erased people: %w", err)
	}
	for i := range checks {
		if slices.Contains(gone, checks[i].user.key) {
			checks[i].add(errs.Field{Path: "email", Code: string(errs.SubjectErased), Message: "the person's data are being erased, or were"})
		}
	}
	return nil
}
