package db_test

import (
	"errors"
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
)

func TestKeepCommitsAndAnswersTheError(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	refuse := func(slug string) func(*db.Tx) error {
		return func(tx *db.Tx) error {
			err := addFacet(t.Context(), tx, slug)
			if err != nil {
				return err
			}
			return db.Keep(errs.New(errs.Conflict, "No, but."))
		}
	}
	for _, c := range []struct {
		name string
		run  func(scope db.Scope) error
		want int
	}{
		{"Write", func(s db.Scope) error { return store.Write(t.Context(), s, refuse("a")) }, 1},
		{"DryRun keeps nothing", func(s db.Scope) error { return store.DryRun(t.Context(), s, refuse("a")) }, 0},
		{"WriteOnce stores no answer", func(s db.Scope) error {
			once := func(slug string) error {
				_, err := store.WriteOnce(t.Context(), s, key("k", "b"), func(tx *db.Tx) (*db.Answer, error) {
					return &db.Answer{Status: 200}, refuse(slug)(tx)
				})
				return err
			}
			return errors.Join(once("a"), once("b"))
		}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			scope := newTenant(t, store)
			if err := c.run(scope); !errors.Is(err, errs.Conflict) {
				t.Errorf("got %v, want conflict", err)
			}
			if got := countFacets(t, store, scope); got != c.want {
				t.Errorf("kept %d rows, want %d", got, c.want)
			}
		})
	}
}
