package db_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

const (
	// addFacetsSQL adds two facets unless there are ten.
	addFacetsSQL = `
insert into facets (tenant_id, id, domain, slug, label, created_at, updated_at)
select $1, n.id, 'content', n.slug, n.slug, now(), now() from (values ($2::uuid, $4), ($3::uuid, $5)) n (id, slug)
where (select count(*) from facets where tenant_id = $1) < 10 returning slug`
	countFacetsSQL = "select count(*) from facets where tenant_id = $1"
	fewFacetsSQL   = countFacetsSQL + " having count(*) < 10"
)

// inTwo looks whether there are few facets, and adds two.
func inTwo(t *testing.T, tx *db.Tx, slugs ...string) ([]string, error) {
	var n int
	var made []string
	err := tx.LastPair(t.Context(), db.Statement{SQL: fewFacetsSQL, Args: []any{tx.Tenant()}, Dest: []any{&n}},
		db.Statement{SQL: addFacetsSQL, Args: []any{tx.Tenant(), ids.New(), ids.New(), slugs[0], slugs[1]}}, func(row pgx.CollectableRow) error {
			slug, err := pgx.RowTo[string](row)
			made = append(made, slug)
			return err
		})
	return made, err
}

// An operation of two statements is one round trip, with begin and commit; in another transaction it is a part of that.
func TestAPairIsOneRoundTrip(t *testing.T) {
	t.Parallel()
	direct := dbtest.Clone(t).App
	near := open(t, direct)
	scope := newTenant(t, near)
	w := &dbtest.Wire{}
	far := open(t, w.Through(t, direct))
	for i, slugs := range [][]string{{"a", "b"}, {"c", "d"}} {
		before := w.Syncs.Load()
		err := far.WriteShort(t.Context(), scope, func(tx *db.Tx) error {
			made, err := inTwo(t, tx, slugs...)
			if diff := cmp.Diff(slugs, made); diff != "" {
				t.Error(diff)
			}
			if n := countFacets(t, near, scope); n != 2*(i+1) {
				t.Errorf("%d facets are committed with the pair, want %d", n, 2*(i+1))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		// The first time they are prepared.
		if trips := w.Syncs.Load() - before; i > 0 && trips != 1 {
			t.Errorf("%d round trips, want 1", trips)
		}
	}
	failed := errors.New("taken back")
	err := near.Write(t.Context(), scope, func(tx *db.Tx) error {
		made, err := inTwo(t, tx, "e", "f")
		if err != nil || len(made) != 2 || countFacets(t, near, scope) != 4 {
			t.Errorf("in another transaction: %v made, %v, %d committed", made, err, countFacets(t, near, scope))
		}
		return failed
	})
	if !errors.Is(err, failed) || countFacets(t, near, scope) != 4 {
		t.Errorf("%v, %d facets", err, countFacets(t, near, scope))
	}
}

// A pair that fails leaves nothing behind of what came before; after a first row that is not there, others follow.
func TestWhatFailsInAPair(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	scope := newTenant(t, store)
	err := store.WriteShort(t.Context(), scope, func(tx *db.Tx) error {
		err := addFacet(t.Context(), tx, "before")
		if err != nil {
			return err
		}
		_, err = inTwo(t, tx, "twice", "twice")
		return err
	})
	if err == nil || countFacets(t, store, scope) != 0 {
		t.Errorf("two of one name: %v, %d facets", err, countFacets(t, store, scope))
	}
	for i := range 5 {
		sample := strconv.Itoa(i)
		err := store.WriteShort(t.Context(), scope, func(tx *db.Tx) error {
			_, err := inTwo(t, tx, "a"+sample, "b"+sample)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	err = store.WriteShort(t.Context(), scope, func(tx *db.Tx) error {
		made, err := inTwo(t, tx, "one", "two")
		if !errors.Is(err, pgx.ErrNoRows) || len(made) != 0 {
			t.Errorf("nothing to find: %v, %v", made, err)
		}
		return addFacet(t.Context(), tx, "after")
	})
	if err != nil || countFacets(t, store, scope) != 11 {
		t.Errorf("after nothing: %v, %d facets", err, countFacets(t, store, scope))
	}
}

// A caller that loses the answer to a pair is told that nobody knows.
func TestALostPairIsOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	w := &dbtest.Wire{Answered: "COMMIT\x00"}
	direct := dbtest.Clone(t).App
	scope := newTenant(t, open(t, direct))
	far := open(t, w.Through(t, direct))
	run := func(slugs ...string) error {
		return far.WriteShort(t.Context(), scope, func(tx *db.Tx) error {
			_, err := inTwo(t, tx, slugs...)
			return err
		})
	}
	err := run("a", "b")
	if err != nil {
		t.Fatal(err)
	}
	w.Armed.Store(true)
	err = run("c", "d")
	if errs.Of(err).Code != errs.OutcomeUnknown {
		t.Errorf("got %v", err)
	}
	if n := countFacets(t, open(t, direct), scope); n != 4 {
		t.Errorf("%d facets, want 4", n)
	}
}

func TestTogetherIsOneRoundTrip(t *testing.T) {
	t.Parallel()
	direct := dbtest.Clone(t).App
	w := &dbtest.Wire{}
	store := open(t, w.Through(t, direct))
	scope := newTenant(t, store)
	err := store.Write(t.Context(), scope, func(tx *db.Tx) error {
		var n int
		var slug string
		all := []db.Statement{
			{SQL: countFacetsSQL, Args: []any{tx.Tenant()}, Dest: []any{&n}},
			{SQL: addFacetsSQL, Args: []any{tx.Tenant(), ids.New(), ids.New(), "a", "b"}, Dest: []any{&slug}},
			{SQL: "update facets set label = 'c' where tenant_id = $1 and slug = 'none'", Args: []any{tx.Tenant()}},
			{SQL: "select slug from facets where tenant_id = $1 and label = 'c'", Args: []any{tx.Tenant()}, Dest: []any{&slug}},
			{SQL: "update facets set label = 'c' where tenant_id = $1", Args: []any{tx.Tenant()}},
		}
		found, err := tx.Together(t.Context(), all[2], all[4])
		if err != nil || found[0] || found[1] {
			t.Errorf("without rows: %v, %v", found, err)
		}
		for i, want := range []int{0, 2} {
			all[1].Args = []any{tx.Tenant(), ids.New(), ids.New(), []string{"a", "c"}[i], []string{"b", "d"}[i]}
			before := w.Syncs.Load()
			found, err = tx.Together(t.Context(), all...)
			if diff := cmp.Diff([]bool{true, true, false, i > 0, true}, found); err != nil || diff != "" || n != want {
				t.Errorf("%d facets, want %d; %v %s", n, want, err, diff)
			}
			if trips := w.Syncs.Load() - before; i > 0 && trips != 1 {
				t.Errorf("%d round trips, want 1", trips)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
