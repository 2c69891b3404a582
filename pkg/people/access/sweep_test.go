package access_test

import (
	"testing"
	"time"

	"github.com/riverqueue/river"

	"assess/pkg/dev/sample"
	"assess/pkg/kernel/capability"
	"assess/pkg/kernel/db"
	"assess/pkg/people/access"
)

func TestSweepDeletesWhatHasServedItsTime(t *testing.T) {
	t.Parallel()
	h := newHouse(t, capability.Author)
	h.mailed(t)
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		_, err := tx.NewRaw("update magic_links set expires_at = now() - interval '2 days' where tenant_id = ?", tx.Tenant()).Exec(t.Context())
		return err
	})
	w := &access.Sweeper{Store: h.store, KeepIdempotency: time.Hour, TokenLifetime: time.Hour}
	err := w.Work(t.Context(), &river.Job[access.Sweep]{})
	if err != nil {
		t.Fatal(err)
	}
	sample.Write(t, h.store, h.scope, func(tx *db.Tx) error {
		var n int
		err := tx.QueryRow(t.Context(), "select count(*) from magic_links where tenant_id = $1", tx.Tenant()).Scan(&n)
		if n != 0 {
			t.Errorf("got %d links, want 0", n)
		}
		return err
	})
}
