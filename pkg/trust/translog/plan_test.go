package translog_test

import (
	"testing"

	"assess/pkg/dev/dbtest"
	"assess/pkg/kernel/db"
	"assess/pkg/kernel/ids"
	"assess/pkg/trust/translog"
)

// Proofs and the look for work read as much of a long log as of a short one.
func TestWhatIsRead(t *testing.T) {
	t.Parallel()
	dbtest.OneServer(t)
	urls := dbtest.Fresh(t)
	b, other := newLogbook(t, urls), newLogbook(t, urls)
	e := newExam(b)
	id := e.submit()
	e.project()
	for _, l := range []*logbook{b, other} {
		l.tamper(`with head as (update ledger_heads set last_seq = last_seq + 30000 where tenant_id = $1 returning last_seq - 30000 as before)
			insert into ledger_events (tenant_id, seq, id, event_type, actor, subject_type, subject_id, occurred_at)
			select $1, before + n, gen_random_uuid(), 'test.said', 'user:x', 'test', gen_random_uuid(), now() from head, generate_series(1, 30000) n`)
		l.sequence()
		l.tamper(`insert into ledger_batches (tenant_id, number, event_id, leaves) select $1, 1000 + n, gen_random_uuid(), sha256('x') from generate_series(1, 4000) n`)
		l.tamper(`insert into ledger_states (tenant_id, batch, position, submission_id, state_scheme, erased)
			select $1, 1000 + n % 4000 + 1, n, gen_random_uuid(), 'x', true from generate_series(1, 20000) n`)
		l.tamper(`insert into ledger_checkpoints (tenant_id, size, root, key_id, note, created_at)
			select $1, n, sha256('x'), key_id, 'x', now() from ledger_checkpoints c, generate_series(1, 20000) n where c.tenant_id = $1`)
	}
	b.say(5)
	dbtest.EachPlan(t, func(t *testing.T, plans dbtest.Plans) {
		for _, c := range []struct {
			name string
			most int64
			do   func(tx *db.Tx) error
		}{
			{"proof of an event", 40, func(tx *db.Tx) error {
				_, err := translog.EventProof(t.Context(), tx, 12345)
				return err
			}},
			{"proof of a submission", 60, func(tx *db.Tx) error {
				_, err := translog.SubmissionProof(t.Context(), tx, id)
				return err
			}},
			{"consistency", 60, func(tx *db.Tx) error {
				_, err := translog.Consistency(t.Context(), tx, 777, 23456)
				return err
			}},
			{"checkpoint", 5, func(tx *db.Tx) error {
				_, err := translog.NewestCheckpoint(t.Context(), tx)
				return err
			}},
			{"asking for states", 5, func(tx *db.Tx) error { return translog.TakeUp(t.Context(), tx, []ids.ID{id}) }},
			{"a run", 250, func(tx *db.Tx) error { return b.service.Within(t.Context(), tx) }},
		} {
			err := b.store.DryRun(t.Context(), b.scope, func(tx *db.Tx) error {
				plans.Force(t, tx)
				var err error
				dbtest.ByIndex(t, tx, c.name, c.most, func() error {
					err = c.do(tx)
					return err
				}, "ledger_events", "ledger_tiles", "ledger_checkpoints", "ledger_batches", "ledger_states")
				return err
			})
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}, urls)
}
