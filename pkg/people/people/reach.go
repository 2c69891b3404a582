package people

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// standing says why a user is out of the caller's reach. Reached users have none: they are in an
// org unit that the caller reaches, and in no other.
type standing int

const (
	// homeless users are in no org unit. They belong to the tenant until somebody takes them in.
	homeless standing = iota + 1
	// elsewhere is for users who are in an org unit that the caller does not reach, no matter
	// which others they are in.
	elsewhere
)

// standings decides whose name, address, metadata, status and roles the caller may change: only
// reached users'. Roles hold in every org unit, and anyone who sets an address signs in with it,
// so one org unit in common is not enough. A caller who has the whole tenant in scope reaches
// everybody, and everybody reaches themselves. Reached users are left out of the result.
func standings(ctx context.Context, tx *db.Tx, users []ids.ID) (map[ids.ID]standing, error) {
	if tx.Scope().All || len(users) == 0 {
		return nil, nil
	}
	self := ids.None
	if tx.Actor().Kind == db.UserActor {
		self = tx.Actor().ID
	}
	rows, err := tx.Query(ctx, `
		select id, belongs from (
			select u.id, coalesce(bool_and(m.org_unit_id = $3), false) as within, count(m.org_unit_id) > 0 as belongs
			from users u left join user_org_units m on m.tenant_id = u.tenant_id and m.user_id = u.id
			where u.tenant_id = $1 and u.id = any($2) and u.id <> $4 group by u.id
		) s where not within`, tx.Tenant(), users, tx.Scope().OrgUnit, self)
	if err != nil {
		return nil, fmt.Errorf("look up reach: %w", err)
	}
	found := map[ids.ID]standing{}
	var id ids.ID
	var belongs bool
	_, err = pgx.ForEachRow(rows, []any{&id, &belongs}, func() error {
		found[id] = homeless
		if belongs {
			found[id] = elsewhere
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look up reach: %w", err)
	}
	return found, nil
}

// RequireReach is the check for every change of one user. Errors: user_out_of_reach.
func RequireReach(ctx context.Context, tx *db.Tx, user ids.ID) error {
	found, err := standings(ctx, tx, []ids.ID{user})
	if err != nil {
		return err
	}
	switch found[user] {
	case elsewhere:
		return errs.New(errs.UserOutOfReach, "The user is in an org unit that you do not reach; you may only add them to yours and take them out of it.")
	case homeless:
		return errs.New(errs.UserOutOfReach, "The user is in no org unit; take them into yours first.")
	}
	return nil
}

// requireReachOfHolders is the check for a change of a role.
func requireReachOfHolders(ctx context.Context, tx *db.Tx, role ids.ID) error {
	if tx.Scope().All {
		return nil
	}
	var held bool
	err := tx.QueryRow(ctx, "select exists (select from user_roles where tenant_id = $1 and role_id = $2)", tx.Tenant(), role).Scan(&held)
	if err != nil {
		return fmt.Errorf("look up holders of role: %w", err)
	}
	if held {
		return errs.New(errs.Forbidden, "People hold this role, in whatever org unit; to change it takes all of them in scope.").
			With("capability", string(capability.ScopeAll))
	}
	return nil
}

// withinReach requires reach for everything but org units, whether it changes anything or not: the answer tells nobody
// what the record of somebody out of reach says. If the user is in no org unit, it is enough that the same change takes
// them into one of the caller's.
func (n userChange) withinReach(ctx context.Context, tx *db.Tx, old User) error {
	if n.orgUnitsOnly || len(old.OrgUnits) == 0 && len(n.joins) > 0 {
		return nil
	}
	return RequireReach(ctx, tx, old.ID)
}
