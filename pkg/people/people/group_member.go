package people

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

const maxNewMembers = 10_000

// MembersInput names users to add.
type MembersInput struct {
	UserIDs []ids.ID `json:"userIds" noun:"user" minItems:"1" maxItems:"10000" nullable:"false"`
}

// MembersAdded tells how many were new.
type MembersAdded struct {
	Added   int `json:"added"`
	Already int `json:"already" doc:"Those who were members before"`
}

// AddMembers puts users of the group's org unit into a group that is kept by hand. It needs
// groups.manage. Members stay as they are. Errors: not_found, group_is_dynamic, subject_erased,
// validation_failed with every user who does not belong to the org unit.
func AddMembers(ctx context.Context, tx *db.Tx, id ids.ID, in MembersInput) (MembersAdded, error) {
	group, err := lockManual(ctx, tx, id)
	if err != nil {
		return MembersAdded{}, err
	}
	if len(in.UserIDs) == 0 || len(in.UserIDs) > maxNewMembers {
		return MembersAdded{}, errs.Invalid(errs.Field{Path: "userIds", Code: "out_of_range", Message: fmt.Sprintf("1 to %d users", maxNewMembers)})
	}
	err = RefuseErased(ctx, tx, in.UserIDs...)
	if err != nil {
		return MembersAdded{}, err
	}
	err = requireBelonging(ctx, tx, group, in.UserIDs)
	if err != nil {
		return MembersAdded{}, err
	}
	fresh, err := insertMembers(ctx, tx, group, in.UserIDs)
	if err != nil {
		return MembersAdded{}, err
	}
	events := mapSlice(fresh, func(user ids.ID) ledger.Event { return manualEvent("group.member_added", group, user) })
	distinct := map[ids.ID]bool{}
	for _, user := range in.UserIDs {
		distinct[user] = true
	}
	return MembersAdded{Added: len(fresh), Already: len(distinct) - len(fresh)}, ledger.Append(ctx, tx, events...)
}

// RemoveMember takes a user out of a group that is kept by hand. It needs groups.manage.
// Errors: not_found, also for a user who is no member; group_is_dynamic.
func RemoveMember(ctx context.Context, tx *db.Tx, id, user ids.ID) error {
	group, err := lockManual(ctx, tx, id)
	if err != nil {
		return err
	}
	var since time.Time
	err = tx.QueryRow(ctx, "delete from group_members where tenant_id = $1 and group_id = $2 and user_id = $3 returning added_at",
		tx.Tenant(), id, user).Scan(&since)
	if errors.Is(err, pgx.ErrNoRows) {
		return errs.New(errs.NotFound, "The user is not in the group.")
	}
	if err != nil {
		return fmt.Errorf("remove member: %w", err)
	}
	event := manualEvent("group.member_removed", group, user)
	event.Payload["addedAt"] = since.UTC()
	return ledger.Append(ctx, tx, event)
}

// lockManual finds a group whose members may be changed by hand, and keeps it so.
func lockManual(ctx context.Context, tx *db.Tx, id ids.ID) (models.Group, error) {
	err := tx.Require(capability.GroupsManage)
	if err != nil {
		return models.Group{}, err
	}
	group, err := findGroup(ctx, tx, id, "share")
	if err != nil {
		return models.Group{}, err
	}
	return group, requireManual(group)
}

func requireManual(group models.Group) error {
	if !group.IsDynamic {
		return nil
	}
	return errs.New(errs.GroupIsDynamic, "A rule makes the members of this group.")
}

func requireBelonging(ctx context.Context, tx *db.Tx, group models.Group, users []ids.ID) error {
	rows, err := tx.Query(ctx, `
		select n - 1 from unnest($3::uuid[]) with ordinality as t (id, n)
		where not exists (select from user_org_units where tenant_id = $1 and org_unit_id = $2 and user_id = t.id) order by n`,
		tx.Tenant(), group.OrgUnitID, users)
	if err != nil {
		return fmt.Errorf("check org units of users: %w", err)
	}
	strangers, err := pgx.CollectRows(rows, pgx.RowTo[int])
	if err != nil {
		return fmt.Errorf("check org units of users: %w", err)
	}
	return errs.Invalid(mapSlice(strangers, func(i int) errs.Field {
		return errs.Field{Path: fmt.Sprintf("userIds[%d]", i), Code: "not_in_org_unit", Message: "no such user belongs to the group's org unit"}
	})...)
}

// insertMembers gives the users who were new.
func insertMembers(ctx context.Context, tx *db.Tx, group models.Group, users []ids.ID) ([]ids.ID, error) {
	rows, err := tx.Query(ctx, `
		insert into group_members (tenant_id, group_id, user_id, org_unit_id, added_at)
		select distinct $1::uuid, $2::uuid, u, $3::uuid, $4::timestamptz from unnest($5::uuid[]) u order by u
		on conflict do nothing returning user_id`, tx.Tenant(), group.ID, group.OrgUnitID, tx.Now(), users)
	if err != nil {
		return nil, fmt.Errorf("add members: %w", err)
	}
	fresh, err := pgx.CollectRows(rows, pgx.RowTo[ids.ID])
	if err != nil {
		return nil, fmt.Errorf("add members: %w", err)
	}
	return fresh, nil
}

func manualEvent(what string, group models.Group, user ids.ID) ledger.Event {
	e := userEvent(what, user)
	e.OrgUnit = group.OrgUnitID
	e.Payload = map[string]any{"groupId": group.ID}
	return e
}
