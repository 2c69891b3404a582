package people

import (
	"context"
	"fmt"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"assess/models"
	"assess/pkg/capability"
	"assess/pkg/db"
	"assess/pkg/errs"
	"assess/pkg/ids"
)

const (
	maxSearchChars   = 200
	maxMetadataPairs = 5
)

// UserFilter chooses users; zero values choose all.
type UserFilter struct {
	db.Page
	// Search is the beginnings of words of name or e-mail address, every one of which must
	// be there; case and accents do not count.
	Search string
	// Status is invited, active or deactivated.
	Status string
	// OrgUnit is a slug or id, Role the key of a system role, a name or an id.
	OrgUnit, Role string
	// Group is a group of the scope.
	Group ids.ID
	// Metadata are pairs "key=value": the value of the key is this text, number or boolean,
	// or a list with it.
	Metadata []string
}

// ListUsers lists the users of the tenant in the order of their creation. It needs
// users.read. Errors: validation_failed; a filter that names what does not exist finds
// nobody.
func ListUsers(ctx context.Context, tx *db.Tx, filter UserFilter) (db.List[User], error) {
	err := tx.Require(capability.UsersRead)
	if err != nil {
		return db.List[User]{}, err
	}
	page, err := filter.Check()
	if err != nil {
		return db.List[User]{}, err
	}
	err = filter.check()
	if err != nil {
		return db.List[User]{}, err
	}
	var rows []models.User
	total, err := filter.where(tx, tx.NewSelect().Model(&rows)).Order("created_at", "id").
		Limit(int64(page.Limit)).Offset(int64(page.Offset())).ScanAndCount(ctx)
	if err != nil {
		return db.List[User]{}, fmt.Errorf("list users: %w", err)
	}
	users, err := completeUsers(ctx, tx, rows)
	return db.NewList(users, page, int(total)), err
}

func (f UserFilter) check() error {
	bad := checkText("search", f.Search, maxSearchChars)
	switch f.Status {
	case "", models.UserInvited, models.UserActive, models.UserDeactivated:
	default:
		bad = append(bad, errs.Field{Path: "status", Code: "invalid_choice", Message: "expected invited, active or deactivated"})
	}
	if len(f.Metadata) > maxMetadataPairs {
		bad = append(bad, errs.Field{Path: "meta", Code: "too_many", Message: fmt.Sprintf("at most %d", maxMetadataPairs)})
	}
	for i, pair := range f.Metadata {
		key, _, found := strings.Cut(pair, "=")
		if !found || key == "" {
			bad = append(bad, errs.Field{Path: fmt.Sprintf("meta[%d]", i), Code: "invalid", Message: "expected key=value"})
		}
		bad = append(bad, checkText(fmt.Sprintf("meta[%d]", i), pair, maxSearchChars)...)
	}
	return errs.Invalid(bad...)
}

func (f UserFilter) where(tx *db.Tx, q *bun.SelectQuery) *bun.SelectQuery {
	q = q.Where("tenant_id = ?", tx.Tenant())
	if f.Status != "" {
		q = q.Where("status = ?", f.Status)
	}
	if f.Search != "" || len(f.Metadata) > 0 {
		q = q.Where("id in (select find_users(?, ?::text[]))", f.Search, pgdialect.Array(f.Metadata))
	}
	if f.OrgUnit != "" {
		q = q.Where(`id in (select m.user_id from user_org_units m
			join org_units o on o.tenant_id = m.tenant_id and o.id = m.org_unit_id
			where m.tenant_id = ?0 and (o.slug = ?1 or o.id::text = ?1))`, tx.Tenant(), strings.ToLower(f.OrgUnit))
	}
	if f.Role != "" {
		q = q.Where(`id in (select g.user_id from user_roles g join roles r on r.tenant_id = g.tenant_id and r.id = g.role_id
			where g.tenant_id = ?0 and (r.system_key = ?1 or lower(r.name) = ?1 or r.id::text = ?1))`, tx.Tenant(), strings.ToLower(f.Role))
	}
	if f.Group != ids.None {
		q = q.Where("id in (select user_id from group_members where tenant_id = ? and group_id = ?)", tx.Tenant(), f.Group)
	}
	return q
}
