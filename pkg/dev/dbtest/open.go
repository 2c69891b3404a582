package dbtest

import (
	"testing"

	"assess/pkg/kernel/db"
)

// Open opens a store that is closed when the test ends.
func Open(t testing.TB, o db.Options) *db.Store {
	t.Helper()
	store, err := db.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return store
}
