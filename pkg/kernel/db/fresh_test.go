package db_test

import (
	"testing"
	"time"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/errs"
)

func TestFreshComparesMoments(t *testing.T) {
	t.Parallel()
	stored := time.Date(2030, 5, 6, 7, 8, 9, 10e6, time.UTC)
	elsewhere, older := stored.In(time.FixedZone("", 3600)), stored.Add(-time.Millisecond)
	for name, c := range map[string]struct {
		sent   *time.Time
		stored time.Time
		stale  bool
	}{
		"not asked for":           {nil, stored, false},
		"the same":                {&stored, stored, false},
		"the same, another zone":  {&elsewhere, stored, false},
		"a millisecond older":     {&older, stored, true},
		"of what is not there":    {&stored, time.Time{}, true},
		"nothing of what is none": {nil, time.Time{}, false},
	} {
		err := db.Fresh(c.sent, c.stored)
		if stale := err != nil && errs.Of(err).Code == errs.StaleUpdate; stale != c.stale {
			t.Errorf("%s: got %v, want stale: %v", name, err, c.stale)
		}
	}
}

// Two changes within one transaction, or of transactions that overlap, have different times.
func TestChangedAtAlwaysMovesForward(t *testing.T) {
	t.Parallel()
	store := open(t, dbtest.Clone(t).App)
	err := store.Read(t.Context(), newTenant(t, store), func(tx *db.Tx) error {
		for _, last := range []time.Time{{}, tx.Now().Add(-time.Hour), tx.Now(), tx.Now().Add(time.Minute)} {
			if next := tx.ChangedAt(last); !next.After(last) || next.Before(tx.Now()) {
				t.Errorf("after %v: got %v at %v", last, next, tx.Now())
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
