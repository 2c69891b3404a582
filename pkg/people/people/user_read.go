package people

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// GetUser reads a user. It needs users.read. Errors: not_found.
func GetUser(ctx context.Context, tx *db.Tx, id ids.ID) (User, error) {
	err := tx.Require(capability.UsersRead)
	if err != nil {
		return User{}, err
	}
	return findUser(ctx, tx, "id = ?", id)
}

// UserByEmail finds a user by any spelling of the address. It needs users.read. Errors:
// not_found, also for text that is no address.
func UserByEmail(ctx context.Context, tx *db.Tx, email string) (User, error) {
	err := tx.Require(capability.UsersRead)
	if err != nil {
		return User{}, err
	}
	key, ok := EmailKey(email)
	if !ok {
		return User{}, noSuchUser()
	}
	return findUser(ctx, tx, "email_key = ?", key)
}

// Me reads the caller's own record and what the caller may do; everybody may. Errors: forbidden
// for a caller who is no user.
func Me(ctx context.Context, tx *db.Tx) (Self, error) {
	if tx.Actor().Kind != db.UserActor {
		return Self{}, errs.New(errs.Forbidden, "Only users have a record of their own.")
	}
	user, err := findUser(ctx, tx, "id = ?", tx.Actor().ID)
	if err != nil {
		return Self{}, err
	}
	me := Self{User: user, Capabilities: slices.Sorted(maps.Keys(tx.Scope().Capabilities))}
	if me.Capabilities == nil {
		me.Capabilities = []capability.Capability{}
	}
	err = tx.QueryRow(ctx, "select slug from tenants where id = $1", tx.Tenant()).Scan(&me.Tenant)
	if err != nil {
		return Self{}, fmt.Errorf("read the tenant: %w", err)
	}
	for _, o := range user.OrgUnits {
		if o.ID == tx.Scope().OrgUnit {
			me.OrgUnit = o
		}
	}
	return me, nil
}

func noSuchUser() error { return errs.New(errs.NotFound, "There is no such user in your scope.") }

func findUser(ctx context.Context, tx *db.Tx, condition string, value any) (User, error) {
	var rows []models.User
	err := tx.NewSelect().Model(&rows).Where("tenant_id = ?", tx.Tenant()).Where(condition, value).Scan(ctx)
	if err != nil {
		return User{}, fmt.Errorf("find user: %w", err)
	}
	if len(rows) == 0 {
		return User{}, noSuchUser()
	}
	users, err := completeUsers(ctx, tx, rows)
	if err != nil {
		return User{}, err
	}
	return users[0], nil
}

// completeUsers adds org units and roles, one statement each for any number of users.
func completeUsers(ctx context.Context, tx *db.Tx, rows []models.User) ([]User, error) {
	users := mapSlice(rows, newUser)
	at := make(map[ids.ID]*User, len(users))
	wanted := make([]ids.ID, len(users))
	for i := range users {
		at[users[i].ID], wanted[i] = &users[i], users[i].ID
	}
	err := addOrgUnits(ctx, tx, wanted, at)
	if err != nil {
		return nil, err
	}
	return users, addRoles(ctx, tx, wanted, at)
}

func addOrgUnits(ctx context.Context, tx *db.Tx, wanted []ids.ID, at map[ids.ID]*User) error {
	rows, err := tx.Query(ctx, `
		select m.user_id, o.id, o.slug from user_org_units m
		join org_units o on o.tenant_id = m.tenant_id and o.id = m.org_unit_id
		where m.tenant_id = $1 and m.user_id = any($2) order by o.slug`, tx.Tenant(), wanted)
	if err != nil {
		return fmt.Errorf("read org units of users: %w", err)
	}
	var user ids.ID
	var ref OrgUnitRef
	_, err = pgx.ForEachRow(rows, []any{&user, &ref.ID, &ref.Slug}, func() error {
		at[user].OrgUnits = append(at[user].OrgUnits, ref)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read org units of users: %w", err)
	}
	return nil
}

func addRoles(ctx context.Context, tx *db.Tx, wanted []ids.ID, at map[ids.ID]*User) error {
	rows, err := tx.Query(ctx, `
		select g.user_id, r.id, coalesce(r.system_key, ''), r.name from user_roles g
		join roles r on r.tenant_id = g.tenant_id and r.id = g.role_id
		where g.tenant_id = $1 and g.user_id = any($2) order by r.name`, tx.Tenant(), wanted)
	if err != nil {
		return fmt.Errorf("read roles of users: %w", err)
	}
	var user ids.ID
	var ref RoleRef
	_, err = pgx.ForEachRow(rows, []any{&user, &ref.ID, &ref.SystemKey, &ref.Name}, func() error {
		at[user].Roles = append(at[user].Roles, ref)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read roles of users: %w", err)
	}
	return nil
}

func newUser(row models.User) User {
	if row.Metadata == nil {
		row.Metadata = map[string]any{}
	}
	return User{ID: row.ID, Email: row.Email, Name: row.Name, Metadata: row.Metadata, Status: row.Status,
		OrgUnits: []OrgUnitRef{}, Roles: []RoleRef{}, CreatedAt: row.CreatedAt.UTC(), UpdatedAt: row.UpdatedAt.UTC()}
}

func mapSlice[A, B any](in []A, f func(A) B) []B {
	out := make([]B, len(in))
	for i, a := range in {
		out[i] = f(a)
	}
	return out
}
