package db_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// trial does a bit of everything that can be taken back.
type trial struct {
	*testing.T
	store *db.Store
	scope db.Scope
}

func newTrial(t *testing.T) trial {
	t.Helper()
	store := open(t, dbtest.Clone(t).App)
	return trial{t, store, newTenant(t, store)}
}

// do writes a row, holds a lock of the name, and tells the ledger.
func (t trial) do(tx *db.Tx, name string) error {
	err := addFacet(t.Context(), tx, name)
	if err != nil {
		return err
	}
	_, err = tx.Exec(t.Context(), "select pg_advisory_xact_lock("+lockOf+")", tx.Tenant().String(), name)
	if err != nil {
		return err
	}
	return ledger.Append(t.Context(), tx, ledger.Event{Type: "test." + name, SubjectType: "test", SubjectID: ids.New()})
}

const lockOf = "hashtextextended($1::text || $2::text, 0)"

// free says whether somebody else gets the lock of the name.
func (t trial) free(name string) bool {
	t.Helper()
	var got bool
	err := t.store.Read(t.Context(), t.scope, func(tx *db.Tx) error {
		return tx.QueryRow(t.Context(), "select pg_try_advisory_xact_lock("+lockOf+")", tx.Tenant().String(), name).Scan(&got)
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// wantDone checks the rows, and the events with their numbers.
func (t trial) wantDone(names ...string) {
	t.Helper()
	var rows, events, wanted []string
	for i, name := range names {
		wanted = append(wanted, fmt.Sprintf("%d test.%s", i+1, name))
	}
	err := t.store.Read(t.Context(), t.scope, func(tx *db.Tx) error {
		var err error
		rows, err = texts(t.Context(), tx, "select slug from facets where tenant_id = $1 order by slug")
		if err != nil {
			return err
		}
		events, err = texts(t.Context(), tx, "select seq || ' ' || event_type from ledger_events where tenant_id = $1 order by seq")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if sorted := slices.Sorted(slices.Values(names)); !slices.Equal(rows, sorted) {
		t.Errorf("rows %v, want %v", rows, sorted)
	}
	if !slices.Equal(events, wanted) {
		t.Errorf("events %v, want %v", events, wanted)
	}
}

// texts gives the texts that a statement finds for the tenant.
func texts(ctx context.Context, tx *db.Tx, sql string) ([]string, error) {
	rows, err := tx.Query(ctx, sql, tx.Tenant())
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// A try that fails leaves nothing: no row, no lock, no event. Everything before it stays,
// and the transaction goes on. A try that succeeds stays too, unless a try around it fails.
func TestTryTakesBackWhatFailed(t *testing.T) {
	t.Parallel()
	b := newTrial(t)
	refusal := errs.New(errs.Conflict, "No.")
	err := b.store.Write(t.Context(), b.scope, func(tx *db.Tx) error {
		before := b.do(tx, "before")
		kept := tx.Try(t.Context(), func() error { return b.do(tx, "kept") })
		refused := tx.Try(t.Context(), func() error { return errors.Join(b.do(tx, "refused"), refusal) })
		if !errors.Is(refused, errs.Conflict) {
			t.Errorf("a refusal ended as %v", refused)
		}
		broken := tx.Try(t.Context(), func() error { return errors.Join(b.do(tx, "broken"), b.do(tx, "before")) })
		if !errors.Is(db.Translate(broken), errs.DuplicateSlug) {
			t.Errorf("a statement that PostgreSQL refuses ended as %v", broken)
		}
		outer := tx.Try(t.Context(), func() error {
			inner := tx.Try(t.Context(), func() error { return b.do(tx, "inner") })
			return errors.Join(inner, b.do(tx, "outer"), refusal)
		})
		if !errors.Is(outer, errs.Conflict) {
			t.Errorf("a try around another ended as %v", outer)
		}
		for _, name := range []string{"refused", "broken", "inner", "outer"} {
			if !b.free(name) {
				t.Errorf("the lock of %s is still held", name)
			}
		}
		for _, name := range []string{"before", "kept"} {
			if b.free(name) {
				t.Errorf("the lock of %s is lost", name)
			}
		}
		return errors.Join(before, kept, b.do(tx, "after"))
	})
	if err != nil {
		t.Fatal(err)
	}
	b.wantDone("before", "kept", "after")
}

// A rehearsal leaves nothing, whether it goes well or not; the code called in it knows.
func TestRehearseTakesEverythingBack(t *testing.T) {
	t.Parallel()
	b := newTrial(t)
	orgUnit := addAsset(t, b.store, b.scope)
	refusal := errs.New(errs.Conflict, "No.")
	err := b.store.Write(t.Context(), b.scope, func(tx *db.Tx) error {
		before := b.do(tx, "before")
		well := tx.Rehearse(t.Context(), func() error {
			if !tx.Rehearsing() {
				t.Error("a rehearsal does not say so")
			}
			return b.do(tx, "rehearsed")
		})
		refused := tx.Rehearse(t.Context(), func() error { return errors.Join(b.do(tx, "refused"), refusal) })
		if !errors.Is(refused, errs.Conflict) {
			t.Errorf("a refusal ended as %v", refused)
		}
		if tx.Rehearsing() {
			t.Error("a rehearsal goes on after its end")
		}
		for _, name := range []string{"rehearsed", "refused"} {
			if !b.free(name) {
				t.Errorf("the lock of %s is still held", name)
			}
		}
		return errors.Join(before, well, b.do(tx, "after"))
	})
	if err != nil {
		t.Fatal(err)
	}
	b.wantDone("before", "after")
	b.checksAtOnce(orgUnit)
}

// checksAtOnce sees that a rehearsal and a dry run find what a commit would refuse, and that the
// transaction around it may break such a rule for a while all the same.
func (t trial) checksAtOnce(orgUnit ids.ID) {
	t.Helper()
	lose := func(tx *db.Tx) error {
		_, err := tx.Exec(t.Context(), "update assets set current_id = $2 where tenant_id = $1 and org_unit_id = $3", tx.Tenant(), ids.New(), orgUnit)
		return err
	}
	if t.store.DryRun(t.Context(), t.scope, lose) == nil {
		t.Error("a dry run passed what a commit refuses")
	}
	err := t.store.Write(t.Context(), t.scope, func(tx *db.Tx) error {
		if tx.Rehearse(t.Context(), func() error { return lose(tx) }) == nil {
			t.Error("a rehearsal passed what a commit refuses")
		}
		var current ids.ID
		err := tx.QueryRow(t.Context(), "select current_id from assets where tenant_id = $1 and org_unit_id = $2", tx.Tenant(), orgUnit).Scan(&current)
		if err != nil {
			return err
		}
		err = lose(tx)
		if err != nil {
			return fmt.Errorf("after a rehearsal: %w", err)
		}
		_, err = tx.Exec(t.Context(), "update assets set current_id = $2 where tenant_id = $1 and org_unit_id = $3", tx.Tenant(), current, orgUnit)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
