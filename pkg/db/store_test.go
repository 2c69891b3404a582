package db_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assess/migrations"
	"assess/pkg/db"
	"assess/pkg/dbtest"
	"assess/pkg/errs"
	"assess/pkg/ids"
	"assess/pkg/ledger"
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
		return tx.QueryRow(t.Context(), "select count(*) from facets").Scan(&n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestScopeShowsTheTenantsRowsAlone(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	one, other := newTenant(t, store), newTenant(t, store)
	err := store.Write(t.Context(), one, func(tx *db.Tx) error { return addFacet(t.Context(), tx, "a") })
	if err != nil {
		t.Fatal(err)
	}
	if got := countFacets(t, store, one); got != 1 {
		t.Errorf("own rows: got %d, want 1", got)
	}
	if got := countFacets(t, store, other); got != 0 {
		t.Errorf("another tenant's rows: got %d, want 0", got)
	}
	var n int
	err = store.Unscoped().QueryRow(t.Context(), "select count(*) from facets").Scan(&n)
	if err != nil || n != 0 {
		t.Errorf("without a scope: got %d rows and error %v, want 0 and nil", n, err)
	}
}

func TestScopeRefusesToWriteAnothersRow(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	one, other := newTenant(t, store), newTenant(t, store)
	err := store.Write(t.Context(), one, func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), `insert into facets (tenant_id, id, domain, slug, label, created_at, updated_at)
			values ($1, $2, 'content', 'x', 'x', now(), now())`, other.Tenant, ids.New())
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "row-level security") {
		t.Errorf("got %v, want a refusal by row-level security", err)
	}
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

func key(name, body string) db.Key {
	return db.Key{Key: name, Method: "POST", Path: "/x", BodyHash: sha256.Sum256([]byte(body))}
}

func TestWriteOnceReplays(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	scope := newTenant(t, store)
	var runs atomic.Int32
	once := func(scope db.Scope, k db.Key) (*db.Answer, error) {
		return store.WriteOnce(t.Context(), scope, k, func(tx *db.Tx) (*db.Answer, error) {
			runs.Add(1)
			return &db.Answer{Status: 201, Location: "/x/1", Body: []byte("made")}, addFacet(t.Context(), tx, ids.New().String())
		})
	}
	first, err := once(scope, key("k", "b"))
	if err != nil || first.Replayed {
		t.Fatalf("first: %+v, %v", first, err)
	}
	second, err := once(scope, key("k", "b"))
	if err != nil {
		t.Fatal(err)
	}
	if !second.Replayed || second.Status != 201 || string(second.Body) != "made" || second.Location != "/x/1" {
		t.Errorf("replay: got %+v", second)
	}
	_, err = once(scope, key("k", "another body"))
	if !errors.Is(err, errs.IdempotencyKeyReused) {
		t.Errorf("another body: got %v, want idempotency_key_reused", err)
	}
	someoneElse := scope
	someoneElse.Actor.Name = "else"
	third, err := once(someoneElse, key("k", "b"))
	if err != nil || third.Replayed {
		t.Errorf("another actor's key is another key: got %+v, %v", third, err)
	}
	if got := runs.Load(); got != 2 {
		t.Errorf("ran %d times, want 2", got)
	}
}

func TestParallelReplaysRunOnce(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	scope := newTenant(t, store)
	var runs, replayed atomic.Int32
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			a, err := store.WriteOnce(t.Context(), scope, key("p", "b"), func(tx *db.Tx) (*db.Answer, error) {
				runs.Add(1)
				return &db.Answer{Status: 200, Body: []byte("x")}, addFacet(t.Context(), tx, "only-one")
			})
			if err != nil {
				t.Error(err)
				return
			}
			if a.Replayed {
				replayed.Add(1)
			}
		})
	}
	all.Wait()
	if runs.Load() != 1 || replayed.Load() != 19 {
		t.Errorf("ran %d times and replayed %d, want 1 and 19", runs.Load(), replayed.Load())
	}
}

func TestErrorsAreNotStored(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	scope := newTenant(t, store)
	_, err := store.WriteOnce(t.Context(), scope, key("e", "b"), func(*db.Tx) (*db.Answer, error) {
		return nil, errs.New(errs.Conflict, "not now")
	})
	if !errors.Is(err, errs.Conflict) {
		t.Fatal(err)
	}
	a, err := store.WriteOnce(t.Context(), scope, key("e", "b"), func(*db.Tx) (*db.Answer, error) {
		return &db.Answer{Status: 200, Body: []byte{}}, nil
	})
	if err != nil || a.Replayed {
		t.Errorf("after an error the key is free: got %+v, %v", a, err)
	}
}

func TestSecondCallGivesUpWhileTheFirstRuns(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	scope := newTenant(t, store)
	inside, done := make(chan struct{}), make(chan struct{})
	var first sync.WaitGroup
	first.Go(func() {
		_, err := store.WriteOnce(t.Context(), scope, key("s", "b"), func(*db.Tx) (*db.Answer, error) {
			close(inside)
			<-done
			return &db.Answer{Status: 200, Body: []byte{}}, nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-inside
	_, err := store.WriteOnce(t.Context(), scope, key("s", "b"), func(*db.Tx) (*db.Answer, error) {
		t.Error("ran beside the first")
		return nil, nil
	})
	close(done)
	first.Wait()
	if !errors.Is(err, errs.IdempotencyInProgress) {
		t.Errorf("got %v, want idempotency_in_progress", err)
	}
}

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
			found, err := open(t, c.url).Check(t.Context(), migrations.Names())
			if err != nil {
				t.Fatal(err)
			}
			var all string
			for _, p := range found {
				all += p.What + "; "
			}
			if c.want == "" && all != "" || !strings.Contains(all, c.want) {
				t.Errorf("got %q, want %q", all, c.want)
			}
		})
	}
}

func TestCheckNamesMissingMigrations(t *testing.T) {
	t.Parallel()
	found, err := open(t, dbtest.Clone(t).App).Check(t.Context(), append(migrations.Names(), "9999"))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || !strings.Contains(found[0].What, "9999") {
		t.Errorf("got %v", found)
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
		err := tx.QueryRow(t.Context(), "select count(*), max(seq) from ledger_events").Scan(&n, &last)
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
