package migrations_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"assess/migrations"
	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
)

// frozen has a line for each file that never changes again: its name and its SHA-256.
//
//go:embed testdata/frozen.txt
var frozen string

// filled is a database of the frozen files with a row or more in each table; testdata/fill_test.go
// made it.
//
//go:embed testdata/filled.sql.gz
var filled []byte

func TestFrozenFilesNeverChange(t *testing.T) {
	t.Parallel()
	for i, line := range strings.Split(strings.TrimSpace(frozen), "\n") {
		name, hash, _ := strings.Cut(line, " ")
		if all := migrations.All(); i >= len(all) || all[i].Name != name || all[i].Hash != hash {
			t.Errorf("migrations/%s.tx.up.sql is frozen, for it is applied to databases: put it back as it was, and write a new file", name)
		}
	}
}

// PL/pgSQL keeps the plan of a trigger's first call, which may have had no rows. A join of the rows before a change with the rows after it is
// then a loop over all of them for each.
func TestTriggersJoinNoRowsBeforeAndAfter(t *testing.T) {
	t.Parallel()
	super, err := pgx.Connect(t.Context(), dbtest.Clone(t).Super)
	if err != nil {
		t.Fatal(err)
	}
	defer super.Close(t.Context())
	rows, err := super.Query(t.Context(), `
		select distinct p.proname::text, p.prosrc ~* ('\mjoin\s+(' || t.tgoldtable || '|' || t.tgnewtable || ')\M')
			or p.prosrc ~* ('\m(from|,)\s*(' || t.tgoldtable || '|' || t.tgnewtable || ')\M[^;()]*,\s*(' || t.tgoldtable || '|' || t.tgnewtable || ')\M')
		from pg_trigger t join pg_proc p on p.oid = t.tgfoid where t.tgoldtable is not null and t.tgnewtable is not null`)
	if err != nil {
		t.Fatal(err)
	}
	var name string
	var joins bool
	seen := 0
	_, err = pgx.ForEachRow(rows, []any{&name, &joins}, func() error {
		seen++
		if joins {
			t.Errorf("%s() joins the rows before and after: take their difference (except)", name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Error("no trigger was looked at")
	}
}

// A database that was filled under the frozen files goes to the newest, and further: an extra file
// represents future ones.
func TestAFilledDatabaseGoesToTheNewest(t *testing.T) {
	t.Parallel()
	urls := emptyDatabase(t)
	all := migrations.All()
	up(t, urls, all[:strings.Count(frozen, "\n")])
	super := dbtest.Heap(t, urls)
	load(t, super)
	before := rows(t, super)
	for table, n := range before {
		if n == 0 {
			t.Errorf("%s is empty: what becomes of its rows is not tested", table)
		}
	}
	extra, err := migrations.Read(fstest.MapFS{"9999_extra.tx.up.sql": {Data: []byte("alter table facets add column extra text not null default 'there';\n")}})
	if err != nil {
		t.Fatal(err)
	}
	newest := append(slices.Clone(all), extra...)
	applied := up(t, urls, newest)
	if want := names(newest[strings.Count(frozen, "\n"):]); !slices.Equal(applied, want) {
		t.Errorf("applied %v, want %v", applied, want)
	}
	after := rows(t, super)
	for table, n := range before {
		// A migration may leave work for the projector, and give new capabilities to the roles that have all.
		if strings.HasSuffix(table, "capabilities") && after[table] > n {
			continue
		}
		if after[table] != n && table != "applied_migrations" && table != "projection_outbox" {
			t.Errorf("%s has %d rows, and had %d", table, after[table], n)
		}
	}
	var there int
	if err := super.QueryRow(t.Context(), "select count(*) from facets where extra = 'there'").Scan(&there); err != nil || there != before["facets"] {
		t.Errorf("the extra file reached %d rows (%v)", there, err)
	}
	if err := dbtest.Open(t, db.Options{URL: urls.App}).Ready(t.Context(), newest); err != nil {
		t.Error(err)
	}
}

// A failed file leaves nothing behind, and neither do files before which an edited one is found.
func TestUpRefusesAnEditedFileAndUndoesAFailedOne(t *testing.T) {
	t.Parallel()
	urls := emptyDatabase(t)
	file := func(text string) []migrations.Migration {
		all, err := migrations.Read(fstest.MapFS{"0001_a.tx.up.sql": {Data: []byte("create table a ();\n")}, "0002_b.tx.up.sql": {Data: []byte(text)}})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	applied, err := migrations.UpOf(t.Context(), urls.Owner, file("create table b (); select 1 / 0;\n"))
	if err == nil || !slices.Equal(applied, []string{"0001_a"}) || !strings.Contains(err.Error(), "0002_b.tx.up.sql") {
		t.Fatalf("applied %v, error %v", applied, err)
	}
	up(t, urls, file("create table b ();\n"))
	_, err = migrations.UpOf(t.Context(), urls.Owner, append(file("create table b (n integer);\n"), migrations.Migration{Name: "0003_c", SQL: "create table c ();\n"}))
	var edited *migrations.EditedError
	if !errors.As(err, &edited) || edited.File != "0002_b.tx.up.sql" {
		t.Errorf("got %v, want the edited file", err)
	}
	if diff := cmp.Diff(map[string]int{"a": 0, "applied_migrations": 2, "b": 0}, rows(t, dbtest.Heap(t, urls))); diff != "" {
		t.Error(diff)
	}
}

// The output of a dry run, run by hand, does the same as Up.
func TestPlanIsWhatUpRuns(t *testing.T) {
	t.Parallel()
	urls := emptyDatabase(t)
	steps, err := migrations.Plan(t.Context(), urls.Owner)
	if err != nil {
		t.Fatal(err)
	}
	owner, err := pgx.Connect(t.Context(), urls.Owner)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(context.WithoutCancel(t.Context())) //nolint:errcheck // nothing hangs on it
	if n := len(rows(t, owner)); n != 0 {
		t.Errorf("a plan made %d tables", n)
	}
	for _, s := range steps {
		if strings.HasPrefix(s.Name, "river") {
			continue // the job queue's library records what was applied
		}
		if _, err := owner.Exec(t.Context(), s.SQL); err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
	}
	if applied := up(t, urls, migrations.All()); len(applied) != 0 {
		t.Errorf("Up applied %v once more", applied)
	}
	if steps, err = migrations.Plan(t.Context(), urls.Owner); err != nil || len(steps) != 0 {
		t.Errorf("what is left: %v (%v)", steps, err)
	}
}

func up(t *testing.T, urls dbtest.URLs, all []migrations.Migration) []string {
	t.Helper()
	applied, err := migrations.UpOf(t.Context(), urls.Owner, all)
	if err != nil {
		t.Fatal(err)
	}
	return applied
}

func names(all []migrations.Migration) []string {
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
	}
	return names
}

// rows counts the rows of each table.
func rows(t *testing.T, conn *pgx.Conn) map[string]int {
	t.Helper()
	found, err := conn.Query(t.Context(), `select relname::text,
		(xpath('//n/text()', query_to_xml(format('select count(*) as n from public.%I', relname), false, true, '')))[1]::text::int
		from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	var table string
	var n int
	if _, err = pgx.ForEachRow(found, []any{&table, &n}, func() error { counts[table] = n; return nil }); err != nil {
		t.Fatal(err)
	}
	return counts
}

// load copies the filled tables: a line "copy TABLE (COLUMNS) from stdin", the rows, and "\.".
func load(t *testing.T, super *pgx.Conn) {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(filled))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 16<<20)
	var statement string
	var data bytes.Buffer
	for lines.Scan() {
		switch line := lines.Text(); {
		case statement == "":
			statement = line
		case line == `\.`:
			if _, err := super.PgConn().CopyFrom(t.Context(), &data, statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
			statement = ""
			data.Reset()
		default:
			data.WriteString(line + "\n")
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func emptyDatabase(t *testing.T) dbtest.URLs {
	t.Helper()
	server := dbtest.Server(t)
	name := fmt.Sprintf("assess_migrate_%d_%s", os.Getpid(), strings.ToLower(t.Name()))
	if err := server.EnsureDatabase(t.Context(), name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.Background()
		conn, err := pgx.Connect(ctx, server.SuperURL("postgres"))
		if err == nil {
			defer conn.Close(ctx)
			_, err = conn.Exec(ctx, "drop database "+name+" with (force)")
		}
		if err != nil {
			t.Error(err)
		}
	})
	return dbtest.URLs{Super: server.SuperURL(name), Owner: server.OwnerURL(name), App: server.AppURL(name)}
}
