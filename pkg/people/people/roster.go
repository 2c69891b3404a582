package people

import (
	"context"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Memberships that a source elsewhere makes carry its id, and end when it says so; those made by hand stay.

// EnterGroup makes a user a member of a group because a source says so. Nothing happens where they are in it, or not in its org unit, or
// a rule makes its members.
func EnterGroup(ctx context.Context, tx *db.Tx, user, source, group ids.ID) error {
	entered, err := claimedRows(ctx, tx, "group.member_added", user, enterSQL, tx.Tenant(), user, source, []ids.ID{group}, tx.Now())
	if err != nil {
		return err
	}
	return ledger.Append(ctx, tx, entered...)
}
