package dbtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
)

// heapRole makes the role of Heap, whose settings hold on each node that works for a connection of it. Another process may do so
// at the same time.
const heapRole = `do $$ begin
	create role assess_heap superuser login;
	alter role assess_heap set session_replication_role = 'replica';
	alter role assess_heap set assess.announced = 'true';
exception when duplicate_object or unique_violation then
	null;
end $$`

// Heap gives a connection that writes past constraints, triggers and policies, for tests
// that need very many rows: what these refer to is of no matter to plans. Vacuum and analyze
// afterwards.
func Heap(t testing.TB, urls URLs) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(urls.Super)
	if err != nil {
		t.Fatal(err)
	}
	config.User = "assess_heap"
	s := need(t)
	s.mu.Lock()
	err = s.exec(heapRole)
	s.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	super, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { super.Close(context.WithoutCancel(t.Context())) })
	return super
}

// ByIndex does the work and fails the test when it reads one of the tables from end to end, or
// looks at more than most of its rows.
func ByIndex(t testing.TB, tx querier, what string, most int64, work func() error, tables ...string) {
	t.Helper()
	reads := ReadsOf(t, tx, work)
	for _, table := range tables {
		if r := reads[table]; r.ReadThrough || r.Rows > most {
			t.Errorf("%s: looks at %d rows of %s, want at most %d and none without an index: %+v", what, r.Rows, table, most, r)
		}
	}
}
