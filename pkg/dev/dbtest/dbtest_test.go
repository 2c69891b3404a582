package dbtest

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"assess/migrations"
)

func TestCloneIsMigratedAndShared(t *testing.T) {
	t.Parallel()
	urls := Clone(t)
	if diff := cmp.Diff(urls, Clone(t)); diff != "" {
		t.Errorf("the second Clone differs (-first +second):\n%s", diff)
	}
	got := ask[int](t, connect(t, urls.Owner), "select count(*) from applied_migrations")
	if want := len(migrations.All()); got != want {
		t.Errorf("%d migrations are applied, want %d", got, want)
	}
}

func TestRolesOfClone(t *testing.T) {
	t.Parallel()
	urls := Fresh(t)
	tests := []struct {
		name, url, user string
		mayCreate       bool
	}{
		{"super", urls.Super, "postgres", true},
		{"owner", urls.Owner, "assess_owner", true},
		{"app", urls.App, "assess", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			conn := connect(t, test.url)
			if got := ask[string](t, conn, "select current_user::text"); got != test.user {
				t.Errorf("connected as %s, want %s", got, test.user)
			}
			_, err := conn.Exec(t.Context(), "create table public.made_by_"+test.name+" ()")
			if got := err == nil; got != test.mayCreate {
				t.Errorf("may create tables: %v (%v), want %v", got, err, test.mayCreate)
			}
		})
	}
}

func TestFreshIsAloneAndDropped(t *testing.T) {
	t.Parallel()
	var names []string
	t.Run("use", func(t *testing.T) {
		one, two := connect(t, Fresh(t).Owner), connect(t, Fresh(t).Owner)
		if _, err := one.Exec(t.Context(), "create table only_here ()"); err != nil {
			t.Fatal(err)
		}
		if ask[bool](t, two, "select to_regclass('only_here') is not null") {
			t.Error("one test sees a table of the other")
		}
		for _, conn := range []*pgx.Conn{one, two} {
			names = append(names, ask[string](t, conn, "select current_database()::text"))
		}
	})
	control := connect(t, Server(t).SuperURL("postgres"))
	for _, name := range names {
		if ask[bool](t, control, "select exists (select from pg_database where datname = $1)", name) {
			t.Errorf("%s is still there after its test", name)
		}
	}
}

func TestSweepDropsWhatNobodyNames(t *testing.T) {
	t.Parallel()
	s := private(t)
	mine, err := s.clone(s.template)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"assess_test_deadbeef_1", "assess_tmpl_deadbeefdead", "somebody_elses"} {
		if err := s.server.EnsureDatabase(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	if err := sweep(t.Context(), s.controls[0]); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{mine, s.template, "somebody_elses"}, " ")
	got := ask[string](t, s.controls[0], `select string_agg(datname, ' ' order by datname)
		from pg_database where datname like 'assess%' or datname like 'some%'`)
	if got != want {
		t.Errorf("databases: got %s, want %s", got, want)
	}
}

func TestUnfinishedTemplateIsMadeAnew(t *testing.T) {
	t.Parallel()
	s := private(t)
	if err := s.drop(s.template); err != nil {
		t.Fatal(err)
	}
	// A crash between the creation and the last migration leaves this.
	if err := s.server.EnsureDatabase(t.Context(), s.template); err != nil {
		t.Fatal(err)
	}
	if err := s.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	name, err := s.clone(s.template)
	if err != nil {
		t.Fatal(err)
	}
	conn := connect(t, s.urls(name).Owner)
	if got, want := ask[int](t, conn, "select count(*) from applied_migrations"), len(migrations.All()); got != want {
		t.Errorf("the clone has %d migrations, want %d", got, want)
	}
}

func TestSecondBinaryReusesTemplate(t *testing.T) {
	t.Parallel()
	first := private(t)
	const template = "select oid::bigint from pg_database where datname = $1"
	want := ask[int64](t, first.controls[0], template, first.template)
	second, err := join(t.Context(), first.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { second.leave(t) })
	if got := ask[int64](t, second.controls[0], template, second.template); got != want {
		t.Error("the second binary made the template again")
	}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func ask[T any](t *testing.T, conn *pgx.Conn, sql string, args ...any) T {
	t.Helper()
	var got T
	if err := conn.QueryRow(t.Context(), sql, args...).Scan(&got); err != nil {
		t.Fatal(err)
	}
	return got
}
