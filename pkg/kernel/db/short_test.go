package db_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"assess/models"
	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
	"assess/pkg/kernel/ids"
)

// makeFacetSQL makes a facet where there is none of its name, and gives the time.
const makeFacetSQL = `
insert into facets (tenant_id, id, domain, slug, label, created_at, updated_at)
select $1, $2, 'content', $3, $3, ` + db.NowSQL + `, now() where not exists (select from facets where tenant_id = $1 and slug = $3)
returning tenant_id::text`

func makeFacet(t *testing.T, tx *db.Tx, slug string) error {
	var tenant string
	err := tx.LastRow(t.Context(), makeFacetSQL, []any{tx.Tenant(), ids.New(), slug}, &tenant)
	if err == nil && tenant != tx.Tenant().String() {
		t.Errorf("the row is of %s", tenant)
	}
	return err
}

// A write that needs nothing else is one round trip, in which the row is committed; one that needs the time
// first, or runs in another transaction, takes its three.
func TestShortWriteIsOneRoundTrip(t *testing.T) {
	t.Parallel()
	direct := dbtest.Clone(t).App
	near := open(t, direct)
	scope := newTenant(t, near)
	w := &dbtest.Wire{}
	far := open(t, w.Through(t, direct))
	for i, c := range []struct {
		what  string
		run   func(slug string) error
		trips int64
	}{
		{"prepare", func(slug string) error {
			return far.WriteShort(t.Context(), scope, func(tx *db.Tx) error { return makeFacet(t, tx, slug) })
		}, 0},
		{"short", func(slug string) error {
			return far.WriteShort(t.Context(), scope, func(tx *db.Tx) error {
				err := makeFacet(t, tx, slug)
				if n := countFacets(t, near, scope); n != 2 {
					t.Errorf("%d facets are committed, want 2", n)
				}
				return err
			})
		}, 1},
		{"short that asks for the time", func(slug string) error {
			return far.WriteShort(t.Context(), scope, func(tx *db.Tx) error {
				if tx.Now().IsZero() {
					t.Error("there is no time")
				}
				return makeFacet(t, tx, slug)
			})
		}, 3},
		{"plain", func(slug string) error {
			return far.Write(t.Context(), scope, func(tx *db.Tx) error { return makeFacet(t, tx, slug) })
		}, 3},
		{"nothing", func(string) error {
			return far.WriteShort(t.Context(), scope, func(*db.Tx) error { return nil })
		}, 0},
	} {
		// Each statement is prepared in both ways once.
		if c.trips == 3 {
			err := c.run("first " + c.what)
			if err != nil {
				t.Fatal(err)
			}
		}
		before := w.Syncs.Load()
		err := c.run(c.what)
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if trips := w.Syncs.Load() - before; i > 0 && trips != c.trips {
			t.Errorf("%s took %d round trips, want %d", c.what, trips, c.trips)
		}
	}
	if n := countFacets(t, near, scope); n != 6 {
		t.Errorf("there are %d facets, want 6", n)
	}
}

// A caller who gets an answer has what was committed; one who gets none is told that nobody knows.
func TestLostShortWriteIsOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		wire *dbtest.Wire
		made int
	}{
		"the answer is lost":  {&dbtest.Wire{Answered: "COMMIT\x00"}, 1},
		"the request is lost": {&dbtest.Wire{Sent: commitName}, 0},
	} {
		direct := dbtest.Clone(t).App
		scope := newTenant(t, open(t, direct))
		far := open(t, c.wire.Through(t, direct))
		run := func() error {
			return far.WriteShort(t.Context(), scope, func(tx *db.Tx) error { return makeFacet(t, tx, "hue") })
		}
		err := far.ReadShort(t.Context(), scope, func(tx *db.Tx) error {
			var n int
			return tx.LastRow(t.Context(), "select count(*) from facets where tenant_id = $1", []any{tx.Tenant()}, &n)
		})
		if err != nil {
			t.Fatal(err)
		}
		c.wire.Armed.Store(true)
		err = run()
		if errs.Of(err).Code != errs.OutcomeUnknown {
			t.Errorf("%s: got %v", what, err)
		}
		c.wire.Armed.Store(false)
		if n := countFacets(t, open(t, direct), scope); n != c.made {
			t.Errorf("%s: %d changes were made, want %d", what, n, c.made)
		}
		err = run()
		if c.made == 0 && err != nil || c.made == 1 && !errors.Is(err, pgx.ErrNoRows) {
			t.Errorf("%s: again: %v", what, err)
		}
	}
}

// A statement that fails leaves nothing behind, one that finds nothing lets others follow, and a row ends it.
func TestShortWriteEnds(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	scope := newTenant(t, store)
	other := newTenant(t, store)
	short := func(fn func(tx *db.Tx) error) error { return store.WriteShort(t.Context(), scope, fn) }

	err := short(func(tx *db.Tx) error {
		var half int
		return tx.LastRow(t.Context(), "with made as ("+makeFacetSQL+") select 1 / (count(*) - 1) from made", []any{tx.Tenant(), ids.New(), "hue"}, &half)
	})
	if err == nil || countFacets(t, store, scope) != 0 {
		t.Errorf("a failed statement: %v, %d facets", err, countFacets(t, store, scope))
	}

	err = short(func(tx *db.Tx) error {
		var tenant string
		return tx.LastRow(t.Context(), makeFacetSQL, []any{other.Tenant, ids.New(), "hue"}, &tenant)
	})
	if err == nil || countFacets(t, store, other) != 0 {
		t.Errorf("another tenant's row: %v, %d facets", err, countFacets(t, store, other))
	}

	err = short(func(tx *db.Tx) error {
		var found bool
		err := tx.LastRow(t.Context(), "select true from facets where tenant_id = $1", []any{tx.Tenant()}, &found)
		if !errors.Is(err, pgx.ErrNoRows) {
			t.Errorf("nothing to find: %v", err)
		}
		err = addFacet(t.Context(), tx, "hue")
		if n, err := tx.NewSelect().Model((*models.Facet)(nil)).Where("tenant_id = ?", tx.Tenant()).Count(t.Context()); n != 1 || err != nil {
			t.Errorf("%d facets, %v", n, err)
		}
		if countFacets(t, store, scope) != 0 {
			t.Error("what follows is committed before its end")
		}
		return err
	})
	if err != nil || countFacets(t, store, scope) != 1 {
		t.Errorf("after nothing: %v, %d facets", err, countFacets(t, store, scope))
	}

	err = short(func(tx *db.Tx) error {
		err := makeFacet(t, tx, "tone")
		if err != nil {
			return err
		}
		return addFacet(t.Context(), tx, "shade")
	})
	if err == nil || countFacets(t, store, scope) != 2 {
		t.Errorf("a statement after the last row: %v, %d facets", err, countFacets(t, store, scope))
	}

	err = store.DryRun(t.Context(), scope, func(tx *db.Tx) error { return makeFacet(t, tx, "shade") })
	if err != nil || countFacets(t, store, scope) != 2 {
		t.Errorf("a dry run: %v, %d facets", err, countFacets(t, store, scope))
	}
}
