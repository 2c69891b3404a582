package sample

import (
	"testing"

	"assess/pkg/author/pack"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Library makes a library with these published evaluations, which nobody else is offered.
func Library(t testing.TB, tx *db.Tx, evaluations ...ids.ID) pack.Library {
	t.Helper()
	l, err := pack.CreateLibrary(t.Context(), tx, pack.LibraryInput{Name: word("Library")})
	for _, e := range evaluations {
		if err == nil {
			l, err = pack.AddItem(t.Context(), tx, pack.ItemInput{ByLibrary: pack.ByLibrary{LibraryID: l.ID}, EvaluationID: e})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// Pack makes a library and publishes it.
func Pack(t testing.TB, tx *db.Tx, evaluations ...ids.ID) (pack.Library, pack.Revision) {
	t.Helper()
	l := Library(t, tx, evaluations...)
	r, err := pack.Publish(t.Context(), tx, pack.ByLibrary{LibraryID: l.ID})
	if err != nil {
		t.Fatal(err)
	}
	return l, r
}
