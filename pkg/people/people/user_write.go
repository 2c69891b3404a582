package people

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// CreateUser adds a user with org units and roles. It needs users.manage. Without org units the user belongs to the
// caller's own. A user without an address needs a name. Errors: validation_failed, duplicate_email.
func CreateUser(ctx context.Context, tx *db.Tx, in UserInput) (User, error) {
	err := tx.Require(capability.UsersManage)
	if err != nil {
		return User{}, err
	}
	in.Email, in.ID = strings.TrimSpace(in.Email), ids.New()
	checks, err := holdUsers(ctx, tx, []UserInput{in})
	if err != nil {
		return User{}, err
	}
	err = errs.Invalid(append(checks[0].Problems, checkNameless(in.Email, in.Name)...)...)
	if err != nil {
		return User{}, err
	}
	c := checks[0].user
	row := models.User{TenantID: tx.Tenant(), ID: c.id, Email: c.email, EmailKey: checks[0].EmailKey, Name: c.name,
		Metadata: c.metadata, Status: models.UserActive, CreatedAt: tx.Now(), UpdatedAt: tx.Now()}
	if row.Metadata == nil {
		row.Metadata = map[string]any{}
	}
	_, err = tx.NewInsert().Model(&row).Exec(ctx)
	if err != nil {
		return User{}, fmt.Errorf("create user: %w", err)
	}
	events, err := settleUsers(ctx, tx, []ledger.Event{userEvent("user.created", c.id)}, []candidate{c})
	if err != nil {
		return User{}, err
	}
	err = ledger.Append(ctx, tx, events...)
	if err != nil {
		return User{}, err
	}
	return findUser(ctx, tx, "id = ?", c.id)
}

// settleUsers gives users their org units and roles and brings in line the dynamic groups of
// everybody who changed, the users of the events before included. It gives all events.
func settleUsers(ctx context.Context, tx *db.Tx, before []ledger.Event, users []candidate) ([]ledger.Event, error) {
	joined, err := addMemberships(ctx, tx, users)
	if err != nil {
		return nil, err
	}
	events := append(before, joined...)
	ruled, err := applyRules(ctx, tx, nil, distinctSubjects(events))
	return append(events, ruled...), err
}

func distinctSubjects(events []ledger.Event) []ids.ID {
	subjects := mapSlice(events, func(e ledger.Event) ids.ID { return e.SubjectID })
	slices.SortFunc(subjects, func(a, b ids.ID) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(subjects)
}

// addMemberships puts users into org units and gives them roles, as far as they are not
// there yet, and tells what was new.
func addMemberships(ctx context.Context, tx *db.Tx, users []candidate) ([]ledger.Event, error) {
	joined, err := insertPairs(ctx, tx, `
		insert into user_org_units (tenant_id, user_id, org_unit_id)
		select $1, u, o from unnest($2::uuid[], $3::uuid[]) as t (u, o) order by u, o
		on conflict do nothing returning user_id, org_unit_id`,
		users, func(c candidate) []ids.ID { return c.orgUnits })
	if err != nil {
		return nil, fmt.Errorf("add users to org units: %w", err)
	}
	granted, err := insertPairs(ctx, tx, `
		insert into user_roles (tenant_id, user_id, role_id, granted_at)
		select $1, u, r, $4 from unnest($2::uuid[], $3::uuid[]) as t (u, r) order by u, r
		on conflict do nothing returning user_id, role_id`,
		users, func(c candidate) []ids.ID { return c.roles }, tx.Now())
	if err != nil {
		return nil, fmt.Errorf("grant roles: %w", err)
	}
	var events []ledger.Event
	for _, p := range joined {
		e := userEvent("user.org_unit_joined", p[0])
		e.OrgUnit = p[1]
		events = append(events, e)
	}
	for _, p := range granted {
		events = append(events, roleEvent("user.role_granted", p[0], p[1]))
	}
	return events, nil
}

// insertPairs runs an insert of (user, other) pairs and gives the new ones.
func insertPairs(ctx context.Context, tx *db.Tx, sql string, users []candidate, others func(candidate) []ids.ID, more ...any) ([][2]ids.ID, error) {
	var left, right []ids.ID
	for _, c := range users {
		for _, other := range others(c) {
			left, right = append(left, c.id), append(right, other)
		}
	}
	if len(left) == 0 {
		return nil, nil
	}
	err := tx.AnnounceAccess(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, sql, append([]any{tx.Tenant(), left, right}, more...)...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) ([2]ids.ID, error) {
		var p [2]ids.ID
		err := row.Scan(&p[0], &p[1])
		return p, err
	})
}

func userEvent(what string, user ids.ID) ledger.Event {
	return ledger.Event{Type: what, SubjectType: "user", SubjectID: user}
}

func roleEvent(what string, user, role ids.ID) ledger.Event {
	e := userEvent(what, user)
	e.Payload = map[string]any{"roleId": role}
	return e
}

func encodeMetadata(metadata map[string]any) (string, error) {
	if metadata == nil {
		return "{}", nil
	}
	text, err := json.Marshal(metadata)
	return string(text), err
}
