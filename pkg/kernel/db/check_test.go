package db_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"assess/migrations"
	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

func TestCheckRefusesRolesThatEscape(t *testing.T) {
	t.Parallel()
	urls := dbtest.Clone(t)
	for _, c := range []struct {
		name, url string
		want      string
	}{
		{"plain login", urls.App, ""},
		{"superuser", urls.Super, "superuser"},
		{"owner", urls.Owner, "owns tables"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			found, err := open(t, c.url).Check(t.Context(), migrations.All())
			if err != nil {
				t.Fatal(err)
			}
			var all string
			for _, p := range found {
				all += p.What + "; "
			}
			if c.want == "" && all != "" || !strings.Contains(all, c.want) || len(found) > 1 {
				t.Errorf("got %q, want %q", all, c.want)
			}
		})
	}
}

func TestCheckRefusesALoginWithTemporaryTables(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	grant := func() {
		do(t, connect(t, urls.Super), "do $$ begin execute format('grant temporary on database %I to public', current_database()); end $$")
	}
	check := func() []db.Problem {
		t.Helper()
		found, err := open(t, urls.App).Check(t.Context(), migrations.All())
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	grant()
	if found := check(); len(found) != 1 || !strings.Contains(found[0].What, "temporary tables") {
		t.Errorf("got %v", found)
	}
	_, err := migrations.Up(t.Context(), urls.Owner)
	if err != nil {
		t.Fatal(err)
	}
	if found := check(); len(found) != 0 {
		t.Errorf("after migrate: got %v", found)
	}
}

func TestCheckNamesMissingMigrations(t *testing.T) {
	t.Parallel()
	found, err := open(t, dbtest.Clone(t).App).Check(t.Context(), append(slices.Clone(migrations.All()), migrations.Migration{Name: "9999_later"}))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || !strings.Contains(found[0].What, "9999") {
		t.Errorf("got %v", found)
	}
}

func TestAnEditedMigrationIsRefusedByName(t *testing.T) {
	t.Parallel()
	edited := slices.Clone(migrations.All())
	edited[3].Hash = strings.Repeat("0", 64)
	store := open(t, dbtest.Clone(t).App)
	found, err := store.Check(t.Context(), edited)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || !strings.Contains(found[0].What, edited[3].File()) {
		t.Errorf("got %v", found)
	}
	if err := store.Ready(t.Context(), edited); !errors.Is(err, errs.DatabaseUnavailable) || !strings.Contains(err.Error(), edited[3].File()) {
		t.Errorf("got %v", err)
	}
	if err := store.Ready(t.Context(), migrations.All()); err != nil {
		t.Error(err)
	}
}

func TestErrorsNeverQuoteThePassword(t *testing.T) {
	t.Parallel()
	_, err := db.Open(t.Context(), db.Options{URL: "postgres://u:s3cret@host:port/x"})
	if err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("got %v", err)
	}
	store := open(t, "postgres://u:s3cret@127.0.0.1:1/x?connect_timeout=1")
	err = store.Read(t.Context(), db.System(ids.New(), "x"), func(*db.Tx) error { return nil })
	if !errors.Is(err, errs.DatabaseUnavailable) || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("got %v, want database_unavailable without the password", err)
	}
}
