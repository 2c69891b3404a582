package projection

import (
	"context"
	"testing"
	"time"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
)

// Raw events go when their session is projected and is over, with a submission or without one;
// events of an open session stay.
func TestEventsOfEndedSessionsGo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, newStore(t, dbtest.Clone(t)))
	left := map[string]int{}
	for i, state := range []string{"open", "closed", "abandoned", "submitted"} {
		s := attempt{id: ids.New(), version: w.versions[0], user: w.users[i], outcome: "pass", startedAt: epoch, completedAt: epoch.Add(time.Hour), focusLost: 2}
		w.write(t, func(ctx context.Context, tx *db.Tx) error { return w.start(ctx, tx, s) })
		w.drain(t, 100)
		if n := w.eventsOf(t, s.id); n != 2 {
			t.Errorf("%d events of an open session, want 2", n)
		}
		w.write(t, func(ctx context.Context, tx *db.Tx) error {
			switch state {
			case "open":
				return w.queue(ctx, tx, "session", s.id)
			case "submitted":
				return w.submit(ctx, tx, s)
			}
			return w.setState(ctx, tx, s.id, state)
		})
		w.drain(t, 100)
		left[state] = w.eventsOf(t, s.id)
	}
	for state, n := range left {
		if want := map[string]int{"open": 2}[state]; n != want {
			t.Errorf("%s: %d events are left, want %d", state, n, want)
		}
	}
	if r := w.verify(t); r.Differences != 0 {
		t.Errorf("differs from a projection of everything: %+v", r)
	}
}

func (w *world) eventsOf(t *testing.T, session ids.ID) int {
	t.Helper()
	return w.count(t, "select count(*) from session_events where tenant_id = $1 and session_id = $2", w.tenant, session)
}
