package people

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// Memberships that a source elsewhere makes carry its id, and end when it says so; memberships made by hand stay.

// EnterGroup makes users members of a group because a source says so. Nothing happens to those who are in it, or not in its org unit, or
// where a rule makes its members.
func EnterGroup(ctx context.Context, tx *db.Tx, source, group ids.ID, users ...ids.ID) error {
	return changeMembers(ctx, tx, "group.member_added", `
		insert into group_members (tenant_id, group_id, user_id, org_unit_id, added_at, provider_id)
		select distinct $1::uuid, g.id, m.user_id, g.org_unit_id, $5::timestamptz, $3::uuid from groups g
		join user_org_units m on m.tenant_id = $1 and m.org_unit_id = g.org_unit_id and m.user_id = any($4)
		where g.tenant_id = $1 and g.id = $2 and not g.is_dynamic order by m.user_id
		on conflict do nothing returning user_id, group_id, org_unit_id, added_at`, tx.Tenant(), group, source, users, tx.Now())
}

// LeaveGroup ends the memberships that a source made before a moment, but those of some users and of accounts for trying things out. Nobody is
// deleted.
func LeaveGroup(ctx context.Context, tx *db.Tx, source, group ids.ID, stay []ids.ID, before time.Time) error {
	if stay == nil {
		stay = []ids.ID{} // nothing differs from null
	}
	return changeMembers(ctx, tx, "group.member_removed", `
		delete from group_members m where tenant_id = $1 and group_id = $2 and provider_id = $3 and user_id <> all($4::uuid[]) and added_at < $5
			and not exists (select from user_accounts a where a.tenant_id = $1 and a.user_id = m.user_id and a.source_id = $3 and a.test)
		returning user_id, group_id, org_unit_id, added_at`, tx.Tenant(), group, source, stay, before)
}

// changeMembers runs a statement that adds or removes members of groups, and writes down who came or went. The statement returns user, group,
// org unit and the time of the addition.
func changeMembers(ctx context.Context, tx *db.Tx, what, sql string, args ...any) error {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return fmt.Errorf("change members of groups: %w", err)
	}
	var user, group, orgUnit ids.ID
	var since time.Time
	var events []ledger.Event
	_, err = pgx.ForEachRow(rows, []any{&user, &group, &orgUnit, &since}, func() error {
		e := userEvent(what, user)
		e.OrgUnit, e.Payload = orgUnit, map[string]any{"groupId": group}
		if what == "group.member_removed" {
			e.Payload["addedAt"] = since.UTC()
		}
		events = append(events, e)
		return nil
	})
	if err != nil {
		return fmt.Errorf("change members of groups: %w", err)
	}
	return ledger.Append(ctx, tx, events...)
}
