package cluster_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/cluster"
)

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) }) //nolint:errcheck // nothing hangs on it
	return conn
}

func TestParentsComeBeforeChildren(t *testing.T) {
	t.Parallel()
	conn := connect(t, dbtest.Clone(t).Super)
	groups, err := cluster.Order(t.Context(), conn)
	if err != nil {
		t.Fatal(err)
	}
	place, members := map[string]int{}, 0
	for i, group := range groups {
		for _, name := range group {
			place[name] = i
			members++
		}
	}
	if members < 140 || len(place) != members || len(groups) < 100 {
		t.Errorf("%d tables in %d groups, %d of them different", members, len(groups), len(place))
	}
	rows, err := conn.Query(t.Context(), `select c.relname::text, f.relname::text from pg_constraint k join pg_class c on c.oid = k.conrelid
		join pg_class f on f.oid = k.confrelid where k.contype = 'f' and c.relnamespace = 'public'::regnamespace`)
	if err != nil {
		t.Fatal(err)
	}
	var child, parent string
	_, err = pgx.ForEachRow(rows, []any{&child, &parent}, func() error {
		if place[child] < place[parent] {
			t.Errorf("%s comes before %s, to which it refers", child, parent)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestATableWithoutAPlaceIsNamed(t *testing.T) {
	t.Parallel()
	conn := connect(t, dbtest.Fresh(t).Super)
	_, err := conn.Exec(t.Context(), "create table stray (n integer)")
	if err != nil {
		t.Fatal(err)
	}
	_, err = cluster.Order(t.Context(), conn)
	if err == nil || !strings.HasSuffix(err.Error(), "for stray") {
		t.Errorf("got %v", err)
	}
}

func TestWhatBelongsToNobodyIsNotDistributed(t *testing.T) {
	t.Parallel()
	groups, err := cluster.Order(t.Context(), connect(t, dbtest.Clone(t).Super))
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Concat(groups...)
	for _, name := range []string{"signing_keys", "rate_limits", "applied_migrations"} {
		if slices.Contains(all, name) {
			t.Errorf("%s leaves the coordinator", name)
		}
	}
}
