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

// leaveOrgUnits takes a user out of org units that the scope reaches, and out of their
// groups. The foreign key would end the memberships too, but would tell nobody.
func leaveOrgUnits(ctx context.Context, tx *db.Tx, user ids.ID, left []ids.ID) ([]ledger.Event, error) {
	if len(left) == 0 {
		return nil, nil
	}
	events, err := leaveGroups(ctx, tx, user, left)
	if err != nil {
		return nil, err
	}
	err = tx.AnnounceAccess(ctx)
	if err != nil {
		return nil, err
	}
	_, err = tx.Exec(ctx, "delete from user_org_units where tenant_id = $1 and user_id = $2 and org_unit_id = any($3)", tx.Tenant(), user, left)
	if err != nil {
		return nil, fmt.Errorf("leave org units: %w", err)
	}
	return append(events, mapSlice(left, func(org ids.ID) ledger.Event {
		e := userEvent("user.org_unit_left", user)
		e.OrgUnit = org
		return e
	})...), nil
}

func leaveGroups(ctx context.Context, tx *db.Tx, user ids.ID, left []ids.ID) ([]ledger.Event, error) {
	rows, err := tx.Query(ctx, `
		delete from group_members m using groups g
		where m.tenant_id = $1 and m.user_id = $2 and m.org_unit_id = any($3) and g.tenant_id = $1 and g.id = m.group_id
		returning g.id, g.org_unit_id, g.rule_version, m.added_at`, tx.Tenant(), user, left)
	if err != nil {
		return nil, fmt.Errorf("leave groups: %w", err)
	}
	var events []ledger.Event
	var group, orgUnit ids.ID
	var version int
	var since time.Time
	_, err = pgx.ForEachRow(rows, []any{&group, &orgUnit, &version, &since}, func() error {
		e := membershipEvent(group, user, orgUnit, version, false)
		e.Payload["addedAt"] = since.UTC()
		events = append(events, e)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("leave groups: %w", err)
	}
	return events, nil
}
