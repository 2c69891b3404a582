package db_test

import (
	"errors"
	"testing"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/db"
)

type tally float64

func (c *tally) Add(n float64) { *c += tally(n) }

// Committed work counts, once; work that is taken back does not.
func TestCountsFollowTheCommit(t *testing.T) {
	t.Parallel()
	store := sample.Store(t)
	scope := sample.Tenant(t, store)
	var c tally
	refused := errors.New("refused")
	tries := 0
	for _, tt := range []struct {
		name string
		run  func(*db.Tx) error
		in   func(fn func(*db.Tx) error) error
		want tally
	}{
		{"committed", func(tx *db.Tx) error { tx.Count(&c, 2); return nil }, func(fn func(*db.Tx) error) error { return store.Write(t.Context(), scope, fn) }, 2},
		{"undone", func(tx *db.Tx) error { tx.Count(&c, 2); return refused }, func(fn func(*db.Tx) error) error { return store.Write(t.Context(), scope, fn) }, 0},
		{"dry run", func(tx *db.Tx) error { tx.Count(&c, 2); return nil }, func(fn func(*db.Tx) error) error { return store.DryRun(t.Context(), scope, fn) }, 0},
		{"rehearsed", func(tx *db.Tx) error {
			tx.Count(&c, 1)
			return tx.Rehearse(t.Context(), func() error { tx.Count(&c, 2); return nil })
		}, func(fn func(*db.Tx) error) error { return store.Write(t.Context(), scope, fn) }, 1},
		{"run again", func(tx *db.Tx) error {
			tries++
			tx.Count(&c, 2)
			if tries == 1 {
				_, err := tx.Exec(t.Context(), "do $$ begin raise sqlstate '40001'; end $$")
				return err
			}
			return nil
		}, func(fn func(*db.Tx) error) error { return store.Write(t.Context(), scope, fn) }, 2},
	} {
		c = 0
		err := tt.in(tt.run)
		if (err != nil) != (tt.name == "undone") || c != tt.want {
			t.Errorf("%s: counted %v, want %v (%v)", tt.name, c, tt.want, err)
		}
	}
	if tries != 2 {
		t.Errorf("the transaction ran %d times, want 2", tries)
	}
}
