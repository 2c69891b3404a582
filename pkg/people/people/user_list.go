package people

import (
	"context"
	"fmt"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"assess/models"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

const (
	maxSearchChars   = 200
	maxMetadataPairs = 5
)

// UserFilter chooses users; zero values choose all.
type UserFilter struct {
	db.Page
	Search   string   `query:"q" maxLength:"200" doc:"Beginnings of words of name or e-mail address, all of which must be there; case and accents do not count" example:"ada exa"`
	Status   string   `query:"status" enum:"invited,active,deactivated" doc:"Only users of this status"`
	OrgUnit  string   `query:"orgUnit" maxLength:"63" doc:"Slug or id of an org unit"`
	Role     string   `query:"role" maxLength:"200" doc:"Key of a system role, name or id"`
	Group    ids.ID   `query:"group" noun:"group" doc:"Only members of this group in the caller's scope"`
	Metadata []string `query:"meta,explode" maxItems:"5" maxLength:"200" doc:"key=value, repeatable: the key has this text, number or boolean, or a list with it" example:"[\"cohort=2031\"]"`
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
	total, found, err := filter.find(ctx, tx, page)
	if err != nil || len(found) == 0 {
		return db.NewList[User](nil, page, total), err
	}
	var rows []models.User
	err = tx.NewSelect().Model(&rows).Where("tenant_id = ? and id in ?", tx.Tenant(), bun.Tuple(found)).Order("created_at", "id").Scan(ctx)
	if err != nil {
		return db.List[User]{}, fmt.Errorf("list users: %w", err)
	}
	users, err := completeUsers(ctx, tx, rows)
	return db.NewList(users, page, total), err
}

// find counts the users of the filter and gives the users of the page.
func (f UserFilter) find(ctx context.Context, tx *db.Tx, page db.Page) (int, []ids.ID, error) {
	named, err := f.named(ctx, tx)
	if err != nil || named.orgUnit == nil && f.OrgUnit != "" || named.role == nil && f.Role != "" {
		return 0, nil, err
	}
	var found []ids.ID
	if !f.searches() {
		total, err := db.ReadPage(ctx, f.where(tx, named), page, &found, "u.created_at", "u.id")
		if err != nil {
			return 0, nil, fmt.Errorf("find users: %w", err)
		}
		return total, found, nil
	}
	var hits []struct {
		Total int
		ID    *ids.ID
	}
	err = f.search(tx, named, page).Scan(ctx, &hits)
	if err != nil {
		return 0, nil, fmt.Errorf("search users: %w", err)
	}
	for _, hit := range hits {
		if hit.ID != nil {
			found = append(found, *hit.ID)
		}
	}
	return hits[0].Total, found, nil
}

// named are the org unit and the role of a filter, nil if they do not exist. They are
// looked up first: the planner needs only the id of each to know how many users it has.
type named struct{ orgUnit, role *ids.ID }

func (f UserFilter) named(ctx context.Context, tx *db.Tx) (named, error) {
	var n named
	if f.OrgUnit == "" && f.Role == "" {
		return n, nil
	}
	err := tx.QueryRow(ctx, `
		select (select id from org_units where tenant_id = $1 and (slug = $2 or id::text = $2)),
			(select id from roles where tenant_id = $1 and (system_key = $3 or lower(name) = $3 or id::text = $3)
				order by system_key is not distinct from $3 desc limit 1)`,
		tx.Tenant(), strings.ToLower(f.OrgUnit), strings.ToLower(f.Role)).Scan(&n.orgUnit, &n.role)
	if err != nil {
		return n, fmt.Errorf("find org unit and role: %w", err)
	}
	return n, nil
}

// search counts and pages in one statement: its hits are kept for both, so that the words are
// looked up once.
func (f UserFilter) search(tx *db.Tx, n named, page db.Page) *bun.RawQuery {
	return tx.NewRaw(`with hit as materialized (?)
		select n as total, id from (select count(*) as n from hit) c
		left join (select id from hit order by created_at, id limit ? offset ?) p on true`,
		f.where(tx, n).ColumnExpr("u.created_at"), page.Limit, page.Offset())
}

func (f UserFilter) searches() bool { return f.Search != "" || len(f.Metadata) > 0 }

func (f UserFilter) check() error {
	bad := errs.Line("search", f.Search, maxSearchChars, false)
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
		bad = append(bad, errs.Line(fmt.Sprintf("meta[%d]", i), pair, maxSearchChars, false)...)
	}
	return errs.Invalid(bad...)
}

func (f UserFilter) where(tx *db.Tx, n named) *bun.SelectQuery {
	q := tx.NewSelect().ColumnExpr("u.id")
	if f.searches() {
		q = q.TableExpr("find_users(?, ?::text[]) u", f.Search, pgdialect.Array(f.Metadata))
	} else {
		q = q.TableExpr("users u").Where("u.tenant_id = ?", tx.Tenant())
	}
	if f.Status != "" {
		q = q.Where("u.status = ?", f.Status)
	}
	if n.orgUnit != nil {
		q = q.Where("u.id in (select user_id from user_org_units where tenant_id = ? and org_unit_id = ?)", tx.Tenant(), *n.orgUnit)
	}
	if n.role != nil {
		q = q.Where("u.id in (select user_id from user_roles where tenant_id = ? and role_id = ?)", tx.Tenant(), *n.role)
	}
	if f.Group != ids.None {
		q = q.Where("u.id in (select user_id from group_members where tenant_id = ? and group_id = ?)", tx.Tenant(), f.Group)
	}
	return q
}
