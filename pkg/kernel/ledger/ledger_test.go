package ledger_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
	"assess/pkg/kernel/ledger"
)

// open gives a store whose waits end in an error instead of a test that hangs.
func open(t *testing.T) *db.Store {
	t.Helper()
	store := dbtest.Open(t, db.Options{URL: dbtest.Clone(t).App, MaxConns: 4, LockTimeout: 5 * time.Second})
	return store
}

func add(t *testing.T, tx *db.Tx, types ...string) error {
	t.Helper()
	var events []ledger.Event
	for _, what := range types {
		events = append(events, ledger.Event{Type: what, SubjectType: "test", SubjectID: ids.New()})
	}
	return ledger.Append(t.Context(), tx, events...)
}

// told reads the events of the tests, oldest first, and checks that no number is missing.
func told(t *testing.T, store *db.Store, scope db.Scope) []string {
	t.Helper()
	var types []string
	var unbroken bool
	err := store.Read(t.Context(), scope, func(tx *db.Tx) error {
		rows, err := tx.Query(t.Context(), "select event_type from ledger_events where tenant_id = $1 and subject_type = 'test' order by seq", tx.Tenant())
		if err != nil {
			return err
		}
		types, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return errors.Join(err, tx.QueryRow(t.Context(), `
			select count(*) = max(seq) and max(seq) = (select last_seq from ledger_heads where tenant_id = $1)
			from ledger_events where tenant_id = $1`, tx.Tenant()).Scan(&unbroken))
	})
	if err != nil {
		t.Fatal(err)
	}
	if !unbroken {
		t.Error("the numbers of the events have gaps")
	}
	return types
}

func wantTold(t *testing.T, got []string, wanted ...string) {
	t.Helper()
	if !slices.Equal(got, wanted) {
		t.Errorf("the ledger tells %v, want %v", got, wanted)
	}
}

// A transaction that has appended and goes on working keeps nobody else from appending:
// its events are numbered when it commits.
func TestNobodyWaitsForATransactionThatIsAtWork(t *testing.T) {
	t.Parallel()
	store := open(t)
	scope := sample.Tenant(t, store)
	sample.Write(t, store, scope, func(tx *db.Tx) error {
		err := add(t, tx, "first.begun", "first.went_on")
		if err != nil {
			return err
		}
		sample.Write(t, store, scope, func(other *db.Tx) error { return add(t, other, "second.done") })
		wantTold(t, told(t, store, scope), "second.done")
		return add(t, tx, "first.ended")
	})
	wantTold(t, told(t, store, scope), "second.done", "first.begun", "first.went_on", "first.ended")
}

func TestEventsGoTheWayOfTheirTransaction(t *testing.T) {
	t.Parallel()
	store := open(t)
	scope := sample.Tenant(t, store)
	refusal := errs.New(errs.Conflict, "No.")
	err := store.Write(t.Context(), scope, func(tx *db.Tx) error { return errors.Join(add(t, tx, "undone"), refusal) })
	if !errors.Is(err, errs.Conflict) {
		t.Errorf("got %v, want the error", err)
	}
	err = store.Write(t.Context(), scope, func(tx *db.Tx) error {
		err := add(t, tx, "kept")
		if err != nil {
			return err
		}
		return db.Keep(refusal)
	})
	if !errors.Is(err, errs.Conflict) {
		t.Errorf("got %v, want the error", err)
	}
	err = store.DryRun(t.Context(), scope, func(tx *db.Tx) error { return add(t, tx, "rehearsed") })
	if err != nil {
		t.Error(err)
	}
	wantTold(t, told(t, store, scope), "kept")
}

// What cannot be written fails a rehearsal as it fails a write, and writes nothing.
func TestAnEventThatCannotBeWrittenFailsItsCause(t *testing.T) {
	t.Parallel()
	store := open(t)
	scope := sample.Tenant(t, store)
	stray := func(tx *db.Tx) error {
		sample.OrgUnit(t, tx, "stray")
		return ledger.Append(t.Context(), tx, ledger.Event{Type: "test.done", SubjectType: "test", SubjectID: ids.New(), OrgUnit: ids.New()})
	}
	for name, run := range map[string]func() error{
		"write":    func() error { return store.Write(t.Context(), scope, stray) },
		"dry run":  func() error { return store.DryRun(t.Context(), scope, stray) },
		"no JSON":  func() error { return store.Write(t.Context(), scope, unspeakable(t)) },
		"rehearse": func() error { return store.DryRun(t.Context(), scope, unspeakable(t)) },
	} {
		if err := run(); err == nil {
			t.Errorf("%s: the event was taken", name)
		}
	}
	wantTold(t, told(t, store, scope))
}

func unspeakable(t *testing.T) func(tx *db.Tx) error {
	return func(tx *db.Tx) error {
		return ledger.Append(t.Context(), tx, ledger.Event{Type: "test.done", SubjectType: "test", SubjectID: ids.New(),
			Payload: map[string]any{"f": func() {}}})
	}
}
