package people

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// GroupFilter chooses groups; zero values choose all.
type GroupFilter struct {
	db.Page
	Name   string `query:"name" maxLength:"200" doc:"How the name begins, whatever its case"`
	Kind   string `query:"kind" enum:"dynamic,manual" doc:"Whether a rule makes the members; default: both"`
	Member ids.ID `query:"user_id" noun:"user" doc:"Groups that this user is in"`
}

// ListGroups lists groups, the last changed first. It needs groups.view or groups.manage.
func ListGroups(ctx context.Context, tx *db.Tx, filter GroupFilter) (db.List[Group], error) {
	err := requireGroupReader(tx)
	if err != nil {
		return db.List[Group]{}, err
	}
	page, err := filter.Check()
	if err != nil {
		return db.List[Group]{}, err
	}
	var rows []models.Group
	total, err := db.ReadPage(ctx, filter.where(tx, tx.NewSelect().Model(&rows)), page, &rows, "updated_at desc", "id")
	if err != nil {
		return db.List[Group]{}, fmt.Errorf("list groups: %w", err)
	}
	groups := make([]Group, len(rows))
	for i, row := range rows {
		groups[i], err = newGroup(row)
		if err != nil {
			return db.List[Group]{}, err
		}
	}
	return db.NewList(groups, page, total), nil
}

func (f GroupFilter) where(tx *db.Tx, q *bun.SelectQuery) *bun.SelectQuery {
	q = q.Apply(tx.InScope)
	if f.Name != "" {
		from := strings.ToLower(f.Name)
		q = q.Where(`name_key >= ? and name_key < ?`, from, from+"\U0010FFFF")
	}
	if f.Kind != "" {
		q = q.Where("is_dynamic = ?", f.Kind == "dynamic")
	}
	if f.Member != ids.None {
		q = q.Where("id in (select group_id from group_members where tenant_id = ? and user_id = ?)", tx.Tenant(), f.Member)
	}
	return q
}

// GetGroup reads a group. It needs groups.view or groups.manage. Errors: not_found.
func GetGroup(ctx context.Context, tx *db.Tx, id ids.ID) (GroupDetail, error) {
	err := requireGroupReader(tx)
	if err != nil {
		return GroupDetail{}, err
	}
	row, err := findGroup(ctx, tx, id, "")
	if err != nil {
		return GroupDetail{}, err
	}
	return completeGroup(ctx, tx, row)
}

func completeGroup(ctx context.Context, tx *db.Tx, row models.Group) (GroupDetail, error) {
	group, err := newGroup(row)
	if err != nil {
		return GroupDetail{}, err
	}
	n, err := countMembers(ctx, tx, row)
	return GroupDetail{group, n}, err
}

func countMembers(ctx context.Context, tx *db.Tx, group models.Group) (int, error) {
	var n int
	err := tx.QueryRow(ctx, "select count(*) from group_members where tenant_id = $1 and group_id = $2 and org_unit_id = $3",
		tx.Tenant(), group.ID, group.OrgUnitID).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count members: %w", err)
	}
	return n, nil
}

// findGroup reads a group of the scope, under a lock if one is named.
func findGroup(ctx context.Context, tx *db.Tx, id ids.ID, lock string) (models.Group, error) {
	var rows []models.Group
	q := tx.NewSelect().Model(&rows).Apply(tx.InScope).Where("id = ?", id)
	if lock != "" {
		q = q.For(lock)
	}
	err := q.Scan(ctx)
	if err != nil {
		return models.Group{}, fmt.Errorf("find group: %w", err)
	}
	if len(rows) == 0 {
		return models.Group{}, noSuchGroup()
	}
	return rows[0], nil
}

// FindGroup finds a group of the scope by its id or name, in upper or lower case. It needs
// groups.view or groups.manage. Errors: not_found, conflict when groups of several org units
// have the name.
func FindGroup(ctx context.Context, tx *db.Tx, word string) (Group, error) {
	err := requireGroupReader(tx)
	if err != nil {
		return Group{}, err
	}
	var rows []models.Group
	id, _ := ids.Parse("id", word)
	err = tx.NewSelect().Model(&rows).Apply(tx.InScope).Where("(name_key = lower(?) or id = ?)", word, id).Limit(2).Scan(ctx)
	if err != nil {
		return Group{}, fmt.Errorf("find group: %w", err)
	}
	switch len(rows) {
	case 0:
		return Group{}, noSuchGroup()
	case 1:
		return newGroup(rows[0])
	}
	return Group{}, errs.New(errs.Conflict, "Several org units have a group of this name; say which org unit.")
}

// requireGroupReader lets in people who keep groups and people who look at them.
func requireGroupReader(tx *db.Tx) error {
	if tx.Can(capability.GroupsManage) {
		return nil
	}
	return tx.Require(capability.GroupsView)
}

// Member is a user in a group. Only holders of users.read get name and e-mail address.
type Member struct {
	GroupID ids.ID    `json:"group_id"`
	UserID  ids.ID    `json:"user_id"`
	AddedAt time.Time `json:"added_at"`
	Email   string    `json:"email,omitempty"`
	Name    string    `json:"name,omitempty"`
}

// ListMembers lists the members of a group in the order in which they came. It needs
// groups.view or groups.manage; names and addresses need users.read. Errors: not_found.
func ListMembers(ctx context.Context, tx *db.Tx, id ids.ID, page db.Page) (db.List[Member], error) {
	err := requireGroupReader(tx)
	if err != nil {
		return db.List[Member]{}, err
	}
	page, err = page.Check()
	if err != nil {
		return db.List[Member]{}, err
	}
	group, err := findGroup(ctx, tx, id, "")
	if err != nil {
		return db.List[Member]{}, err
	}
	total, err := countMembers(ctx, tx, group)
	if err != nil {
		return db.List[Member]{}, err
	}
	members, err := readMembers(ctx, tx, group, page.Window(total))
	return db.NewList(members, page, total), err
}

func readMembers(ctx context.Context, tx *db.Tx, group models.Group, w db.Window) ([]Member, error) {
	order := "added_at, user_id"
	if w.FromEnd {
		order = "added_at desc, user_id desc"
	}
	rows, err := tx.Query(ctx, `
		select m.user_id, m.added_at, case when $4 then coalesce(u.email, '') else '' end, case when $4 then u.name else '' end
		from (select user_id, added_at from group_members where tenant_id = $1 and group_id = $2 and org_unit_id = $3
			order by `+order+` limit $5 offset $6) m
		join users u on u.tenant_id = $1 and u.id = m.user_id order by m.added_at, m.user_id`,
		tx.Tenant(), group.ID, group.OrgUnitID, tx.Can(capability.UsersRead), w.Take, w.Skip)
	if err != nil {
		return nil, fmt.Errorf("list members: %w", err)
	}
	members, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Member, error) {
		m := Member{GroupID: group.ID}
		err := row.Scan(&m.UserID, &m.AddedAt, &m.Email, &m.Name)
		m.AddedAt = m.AddedAt.UTC()
		return m, err
	})
	if err != nil {
		return nil, fmt.Errorf("list members: %w", err)
	}
	return members, nil
}
