package db_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

func sortStrings(less func(a, b string) bool) cmp.Option { return cmpopts.SortSlices(less) }

func open(t *testing.T, url string) *db.Store {
	t.Helper()
	store, err := db.Open(t.Context(), db.Options{URL: url, MaxConns: 8, ReportMaxConns: 2,
		LockTimeout: 500 * time.Millisecond, StatementTimeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}

func newTenant(t *testing.T, store *db.Store) db.Scope {
	t.Helper()
	scope := db.Scope{Tenant: ids.New(), All: true, Actor: db.Actor{Kind: db.OperatorActor, Name: "test"}}
	err := store.Write(t.Context(), scope, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "insert into tenants (id, slug, name, created_at) values ($1, $2, 'T', now())",
			scope.Tenant, "t-"+scope.Tenant.String())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return scope
}

func addFacet(ctx context.Context, tx *db.Tx, slug string) error {
	_, err := tx.Exec(ctx, `insert into facets (tenant_id, id, domain, slug, label, created_at, updated_at)
		values ($1, $2, 'content', $3, $3, now(), now())`, tx.Tenant(), ids.New(), slug)
	return err
}

func countFacets(t *testing.T, store *db.Store, scope db.Scope) int {
	t.Helper()
	var n int
	err := store.Read(t.Context(), scope, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select count(*) from facets where tenant_id = $1", tx.Tenant()).Scan(&n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestTransactionsNeedTenantAndActor(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	nothing := func(*db.Tx) error { return nil }
	if err := store.Read(t.Context(), db.Scope{}, nothing); err == nil {
		t.Error("a read without a tenant succeeded")
	}
	if err := store.Write(t.Context(), db.Scope{Tenant: ids.New()}, nothing); err == nil {
		t.Error("a write without an actor succeeded")
	}
}

func TestReadCannotWrite(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	scope := newTenant(t, store)
	for name, run := range map[string]func(context.Context, db.Scope, func(*db.Tx) error) error{"read": store.Read, "report": store.Report} {
		err := run(t.Context(), scope, func(tx *db.Tx) error { return addFacet(t.Context(), tx, "no") })
		if err == nil || !strings.Contains(err.Error(), "read-only") {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
}

func TestErrorAndPanicRollBack(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	scope := newTenant(t, store)
	boom := errors.New("boom")
	err := store.Write(t.Context(), scope, func(tx *db.Tx) error {
		return errors.Join(addFacet(t.Context(), tx, "a"), boom)
	})
	if !errors.Is(err, boom) {
		t.Errorf("got %v, want the function's own error", err)
	}
	func() {
		defer func() { recover() }()                            //nolint:errcheck // the panic is the test
		store.Write(t.Context(), scope, func(tx *db.Tx) error { //nolint:errcheck // panics
			if err := addFacet(t.Context(), tx, "b"); err != nil {
				return err
			}
			panic("boom")
		})
	}()
	if got := countFacets(t, store, scope); got != 0 {
		t.Errorf("got %d rows after rollback, want 0", got)
	}
}

func TestDryRunChecksAndRollsBack(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	scope := newTenant(t, store)
	err := store.DryRun(t.Context(), scope, func(tx *db.Tx) error { return addFacet(t.Context(), tx, "a") })
	if err != nil {
		t.Fatal(err)
	}
	if got := countFacets(t, store, scope); got != 0 {
		t.Errorf("got %d rows after a dry run, want 0", got)
	}
	err = store.DryRun(t.Context(), scope, func(tx *db.Tx) error {
		return errors.Join(addFacet(t.Context(), tx, "a"), addFacet(t.Context(), tx, "a"))
	})
	if !errors.Is(err, errs.DuplicateSlug) {
		t.Errorf("got %v, want duplicate_slug", err)
	}
}

func TestDeadlockIsRunAgain(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	scope := newTenant(t, store)
	lock := func(tx *db.Tx, key int64) error {
		_, err := tx.Exec(t.Context(), "select pg_advisory_xact_lock($1)", key)
		return err
	}
	base := time.Now().UnixNano()
	var both sync.WaitGroup
	var meet atomic.Int32
	for i := range int64(2) {
		both.Go(func() {
			err := store.Write(t.Context(), scope, func(tx *db.Tx) error {
				_, err := tx.Exec(t.Context(), "set local lock_timeout = 0")
				if err != nil {
					return err
				}
				err = lock(tx, base+i)
				if err != nil {
					return err
				}
				for meet.Add(1); meet.Load() < 2; {
					time.Sleep(time.Millisecond)
				}
				return lock(tx, base+1-i)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if meet.Load() < 3 {
		t.Error("no transaction was run again: the two never deadlocked")
	}
}

func TestLedgerIsNumberedAndAppendOnly(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	scope := newTenant(t, store)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			err := store.Write(t.Context(), scope, func(tx *db.Tx) error {
				e := ledger.Event{Type: "test.done", SubjectType: "test", SubjectID: ids.New(), Payload: map[string]any{"n": 1}}
				return ledger.Append(t.Context(), tx, e, e)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	err := store.Write(t.Context(), scope, func(tx *db.Tx) error {
		var n, last int
		err := tx.QueryRow(t.Context(), "select count(*), max(seq) from ledger_events where tenant_id = $1", tx.Tenant()).Scan(&n, &last)
		if n != 16 || last != 16 {
			t.Errorf("got %d events up to %d, want 16 unbroken", n, last)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	conn := open(t, dbtest.Clone(t).Super)
	for _, sql := range []string{"update ledger_events set actor = 'x'", "delete from ledger_events", "truncate ledger_events"} {
		_, err := conn.Unscoped().Exec(t.Context(), sql)
		if err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s by a superuser: got %v, want a refusal", sql, err)
		}
	}
}

// What somebody else commits between two statements of a read is in neither: a row and what belongs to it
// are read at one moment.
func TestAReadSeesOneMoment(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	scope := newTenant(t, store)
	for name, read := range map[string]func(context.Context, db.Scope, func(*db.Tx) error) error{"read": store.Read, "report": store.Report} {
		before := countFacets(t, store, scope)
		err := read(t.Context(), scope, func(tx *db.Tx) error {
			count := func() error {
				var n int
				err := tx.QueryRow(t.Context(), "select count(*) from facets where tenant_id = $1", tx.Tenant()).Scan(&n)
				if n != before {
					t.Errorf("%s: sees %d facets, and there were %d when it began", name, n, before)
				}
				return err
			}
			// On a cluster the moment is that at which a read comes to the node.
			err := count()
			if err != nil {
				return err
			}
			err = store.Write(t.Context(), scope, func(tx *db.Tx) error { return addFacet(t.Context(), tx, name) })
			if err != nil {
				return err
			}
			return count()
		})
		if err != nil {
			t.Fatal(err)
		}
		if n := countFacets(t, store, scope); n != before+1 {
			t.Errorf("%s: %d facets afterwards, want %d", name, n, before+1)
		}
	}
}
