package people

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Ten thousand users, and as many of another tenant: a query that finds few of them reads no table in full, nor does
// the statement inside find_users, whose plan EXPLAIN does not show. Without a filter the page comes in the order of
// an index and the count only from an index; a search looks its words up once.
func TestFindingUsersGoesByIndexes(t *testing.T) {
	t.Parallel()
	store, urls, scope, group := bigTenant(t)
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		for _, c := range []struct {
			name   string
			filter UserFilter
			total  int
			plan   string
		}{
			{"everybody", UserFilter{}, 10_000, "Index Only Scan using users_created"},
			{"status", UserFilter{Status: "active"}, 9_990, "using users_"},
			{"few of a status", UserFilter{Status: "deactivated"}, 10, "Index Only Scan using users_by_status"},
			{"org unit", UserFilter{OrgUnit: "small"}, 10, "user_org_units_by_org"},
			{"role", UserFilter{Role: "proctor"}, 10, "user_roles_by_role"},
			{"group", UserFilter{Group: group}, 10, "group_members"},
			{"a name", UserFilter{Search: "number1234"}, 1, "CTE hit"},
			{"a badge", UserFilter{Metadata: []string{"badge=1234"}}, 1, "CTE hit"},
			{"name and status", UserFilter{Search: "number10", Status: "deactivated"}, 2, "CTE hit"},
			{"everybody by name", UserFilter{Search: "person"}, 10_000, "CTE hit"},
		} {
			t.Run(c.name, func(t *testing.T) {
				err := store.Read(t.Context(), scope, func(tx *db.Tx) error {
					plans.Force(t, tx)
					before := sequentialReads(t, tx)
					list, err := ListUsers(t.Context(), tx, c.filter)
					if err != nil {
						return err
					}
					if list.Total != c.total || len(list.Items) != min(c.total, db.DefaultLimit) {
						t.Errorf("%d of %d users, want %d", len(list.Items), list.Total, c.total)
					}
					if read := sequentialReads(t, tx) - before; read > 100 {
						t.Errorf("%d rows were read without an index", read)
					}
					checkPlan(t, explain(t, tx, c.filter), c.plan, c.filter.searches())
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			})
		}
		t.Run("export", func(t *testing.T) {
			err := store.Read(t.Context(), scope, func(tx *db.Tx) error {
				plans.Force(t, tx)
				before := sequentialReads(t, tx)
				page, err := ExportUsers(t.Context(), tx, ids.None, 500)
				if read := sequentialReads(t, tx) - before; len(page) != 500 || read > 100 {
					t.Errorf("%d users, and %d rows read without an index", len(page), read)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}, urls)
}

// sequentialReads counts the rows that the connection has read through so far.
func sequentialReads(t *testing.T, tx *db.Tx) int {
	t.Helper()
	var read int
	err := tx.QueryRow(t.Context(), "select coalesce(sum(seq_tup_read), 0) from pg_stat_xact_user_tables").Scan(&read)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// Among ten thousand users and as many groups with a member each, somebody who joins one by its token
// looks at their own row and the group's.
func TestJoiningLooksAtOneGroupAndOnePerson(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	store, urls, scope, _ := bigTenant(t)
	token, joiner := "a token of nobody else", scope
	err := store.Write(t.Context(), scope, func(tx *db.Tx) error {
		err := tx.QueryRow(t.Context(), "select user_id, org_unit_id from user_org_units where tenant_id = $1 order by 1 limit 1", tx.Tenant()).
			Scan(&joiner.Actor.ID, &joiner.OrgUnit)
		if err != nil {
			return err
		}
		_, err = tx.Exec(t.Context(), `with crowd as (
				insert into groups (tenant_id, id, org_unit_id, name, join_token, created_at, updated_at)
				select $1, gen_random_uuid(), $2, 'G' || n, sha256(n::text::bytea), now(), now() from generate_series(1, 10000) n returning id)
			insert into group_members (tenant_id, group_id, user_id, org_unit_id, added_at) select $1, id, $3, $2, now() from crowd`,
			tx.Tenant(), joiner.OrgUnit, joiner.Actor.ID)
		if err != nil {
			return err
		}
		_, err = tx.Exec(t.Context(), `insert into groups (tenant_id, id, org_unit_id, name, join_token, created_at, updated_at)
			values ($1, gen_random_uuid(), $2, 'Open', $3, now(), now())`, tx.Tenant(), joiner.OrgUnit, tokenHash(token))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	joiner.All, joiner.Actor.Kind, joiner.Capabilities = false, db.UserActor, capability.NewSet(capability.GroupsJoin)
	undo := errors.New("undo")
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		err := store.Write(t.Context(), joiner, func(tx *db.Tx) error {
			plans.Force(t, tx)
			dbtest.ByIndex(t, tx, "finding the group", 10, func() error {
				_, err := groupByToken(t.Context(), tx, token)
				return err
			}, "groups")
			// How a foreign key looks at groups is PostgreSQL's own affair.
			dbtest.ByIndex(t, tx, "a join", 10, func() error {
				_, err := JoinGroup(t.Context(), tx, token)
				return err
			}, "group_members", "users", "user_org_units")
			return undo
		})
		if !errors.Is(err, undo) {
			t.Error(err)
		}
	}, urls)
}

func explain(t *testing.T, tx *db.Tx, filter UserFilter) string {
	t.Helper()
	n, err := filter.named(t.Context(), tx)
	if err != nil {
		t.Fatal(err)
	}
	statement := filter.where(tx, n).Order("u.created_at", "u.id").Limit(25).String()
	if filter.searches() {
		statement = filter.search(tx, n, db.Page{Page: 1, Limit: 25}).String()
	}
	rows, err := tx.Query(t.Context(), "explain "+statement)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

func checkPlan(t *testing.T, plan, want string, searches bool) {
	t.Helper()
	if !strings.Contains(plan, want) {
		t.Errorf("no %q in\n%s", want, plan)
	}
	if searches && strings.Count(plan, "Function Scan on find_users") != 1 {
		t.Errorf("the words are not looked up once:\n%s", plan)
	}
	// Before the first VACUUM no row is known to be seen by all, so a count may go by a bitmap.
	read := strings.Contains(strings.ReplaceAll(plan, "Bitmap Index Scan", ""), "Index Scan")
	if strings.HasPrefix(want, "Index Only") && (strings.Contains(plan, "Sort") || read) {
		t.Errorf("sorts, or reads the rows:\n%s", plan)
	}
}

// bigTenant fills two tenants and gives one of them, with its group.
func bigTenant(t *testing.T) (*db.Store, dbtest.URLs, db.Scope, ids.ID) {
	t.Helper()
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App})
	var scope db.Scope
	var group ids.ID
	for _, slug := range []string{"other", "big"} {
		scope = db.Scope{Tenant: ids.New(), All: true, Actor: db.Actor{Kind: db.OperatorActor, Name: "test"}}
		group = ids.New()
		err := store.Write(t.Context(), scope, func(tx *db.Tx) error { return fillTenant(t.Context(), tx, slug, group) })
		if err != nil {
			t.Fatal(err)
		}
	}
	return store, urls, scope, group
}

// fillTenant makes 10,000 users of one org unit; each thousandth is deactivated, of another
// org unit too, a proctor and in the group.
func fillTenant(ctx context.Context, tx *db.Tx, slug string, group ids.ID) error {
	_, err := CreateTenant(ctx, tx, TenantInput{Slug: slug, Name: slug})
	if err != nil {
		return err
	}
	large, err := CreateOrgUnit(ctx, tx, OrgUnitInput{Slug: "large", Name: "Large"})
	if err != nil {
		return err
	}
	small, err := CreateOrgUnit(ctx, tx, OrgUnitInput{Slug: "small", Name: "Small"})
	if err != nil {
		return err
	}
	return fillUsers(ctx, tx, group, large.ID, small.ID)
}

func fillUsers(ctx context.Context, tx *db.Tx, group, large, small ids.ID) error {
	err := tx.AnnounceAccess(ctx)
	if err != nil {
		return err
	}
	for _, statement := range []struct {
		sql  string
		args []any
	}{
		{`insert into users (tenant_id, id, email, email_key, name, metadata, status, created_at, updated_at)
			select $1, gen_random_uuid(), e, e, 'Person Number' || n, jsonb_build_object('badge', n),
				case when n % 1000 = 0 then 'deactivated' else 'active' end, now() + n * interval '1 second', now()
			from (select n, 'p' || n || '@example.org' as e from generate_series(1, 10000) n) made returning true`, nil},
		{"insert into user_org_units (tenant_id, user_id, org_unit_id) select tenant_id, id, $2 from users where tenant_id = $1", []any{large}},
		{`insert into user_org_units (tenant_id, user_id, org_unit_id) select tenant_id, id, $2 from users where tenant_id = $1 and status = 'deactivated'`, []any{small}},
		{`insert into user_roles (tenant_id, user_id, role_id, granted_at) select u.tenant_id, u.id, r.id, now() from users u
			join roles r on r.tenant_id = $1 and (r.system_key = 'candidate' or r.system_key = 'proctor' and u.status = 'deactivated')
			where u.tenant_id = $1`, nil},
		{"insert into groups (tenant_id, id, org_unit_id, name, created_at, updated_at) values ($1, $2, $3, 'Few', now(), now())", []any{group, small}},
		{`insert into group_members (tenant_id, group_id, user_id, org_unit_id, added_at)
			select tenant_id, $2, user_id, org_unit_id, now() from user_org_units where tenant_id = $1 and org_unit_id = $3`, []any{group, small}},
	} {
		_, err := tx.Exec(ctx, statement.sql, append([]any{tx.Tenant()}, statement.args...)...)
		if err != nil {
			return err
		}
	}
	return nil
}

// Pages that are read from the end of the list are in its order, too.
func TestPagesOfPeopleMakeTheWholeList(t *testing.T) {
	t.Parallel()
	store, _, scope, group := bigTenant(t)
	err := store.Read(t.Context(), scope, func(tx *db.Tx) error {
		users := func(page db.Page) ([]ids.ID, error) {
			list, err := ListUsers(t.Context(), tx, UserFilter{OrgUnit: "small", Page: page})
			return mapSlice(list.Items, func(u User) ids.ID { return u.ID }), err
		}
		members := func(page db.Page) ([]ids.ID, error) {
			list, err := ListMembers(t.Context(), tx, group, page)
			return mapSlice(list.Items, func(m Member) ids.ID { return m.UserID }), err
		}
		for name, read := range map[string]func(db.Page) ([]ids.ID, error){"users": users, "members": members} {
			whole, err := read(db.Page{})
			if err != nil {
				return err
			}
			var paged []ids.ID
			for n := range 4 {
				part, err := read(db.Page{Page: n + 1, Limit: 3})
				if err != nil {
					return err
				}
				paged = append(paged, part...)
			}
			if len(whole) != 10 || !slices.Equal(whole, paged) {
				t.Errorf("%s: %v in one page, %v in pages of three", name, whole, paged)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
