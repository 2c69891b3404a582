package people

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// InviteAll finds the users of e-mail addresses, in any status, or makes users of status
// invited, who have neither org unit nor role and cannot sign in until Admit: three
// statements for any number of addresses. It needs assignments.create. The result runs
// parallel to the input; one address named twice is one user, and two calls at once find the
// same user. Errors: validation_failed with paths like "[3].email".
func InviteAll(ctx context.Context, tx *db.Tx, emails []string) ([]ids.ID, error) {
	err := tx.Require(capability.AssignmentsCreate)
	if err != nil {
		return nil, err
	}
	checks := mapSlice(emails, checkEmail)
	err = allProblems(checks)
	if err != nil {
		return nil, err
	}
	return invite(ctx, tx, mapSlice(checks, func(c UserCheck) candidate { return c.user }))
}

func invite(ctx context.Context, tx *db.Tx, invited []candidate) ([]ids.ID, error) {
	fresh, err := insertInvited(ctx, tx, invited)
	if err != nil {
		return nil, err
	}
	stored, err := idsByKey(ctx, tx, invited)
	if err != nil {
		return nil, err
	}
	events := mapSlice(fresh, func(user ids.ID) ledger.Event { return userEvent("user.invited", user) })
	return mapSlice(invited, func(c candidate) ids.ID { return stored[c.key] }), ledger.Append(ctx, tx, events...)
}

// insertInvited gives the users that were new. If somebody else inserts the same address at
// the same time, it waits for them, and then theirs is the user.
func insertInvited(ctx context.Context, tx *db.Tx, invited []candidate) ([]ids.ID, error) {
	rows, err := tx.Query(ctx, `
		insert into users (tenant_id, id, email, email_key, status, created_at, updated_at)
		select distinct on (key) $1::uuid, id, email, key, $2, $3::timestamptz, $3::timestamptz
		from unnest($4::uuid[], $5::text[], $6::text[]) as t (id, email, key) order by key
		on conflict (tenant_id, email_key) do nothing returning id`,
		tx.Tenant(), models.UserInvited, tx.Now(), mapSlice(invited, func(c candidate) ids.ID { return c.id }),
		mapSlice(invited, func(c candidate) string { return c.email }), mapSlice(invited, func(c candidate) string { return c.key }))
	if err != nil {
		return nil, fmt.Errorf("invite users: %w", err)
	}
	fresh, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return nil, fmt.Errorf("invite users: %w", err)
	}
	return fresh, nil
}

// Admit makes an invited user an active member of an org unit with the role Candidate, and
// no other: a link never gives scope.all. An active user gets what they lack of both.
// Admitting again changes nothing. It needs no capability, since redeeming an invitation
// entitles the user; the caller has checked that. Errors: not_found for a user who does not
// exist or is deactivated.
func Admit(ctx context.Context, tx *db.Tx, userID, orgUnit ids.ID) error {
	err := shareRules(ctx, tx)
	if err != nil {
		return err
	}
	status, err := lockUser(ctx, tx, userID, "no key update")
	if err != nil {
		return err
	}
	var events []ledger.Event
	switch status {
	case models.UserDeactivated:
		return noSuchUser()
	case models.UserInvited:
		err = tx.AnnounceAccess(ctx)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "update users set status = $3, updated_at = $4 where tenant_id = $1 and id = $2",
			tx.Tenant(), userID, models.UserActive, tx.Now())
		if err != nil {
			return fmt.Errorf("admit user: %w", err)
		}
		events = append(events, userEvent("user.admitted", userID))
	}
	role, err := systemRoleID(ctx, tx, capability.Candidate)
	if err != nil {
		return err
	}
	events, err = settleUsers(ctx, tx, events, []candidate{{id: userID, orgUnits: []ids.ID{orgUnit}, roles: []ids.ID{role}}})
	if err != nil {
		return err
	}
	return ledger.Append(ctx, tx, events...)
}

// lockUser keeps others from changing a user until the transaction ends, and gives its
// status. With the lock "update" nobody makes a link for the user meanwhile, or anything else
// that refers to them.
func lockUser(ctx context.Context, tx *db.Tx, id ids.ID, lock string) (string, error) {
	var rows []models.User
	err := tx.NewSelect().Model(&rows).Column("status").Where("tenant_id = ? and id = ?", tx.Tenant(), id).For(lock).Scan(ctx)
	if err != nil {
		return "", fmt.Errorf("lock user: %w", err)
	}
	if len(rows) == 0 {
		return "", noSuchUser()
	}
	return rows[0].Status, nil
}

func systemRoleID(ctx context.Context, tx *db.Tx, key string) (ids.ID, error) {
	var id ids.ID
	err := tx.QueryRow(ctx, "select id from roles where tenant_id = $1 and system_key = $2", tx.Tenant(), key).Scan(&id)
	if err != nil {
		return ids.None, fmt.Errorf("find role %s: %w", key, err)
	}
	return id, nil
}
