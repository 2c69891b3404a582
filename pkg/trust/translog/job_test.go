package translog_test

import (
	"testing"
	"time"

	"github.com/riverqueue/river"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/translog"
)

// One job serves all tenants; one whose ledger somebody broke holds up nobody, and a backlog is
// worked off.
func TestTheJobServesAllTenants(t *testing.T) {
	t.Parallel()
	urls := dbtest.Fresh(t)
	first, broken, long := newLogbook(t, urls), newLogbook(t, urls), newLogbook(t, urls)
	first.say(3)
	gap := broken.say(3)
	broken.tamper("delete from ledger_events where tenant_id = $1 and seq = $2", gap-1)
	long.tamper(`with head as (update ledger_heads set last_seq = last_seq + 40000 where tenant_id = $1 returning last_seq - 40000 as before)
		insert into ledger_events (tenant_id, seq, id, event_type, actor, subject_type, subject_id, occurred_at)
		select $1, before + n, gen_random_uuid(), 'test.said', 'user:x', 'test', gen_random_uuid(), now() from head, generate_series(1, 40000) n`)
	first.service.Every = time.Minute
	worker := translog.Sequencer{Service: first.service}
	for range 3 { // a run stops at the end of a round in which one failed
		if err := worker.Work(t.Context(), &river.Job[translog.Sequence]{}); err == nil {
			t.Error("the broken ledger was passed over")
		}
	}
	for _, b := range []*logbook{first, long} {
		if got := ask[int64](b, "select signed from ledger_logs where tenant_id = $1", b.scope.Tenant); got != b.last() {
			t.Errorf("got a checkpoint of %d events, want %d", got, b.last())
		}
		wantFound(t, "afterwards", b.verify())
	}
	var idle []ids.ID
	rows, err := first.super.Query(t.Context(), "select tenants_to_sequence(false)")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var id ids.ID
		if err := rows.Scan(&id); err != nil {
			t.Fatal(err)
		}
		idle = append(idle, id)
	}
	if len(idle) != 1 || idle[0] != broken.scope.Tenant {
		t.Errorf("tenants with work left: %v, want the broken one alone", idle)
	}
}
