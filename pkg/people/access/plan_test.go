package access_test

import (
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/people/access"
	"assess/pkg/people/people"
)

// Among twenty thousand people of a tenant, each in its org unit and with its role, a token is
// issued and checked by looking only at its bearer.
func TestATokenReadsItsBearerAlone(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	store := dbtest.Open(t, db.Options{URL: urls.App})
	scope := sample.Tenant(t, store)
	authority := access.NewAuthority(store, options())
	var user people.User
	sample.Write(t, store, scope, func(tx *db.Tx) (err error) {
		user, err = people.CreateUser(t.Context(), tx, people.UserInput{Email: "ada@example.org", Name: "Ada",
			OrgUnits: []string{"main"}, Roles: []string{"candidate"}})
		return err
	})
	super := dbtest.Heap(t, urls)
	for _, copied := range []string{
		`create temp table many as select gen_random_uuid() as id from generate_series(1, 20000)`,
		`insert into users select copy.* from many m, (select u as row from users u limit 1) u,
			jsonb_populate_record(u.row, jsonb_build_object('id', m.id, 'email', m.id, 'email_key', m.id)) copy`,
		`insert into user_org_units select copy.* from many m, (select u as row from user_org_units u limit 1) u,
			jsonb_populate_record(u.row, jsonb_build_object('user_id', m.id)) copy`,
		`insert into user_roles select copy.* from many m, (select u as row from user_roles u limit 1) u,
			jsonb_populate_record(u.row, jsonb_build_object('user_id', m.id)) copy`,
	} {
		if _, err := super.Exec(t.Context(), copied); err != nil {
			t.Fatalf("%s: %v", copied, err)
		}
	}
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		for what, do := range map[string]func(*db.Tx) error{
			"a token issued": func(tx *db.Tx) error {
				_, err := authority.IssueToken(t.Context(), tx, user.ID, ids.None)
				return err
			},
			"a token checked": func(tx *db.Tx) error {
				_, err := access.LoadGrants(t.Context(), tx, user.ID)
				return err
			},
		} {
			sample.Write(t, store, scope, func(tx *db.Tx) error {
				plans.Force(t, tx)
				dbtest.ByIndex(t, tx, what, 20, func() error { return do(tx) }, "users", "user_org_units", "user_roles")
				return nil
			})
		}
	}, urls)
}
