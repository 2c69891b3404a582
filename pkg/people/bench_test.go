package people_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"assess/pkg/capability"
	"assess/pkg/db"
	"assess/pkg/ids"
	"assess/pkg/people"
	"assess/pkg/sample"
)

const crowdSize = 100_000

// crowd is a tenant of 100,000 users of one org unit, half of them of cohort 2031.
func crowd(tb testing.TB, store *db.Store, size int) db.Scope {
	tb.Helper()
	scope := sample.Tenant(tb, store)
	start := time.Now()
	defer func() { tb.Logf("%d users in %s", size, time.Since(start)) }()
	sample.Write(tb, store, scope, func(tx *db.Tx) error {
		for from := 0; from < size; from += 1000 {
			var in []people.UserInput
			for i := from; i < from+1000; i++ {
				in = append(in, people.UserInput{Email: fmt.Sprintf("person%06d@example.org", i), Name: fmt.Sprintf("Person Number%06d", i),
					Metadata: map[string]any{"cohort": fmt.Sprint(2031 + i%2), "site": fmt.Sprint("s", i%97)}})
			}
			_, err := people.UpsertUsers(tb.Context(), tx, in)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return scope
}

// BenchmarkRuleOf50000 turns a dynamic group of 50,000 from one half of the users to the
// other: 50,000 leave, 50,000 enter, 100,000 changes go into the ledger. By hand is the same
// change of the members as the superuser, who no policy binds, without ledger.
func BenchmarkRuleOf50000(b *testing.B) {
	store := sample.Store(b)
	scope := crowd(b, store, crowdSize)
	group := ids.None
	half := func(n int) *people.Rule {
		return &people.Rule{All: []people.Condition{{Key: "cohort", Op: people.RuleEquals, Value: fmt.Sprint(2031 + n%2)}}}
	}
	sample.Write(b, store, scope, func(tx *db.Tx) error {
		g, err := people.CreateGroup(b.Context(), tx, people.GroupInput{Name: "Half", MembershipRule: half(1)})
		group = g.ID
		return err
	})
	b.Run("rule", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			sample.Write(b, store, scope, func(tx *db.Tx) error {
				_, err := people.UpdateGroup(b.Context(), tx, group, people.GroupPatch{MembershipRule: half(n)})
				return err
			})
		}
	})
	b.Run("by hand", func(b *testing.B) {
		for n := 0; b.Loop(); n++ {
			sample.Write(b, store, scope, func(tx *db.Tx) error {
				_, err := tx.Exec(b.Context(), "delete from group_members where tenant_id = $1 and group_id = $2", tx.Tenant(), group)
				if err != nil {
					return err
				}
				_, err = tx.Exec(b.Context(), `insert into group_members (tenant_id, group_id, user_id, org_unit_id, added_at)
					select $1, $2, u.id, $3, $5 from users u join user_org_units m on m.tenant_id = $1 and m.user_id = u.id and m.org_unit_id = $3
					where u.tenant_id = $1 and u.status = 'active' and u.metadata ->> 'cohort' = $4`,
					tx.Tenant(), group, scope.OrgUnit, fmt.Sprint(2031+n%2), tx.Now())
				return err
			})
		}
	})
	b.Run("preview", func(b *testing.B) {
		for b.Loop() {
			sample.Write(b, store, scope, func(tx *db.Tx) error {
				_, err := people.PreviewRule(b.Context(), tx, group, people.PreviewInput{MembershipRule: half(0)})
				return err
			})
		}
	})
	b.Run("one user", func(b *testing.B) {
		var user people.User
		sample.Write(b, store, scope, func(tx *db.Tx) error {
			var err error
			user, err = people.UserByEmail(b.Context(), tx, "person000007@example.org")
			return err
		})
		for n := 0; b.Loop(); n++ {
			metadata := map[string]any{"cohort": fmt.Sprint(2031 + n%2)}
			sample.Write(b, store, scope, func(tx *db.Tx) error {
				_, err := people.UpdateUser(b.Context(), tx, user.ID, people.UserPatch{Metadata: &metadata})
				return err
			})
		}
	})
}

// BenchmarkFindUsers lists a page of 25 among 100,000.
func BenchmarkFindUsers(b *testing.B) {
	store := sample.Store(b)
	scope := crowd(b, store, crowdSize)
	reader := sample.As(scope, ids.New(), capability.UsersRead)
	for _, c := range []struct {
		name   string
		filter people.UserFilter
	}{
		{"all", people.UserFilter{}},
		{"one name", people.UserFilter{Search: "number012345"}},
		{"a hundred names", people.UserFilter{Search: "number0123"}},
		{"an address", people.UserFilter{Search: "person012345@exa"}},
		{"metadata", people.UserFilter{Metadata: []string{"site=s7"}}},
		{"everybody", people.UserFilter{Search: "person"}},
		{"status", people.UserFilter{Status: "deactivated"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				err := store.Read(b.Context(), reader, func(tx *db.Tx) error {
					_, err := people.ListUsers(b.Context(), tx, c.filter)
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("an address by hand", func(b *testing.B) {
		for b.Loop() {
			err := store.Read(b.Context(), reader, func(tx *db.Tx) error { return findByHand(b.Context(), tx) })
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

func findByHand(ctx context.Context, tx *db.Tx) error {
	var id ids.ID
	return tx.QueryRow(ctx, "select id from users where tenant_id = $1 and email_key = $2", tx.Tenant(), "person012345@example.org").Scan(&id)
}
