package session_test

import (
	"testing"

	"assess/pkg/author/authoring"
	"assess/pkg/dev/dbtest"
	"assess/pkg/dev/sample"
	"assess/pkg/exam/session"
	"assess/pkg/kernel/db"
)

// The figure for operators covers all tenants, and sessions with and without a deadline.
func TestOpenSessionsOfAllTenantsAreCounted(t *testing.T) {
	t.Parallel()
	store := dbtest.Open(t, db.Options{URL: dbtest.Fresh(t).App})
	open := func(want int64) {
		t.Helper()
		if n, err := session.CountOpen(t.Context(), store.Unscoped()); n != want || err != nil {
			t.Errorf("%d sessions are open, want %d (%v)", n, want, err)
		}
	}
	open(0)
	limited, unlimited := newRoomIn(t, store, authoring.Settings{TimeLimitSeconds: ptr(600)}, sample.Choice("A")), newRoomIn(t, store, authoring.Settings{}, sample.Choice("A"))
	limited.start(limited.candidate)
	s := unlimited.start(unlimited.candidate)
	open(2)
	if _, err := unlimited.submit(unlimited.candidate, s.ID, nil); err != nil {
		t.Fatal(err)
	}
	open(1)
}
