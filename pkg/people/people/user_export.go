package people

import (
	"context"
	"fmt"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// TakeUsers writes down in the ledger that somebody takes the users of the scope along. It is committed
// before ExportUsers begins. Capability: users.read.
func TakeUsers(ctx context.Context, tx *db.Tx) error {
	err := tx.Require(capability.UsersRead)
	if err != nil {
		return err
	}
	return ledger.Append(ctx, tx, ledger.Event{Type: "users.exported", SubjectType: "tenant", SubjectID: tx.Tenant(),
		Payload: map[string]any{"capability": capability.UsersRead}})
}

// exportUsersSQL looks up the org units of each user by key, so that a page costs only the rows it reads.
const exportUsersSQL = `
select u.tenant_id, u.id, u.email, u.name, u.metadata, u.status, u.created_at, u.updated_at from users u
cross join lateral (select from user_org_units m
	where m.tenant_id = ? and m.user_id = u.id and (? or m.org_unit_id = ?) limit 1) m
where u.tenant_id = ? and u.id > ? and u.status = ? and not u.restricted
order by u.id limit ?`

// ExportUsers gives the active users of the org units that the caller reaches, in the order of their ids,
// from the one after; with the org units that the caller reaches, and all roles. An import makes
// everybody that it names active, so users who are not active are left out; so are users under a
// restriction of processing. Capability: users.read.
func ExportUsers(ctx context.Context, tx *db.Tx, after ids.ID, limit int) ([]User, error) {
	err := tx.Require(capability.UsersRead)
	if err != nil {
		return nil, err
	}
	var rows []models.User
	err = tx.NewRaw(exportUsersSQL, tx.Tenant(), tx.Scope().All, tx.Scope().OrgUnit, tx.Tenant(), after, models.UserActive, limit).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("export users: %w", err)
	}
	users, err := completeUsers(ctx, tx, rows)
	for i := range users {
		users[i].OrgUnits = within(tx.Scope(), users[i].OrgUnits)
	}
	return users, err
}

func within(scope db.Scope, all []OrgUnitRef) []OrgUnitRef {
	if scope.All {
		return all
	}
	for _, one := range all {
		if one.ID == scope.OrgUnit {
			return []OrgUnitRef{one}
		}
	}
	return nil
}
